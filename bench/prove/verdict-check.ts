/** What the checks of a report against other worlds and its replay come down to. */
import { boxCorners, type Polygon, separation } from '../../src/shard/counterfactual/separation.ts';
import { CAR_TYPES } from '../../src/twin/fleet.ts';

export interface Report {
  id: string;
  tick: number;
  explained: boolean;
  vehicles: { vin: string; model: string; speed: number; delta_v: number; off: string[] }[];
  other: { kind: string; hazard: string | null }[];
  failures: Failure[];
}

export interface Failure {
  vin: string;
  feature: string;
  effect: 'avoids' | 'mitigates';
  set: number;
  explanation: string;
}

export interface Frame {
  tick: number;
  vehicles: { vin: string; x: number; y: number; heading: number; speed: number }[];
  hazards: {
    id: string;
    active: boolean;
    x: number;
    y: number;
    heading: number;
    length: number;
    width: number;
  }[];
}

export interface Played {
  frames: readonly Frame[];
  contact_tick: number | null;
}

/** Three starts, one step apart, of which two have to agree. */
const WINDOW = 3;
const AGREEING = 2;
const MILDER_SHARE = 0.7;
/** Reports round to hundredths. */
const ROUNDING_MPS = 0.02;
/** Nearest points count from so long before the contact. */
const NEAREST_TICKS = 100;
/** Sentences round to tenths, frames to the centimetre. */
const DISTANCE_M = 0.07;
/** What a car can brake between a frame and a contact, km/h. */
const FRAME_KMH = 4;
/** Speeds are told in whole km/h, changes of speed in tenths, both of reports in hundredths of a m/s. */
const SPEED_KMH = 0.55;
const CHANGE_KMH = 0.1;
/** What stands, of what reports call others than vehicles of the fleet. */
const STANDING = ['building', 'obstacle'];

/** Whether two of three starts that follow each other show the effect. */
export function agrees(shown: readonly boolean[]): boolean {
  return shown.some((_, i) => shown.slice(i, i + WINDOW).filter((each) => each).length >= AGREEING);
}

/** A report with its cars by their index in the fleet: VINs differ from world to world. */
export interface Parties {
  cars: readonly number[];
  others: readonly string[];
  deltaVMps: number;
  /** Of each car, in their order. */
  speeds: readonly { speedMps: number; deltaVMps: number }[];
}

export function partiesOf({ vehicles, other }: Report, fleet: readonly string[]): Parties {
  return {
    cars: vehicles.map(({ vin }) => fleet.indexOf(vin)),
    speeds: vehicles.map(({ speed, delta_v }) => ({ speedMps: speed, deltaVMps: delta_v })),
    others: other.map(({ kind, hazard }) => `${kind} ${hazard}`),
    deltaVMps: Math.max(0, ...vehicles.map(({ delta_v }) => delta_v)),
  };
}

/** Whether the same met each other: two cars of it, or one of them and something else of it. */
function isShared(was: Parties, now: Parties): boolean {
  const cars = now.cars.filter((car) => was.cars.includes(car)).length;
  return cars > 1 || (cars === 1 && now.others.some((other) => was.others.includes(other)));
}

/** Whether what then happened shows the effect. */
export function isShown(
  effect: 'avoids' | 'mitigates',
  was: Parties,
  then: readonly Parties[],
): boolean {
  const shared = then.filter((now) => isShared(was, now));
  if (effect === 'avoids' || shared.length === 0) return shared.length === 0;
  const worst = Math.max(...shared.map(({ deltaVMps }) => deltaVMps));
  return worst <= MILDER_SHARE * was.deltaVMps + ROUNDING_MPS;
}

/** The sets of a report, each with what it says of every member. */
export function setsOf({ failures }: Report): Failure[][] {
  return [...Map.groupBy(failures, ({ set }) => set).values()];
}

/** A replay switches features on for all that had them off: whether those are the members of a set. */
export function isReplayed({ vehicles }: Report, set: readonly Failure[]): boolean {
  return vehicles.every(({ vin, off }) => {
    const own = set.filter((member) => member.vin === vin).map(({ feature }) => feature);
    return set.every(({ feature }) => own.includes(feature) || !off.includes(feature));
  });
}

/** How the end of a sentence may be told, with its figures. */
interface Told {
  metres?: number;
  /** What it would have been, and what it was, km/h. */
  hit?: [number, number];
  changed?: [number, number];
  anyChanged?: [number, number];
}

/** The figures of a sentence; undefined where they are told as nobody expects. */
export function figuresOf(explanation: string): Told | undefined {
  const numbers = (form: RegExp) => form.exec(explanation)?.slice(1).map(Number);
  const [metres] = numbers(/(?:stopped|passed|been|closer than) (\d+\.\d) m\b/) ?? [];
  if (metres !== undefined) return { metres };
  if (/(?:stopped|passed|been) less than 0\.1 m\b/.test(explanation)) return { metres: 0 };
  const pair = (form: RegExp): [number, number] | undefined => {
    const [then, was] = numbers(form) ?? [];
    return then === undefined || was === undefined ? undefined : [then, was];
  };
  const hit = pair(/have hit at (\d+) km\/h instead of (\d+) km\/h/);
  if (hit) return { hit };
  const changed = pair(/speed by (\d+\.\d) km\/h instead of (\d+\.\d) km\/h/);
  if (changed) return { changed };
  const anyChanged = pair(/speed by more than (\d+\.\d) km\/h instead of (\d+\.\d) km\/h/);
  if (anyChanged) return { anyChanged };
  return /would not have met /.test(explanation) ? {} : undefined;
}

/** Whether a milder collision of a world that was lived again is the one that a sentence tells of. */
export function tellsOf(explanation: string, car: number, was: Parties, now: Parties): boolean {
  if (!isShared(was, now)) return false;
  const { hit, changed, anyChanged } = figuresOf(explanation) ?? {};
  const own = now.speeds[now.cars.indexOf(car)];
  const is = (mps: number | undefined, kmh: number, within: number): boolean =>
    mps !== undefined && Math.abs(mps * 3.6 - kmh) <= within;
  if (hit) return is(own?.speedMps, hit[0], SPEED_KMH);
  if (changed) return is(own?.deltaVMps, changed[0], CHANGE_KMH);
  return anyChanged === undefined || is(now.deltaVMps, anyChanged[0], CHANGE_KMH);
}

/** What a sentence says of the collision as it was, where the report says otherwise. */
export function wrongPast(report: Report, { vin, explanation }: Failure): string[] {
  const told = figuresOf(explanation);
  if (told === undefined) return ['it ends as none does'];
  const own = report.vehicles.find((vehicle) => vehicle.vin === vin);
  const worst = Math.max(...report.vehicles.map(({ delta_v }) => delta_v));
  const wrong: string[] = [];
  const compare = (kmh: number | undefined, mps = Number.NaN, within: number) => {
    if (kmh === undefined || Math.abs(mps * 3.6 - kmh) <= within) return;
    wrong.push(`${kmh} km/h was ${mps} m/s`);
  };
  compare(told.hit?.[1], own?.speed, SPEED_KMH);
  compare(told.changed?.[1], own?.delta_v, CHANGE_KMH);
  compare(told.anyChanged?.[1], worst, CHANGE_KMH);
  return wrong;
}

/** What a sentence says of what would have been, where its replay shows something else. */
export function wrongReplay(
  report: Report,
  { vin, effect, explanation }: Failure,
  { frames, contact_tick: contactTick }: Played,
  blocks: readonly Polygon[],
): string[] {
  const wrong: string[] = [];
  if ((contactTick === null) !== (effect === 'avoids')) wrong.push(`contact at ${contactTick}`);
  const { metres, hit } = figuresOf(explanation) ?? {};
  const late = frames.filter(({ tick }) => tick >= report.tick - NEAREST_TICKS);
  if (metres !== undefined) {
    const nearest = nearestOf(report, vin, late, blocks);
    const isOne = nearest.some((awayM) => Math.abs(awayM - metres) <= DISTANCE_M);
    if (!isOne) wrong.push(`${metres} m is none of ${nearest.map((m) => m.toFixed(2)).join(', ')}`);
  }
  // Of several cars another may have touched first.
  if (hit && report.vehicles.length === 1) {
    const before = frames.findLast(({ tick }) => tick < (contactTick ?? 0));
    const speed = before?.vehicles.find((vehicle) => vehicle.vin === vin)?.speed ?? Number.NaN;
    if (!(Math.abs(speed * 3.6 - hit[0]) <= FRAME_KMH)) wrong.push(`hits at ${speed} m/s`);
  }
  return wrong;
}

/** How close the car comes to each that it may have met. */
function nearestOf(
  report: Report,
  vin: string,
  frames: readonly Frame[],
  blocks: readonly Polygon[],
): number[] {
  const models = new Map(report.vehicles.map((vehicle) => [vehicle.vin, vehicle.model]));
  const bodyOf = ({ vehicles }: Frame, of: string): Polygon => {
    const car = vehicles.find((vehicle) => vehicle.vin === of);
    const type = CAR_TYPES.find(({ model }) => model === models.get(of));
    if (!car || !type) throw new RangeError(`no body of ${of}`);
    const [hx, hy] = [Math.cos(car.heading), Math.sin(car.heading)];
    return boxCorners(car.x, car.y, hx, hy, type.lengthM, type.widthM);
  };
  const least = (to: (frame: Frame) => Polygon | undefined): number =>
    Math.min(
      ...frames.map((frame) => {
        const body = to(frame);
        return body ? separation(bodyOf(frame, vin), body) : Number.POSITIVE_INFINITY;
      }),
    );
  const others = report.vehicles.filter((vehicle) => vehicle.vin !== vin);
  const stands = report.other.some(({ kind }) => STANDING.includes(kind));
  // What lies behind a crest is an obstacle too, and there only while its hazard is alive.
  const actors = report.other.filter(({ hazard }) => hazard !== null);
  const actorIn = ({ hazards }: Frame, id: string | null) =>
    actorOf(hazards.find((each) => each.id === id));
  const all = [
    ...others.map((other) => least((frame) => bodyOf(frame, other.vin))),
    ...actors.map(({ hazard }) => least((frame) => actorIn(frame, hazard))),
    ...(stands ? blocks.map((block) => least(() => block)) : []),
  ];
  return all.filter(Number.isFinite).sort((a, b) => a - b);
}

function actorOf(hazard: Frame['hazards'][number] | undefined): Polygon | undefined {
  if (!hazard?.active) return undefined;
  const { x, y, heading, length, width } = hazard;
  return boxCorners(x, y, Math.cos(heading), Math.sin(heading), length, width);
}
