/** The checks of a report against re-runs in other worlds and against its replay. */
import type { Events, Incident, Replay } from '../../build/api/twin.d.ts';
import { boxCorners, type Polygon, separation } from '../../src/shard/counterfactual/separation.ts';
import { CAR_TYPES } from '../../src/twin/fleet.ts';

export type Failure = Incident['failures'][number];
type Frame = Replay['frames'][number];

/** Of three neighbouring starts two have to agree. */
const WINDOW = 3;
const AGREEING = 2;
const MILDER_SHARE = 0.7;
/** Reports round to hundredths. */
const ROUNDING_MPS = 0.02;
/** The nearest approach is searched from this long before the contact. */
const NEAREST_TICKS = 100;
/** Sentences round to tenths, frames to the centimetre. */
const DISTANCE_M = 0.07;
/** From the middle of a car to its centre of gravity, and less than it drives from frame to frame. */
const MIDDLE_M = 0.5;
/** Most that a car brakes between a frame and a contact. */
const FRAME_KMH = 4;
/** Sentences round speeds to whole km/h and changes to tenths; reports round to hundredths of a m/s. */
const SPEED_KMH = 0.55;
const CHANGE_KMH = 0.1;
/** Kinds of other parties that never move. */
const STANDING = ['building', 'obstacle'];

/** Whether two of three neighbouring starts show the effect. */
export function agrees(shown: readonly boolean[]): boolean {
  return shown.some((_, i) => shown.slice(i, i + WINDOW).filter((each) => each).length >= AGREEING);
}

/** A collision with cars by index in the fleet, since VINs differ between worlds. */
export interface Parties {
  cars: readonly number[];
  others: readonly string[];
  /** The spots of the others, or BESIDE_ROAD. */
  spots: readonly string[];
  deltaVMps: number;
  /** By car, in the order of `cars`. */
  speeds: readonly { speedMps: number; deltaVMps: number }[];
  /** Who touched whom, in order of tick; empty: nobody tells. */
  touches: readonly Touch[];
}

/** A car touches another one, or what is at a spot. */
export interface Touch {
  tick: number;
  car: number;
  other: number | string;
}

export type Fleet = readonly { vin: string; plate: string }[];

/** What belongs to no spot. */
const BESIDE_ROAD = 'beside the road';
const spotOf = (hazard: string | null): string => hazard ?? BESIDE_ROAD;

/** @param events of the same world, if it has to be told who touched whom */
export function partiesOf(
  { id, vehicles, other }: Incident,
  fleet: Fleet,
  events: Events = [],
): Parties {
  const carOf = (wanted: string | null) => fleet.findIndex(({ vin }) => vin === wanted);
  const touchOf = ({ tick, vin, hazard, message }: Events[number]): Touch => {
    const plate = /collided with .*\(plate (.*)\)/.exec(message)?.[1];
    const struck = fleet.findIndex((entry) => entry.plate === plate);
    return { tick, car: carOf(vin), other: struck < 0 ? spotOf(hazard) : struck };
  };
  return {
    cars: vehicles.map(({ vin }) => carOf(vin)),
    speeds: vehicles.map(({ speed, delta_v }) => ({ speedMps: speed, deltaVMps: delta_v })),
    others: other.map(({ kind, hazard }) => `${kind} ${hazard}`),
    spots: other.map(({ hazard }) => spotOf(hazard)),
    touches: events.filter(({ incident }) => incident === id).map(touchOf),
    deltaVMps: Math.max(0, ...vehicles.map(({ delta_v }) => delta_v)),
  };
}

/** When two parties of an incident first touch each other in another one. */
export function metTick(was: Parties, { touches }: Parties): number | undefined {
  const isOf = (party: number | string) =>
    typeof party === 'number' ? was.cars.includes(party) : was.spots.includes(party);
  return touches.find(({ car, other }) => isOf(car) && isOf(other))?.tick;
}

/**
 * Whether the same met each other: two cars of it, or one of them and something else of it. In a
 * collision with further cars they may have met those alone.
 */
function isShared(was: Parties, now: Parties): boolean {
  const cars = now.cars.filter((car) => was.cars.includes(car)).length;
  const hasMet = cars > 1 || (cars === 1 && now.others.some((other) => was.others.includes(other)));
  const isTold = isJoined(was, now) && now.touches.length > 0;
  return hasMet && (!isTold || metTick(was, now) !== undefined);
}

/** Whether a car takes part that did not before. */
const isJoined = (was: Parties, { cars }: Parties): boolean =>
  cars.some((car) => !was.cars.includes(car));

/** The greatest change of speed of the cars that took part before: what another car runs into is not theirs. */
function worstOf(was: Parties, now: Parties): number {
  const own = now.speeds.filter((_, i) => was.cars.includes(now.cars[i] ?? -1));
  return Math.max(...own.map(({ deltaVMps }) => deltaVMps));
}

/**
 * Whether the same meet again, and each time a car takes part that did not before. It changes the
 * figures of the others as well, so no collision is left to compare a sentence with.
 */
export function isAlwaysJoined(was: Parties, then: readonly Parties[]): boolean {
  const shared = then.filter((now) => isShared(was, now));
  return shared.length > 0 && shared.every((now) => isJoined(was, now));
}

/** Whether what then happened shows the effect. */
export function isShown(
  effect: Failure['effect'],
  was: Parties,
  then: readonly Parties[],
): boolean {
  const shared = then.filter((now) => isShared(was, now));
  if (effect === 'avoids' || shared.length === 0) return shared.length === 0;
  const worst = Math.max(...shared.map((now) => worstOf(was, now)));
  return worst <= MILDER_SHARE * was.deltaVMps + ROUNDING_MPS;
}

/** The failures of a report by set. */
export function setsOf({ failures }: Incident): Failure[][] {
  return [...Map.groupBy(failures, ({ set }) => set).values()];
}

/** A replay switches features on in every car: whether that is exactly the set. */
export function isReplayed({ vehicles }: Incident, set: readonly Failure[]): boolean {
  return vehicles.every(({ vin, off }) => {
    const own = set.filter((member) => member.vin === vin).map(({ feature }) => feature);
    return set.every(({ feature }) => own.includes(feature) || !off.includes(feature));
  });
}

/** Forms of sentences with two figures: the other outcome and the collision, km/h. */
const PAIRS = {
  hit: /have hit at (\d+) km\/h instead of (\d+) km\/h/,
  changed: /speed by (\d+\.\d) km\/h instead of (\d+\.\d) km\/h/,
  anyChanged: /speed by more than (\d+\.\d) km\/h instead of (\d+\.\d) km\/h/,
};

type SentenceFigures = Partial<Record<keyof typeof PAIRS, [number, number]>> & {
  /** To another party. */
  metres?: number;
  /** To the place of the collision, at its moment. */
  metresAway?: number;
};

/** Undefined for a sentence of an unknown form. */
export function figuresOf(explanation: string): SentenceFigures | undefined {
  const away = /been (\d+\.\d) m away by then\b/.exec(explanation)?.[1];
  if (away !== undefined) return { metresAway: Number(away) };
  const metres = /(?:stopped|passed|been|closer than) (\d+\.\d) m\b/.exec(explanation)?.[1];
  if (metres !== undefined) return { metres: Number(metres) };
  if (/(?:stopped|passed|been) less than 0\.1 m\b/.test(explanation)) return { metres: 0 };
  for (const [name, form] of Object.entries(PAIRS)) {
    const [, then, was] = form.exec(explanation) ?? [];
    if (was !== undefined) return { [name]: [Number(then), Number(was)] };
  }
  return /would not have met /.test(explanation) ? {} : undefined;
}

/** Whether a sentence describes the milder collision of a re-run. */
export function describes(explanation: string, car: number, was: Parties, now: Parties): boolean {
  if (!isShared(was, now)) return false;
  const { hit, changed, anyChanged } = figuresOf(explanation) ?? {};
  const own = now.speeds[now.cars.indexOf(car)];
  const is = (mps: number | undefined, kmh: number, within: number): boolean =>
    mps !== undefined && Math.abs(mps * 3.6 - kmh) <= within;
  if (hit) return is(own?.speedMps, hit[0], SPEED_KMH);
  if (changed) return is(own?.deltaVMps, changed[0], CHANGE_KMH);
  return anyChanged === undefined || is(worstOf(was, now), anyChanged[0], CHANGE_KMH);
}

/** Where a sentence contradicts the report about the collision. */
export function wrongPast(report: Incident, { vin, explanation }: Failure): string[] {
  const figures = figuresOf(explanation);
  if (figures === undefined) return ['its form is unknown'];
  const own = report.vehicles.find((vehicle) => vehicle.vin === vin);
  const worst = Math.max(...report.vehicles.map(({ delta_v }) => delta_v));
  const wrong: string[] = [];
  const compare = (kmh: number | undefined, mps = Number.NaN, within: number) => {
    if (kmh === undefined || Math.abs(mps * 3.6 - kmh) <= within) return;
    wrong.push(`${kmh} km/h was ${mps} m/s`);
  };
  compare(figures.hit?.[1], own?.speed, SPEED_KMH);
  compare(figures.changed?.[1], own?.delta_v, CHANGE_KMH);
  compare(figures.anyChanged?.[1], worst, CHANGE_KMH);
  return wrong;
}

/** Where a sentence contradicts its replay about the other outcome. */
export function wrongReplay(
  report: Incident,
  { vin, effect, explanation }: Failure,
  { frames, contact_tick: contactTick }: Replay,
  blocks: readonly Polygon[],
): string[] {
  const wrong: string[] = [];
  if ((contactTick === null) !== (effect === 'avoids')) wrong.push(`contact at ${contactTick}`);
  const { metres, metresAway, hit } = figuresOf(explanation) ?? {};
  if (metresAway !== undefined) {
    const then = frames.findLast(({ tick }) => tick <= report.tick);
    const car = then?.vehicles.find((vehicle) => vehicle.vin === vin);
    const { x, y } = report.place;
    const isM = Math.hypot((car?.x ?? Number.NaN) - x, (car?.y ?? Number.NaN) - y);
    // The place of a car is its middle in frames, and its centre of gravity in re-runs.
    if (!(Math.abs(isM - metresAway) <= MIDDLE_M))
      wrong.push(`${metresAway.toFixed(1)} m is ${isM.toFixed(2)}`);
  }
  const late = frames.filter(({ tick }) => tick >= report.tick - NEAREST_TICKS);
  if (metres !== undefined) {
    const nearest = nearestOf(report, vin, late, blocks);
    const isOne = nearest.some((awayM) => Math.abs(awayM - metres) <= DISTANCE_M);
    if (!isOne) wrong.push(`${metres} m is none of ${nearest.map((m) => m.toFixed(2)).join(', ')}`);
  }
  // With several cars, another one may have made the first contact.
  if (hit && report.vehicles.length === 1) {
    const before = frames.findLast(({ tick }) => tick < (contactTick ?? 0));
    const speed = before?.vehicles.find((vehicle) => vehicle.vin === vin)?.speed ?? Number.NaN;
    if (!(Math.abs(speed * 3.6 - hit[0]) <= FRAME_KMH)) wrong.push(`hits at ${speed} m/s`);
  }
  return wrong;
}

/** How close the car comes to each other party, m. */
function nearestOf(
  report: Incident,
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
  // An obstacle of a hazard is there only while the hazard is active.
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
