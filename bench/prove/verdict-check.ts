/** What the checks of a report against other worlds and its replay come down to. */
import { boxCorners, type Polygon, separation } from '../../src/shard/separation.ts';
import { CAR_TYPES } from '../../src/twin/fleet.ts';

export interface Report {
  id: string;
  tick: number;
  explained: boolean;
  vehicles: { vin: string; model: string; speed: number; delta_v: number }[];
  other: { kind: string; hazard: string | null }[];
  failures: {
    vin: string;
    feature: string;
    effect: 'avoids' | 'mitigates';
    set: number;
    explanation: string;
  }[];
}

export interface Frame {
  tick: number;
  vehicles: { vin: string; x: number; y: number; heading: number; speed: number }[];
  hazards: {
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

/** Whether two of three starts that follow each other show the effect. */
export function agrees(shown: readonly boolean[]): boolean {
  return shown.some((_, i) => shown.slice(i, i + WINDOW).filter((each) => each).length >= AGREEING);
}

/** A report with its cars by their index in the fleet: VINs differ from world to world. */
export interface Parties {
  cars: readonly number[];
  others: readonly string[];
  deltaVMps: number;
}

export function partiesOf({ vehicles, other }: Report, fleet: readonly string[]): Parties {
  return {
    cars: vehicles.map(({ vin }) => fleet.indexOf(vin)),
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

/** What is wrong with the figures of a sentence by the report itself and its replay; none: nothing. */
export function wrongFigures(
  report: Report,
  { vin, effect, explanation }: Report['failures'][number],
  { frames, contact_tick: contactTick }: Played,
  blocks: readonly Polygon[],
): string[] {
  const wrong: string[] = [];
  const own = report.vehicles.find((vehicle) => vehicle.vin === vin);
  if ((contactTick === null) !== (effect === 'avoids')) wrong.push(`contact at ${contactTick}`);
  const metres = /(?:stopped|passed|been) (\d+\.\d) m/.exec(explanation)?.[1];
  const late = frames.filter(({ tick }) => tick >= report.tick - NEAREST_TICKS);
  if (metres !== undefined) {
    const nearest = nearestOf(report, vin, late, blocks);
    const isOne = nearest.some((awayM) => Math.abs(awayM - Number(metres)) <= DISTANCE_M);
    if (!isOne) wrong.push(`${metres} m is none of ${nearest.map((m) => m.toFixed(2)).join(', ')}`);
  }
  const [, hit, instead] = /hit at (\d+) km\/h instead of (\d+) km\/h/.exec(explanation) ?? [];
  if (hit !== undefined && own !== undefined) {
    if (Math.abs(own.speed * 3.6 - Number(instead)) > 0.6) wrong.push(`was ${own.speed} m/s`);
    const before = frames.findLast(({ tick }) => tick < (contactTick ?? 0));
    const speed = before?.vehicles.find((vehicle) => vehicle.vin === vin)?.speed ?? Number.NaN;
    if (!(Math.abs(speed * 3.6 - Number(hit)) <= FRAME_KMH)) wrong.push(`hits at ${speed} m/s`);
  }
  const change = /changed speed by [\d.]+ km\/h instead of ([\d.]+) km\/h/.exec(explanation)?.[1];
  const changes = report.vehicles.map(({ delta_v }) => delta_v * 3.6);
  if (change !== undefined && !changes.some((kmh) => Math.abs(kmh - Number(change)) <= 0.1)) {
    wrong.push(`${change} km/h is none of ${changes.map((kmh) => kmh.toFixed(1)).join(', ')}`);
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
  const actors = frames[0]?.hazards.map((_, i) => i) ?? [];
  const all = [
    ...others.map((other) => least((frame) => bodyOf(frame, other.vin))),
    ...actors.map((i) => least(({ hazards }) => actorOf(hazards[i]))),
    ...blocks.map((block) => least(() => block)),
  ];
  return all.filter((awayM) => awayM < 100).sort((a, b) => a - b);
}

function actorOf(hazard: Frame['hazards'][number] | undefined): Polygon | undefined {
  if (!hazard?.active) return undefined;
  const { x, y, heading, length, width } = hazard;
  return boxCorners(x, y, Math.cos(heading), Math.sin(heading), length, width);
}
