/** Figures and names as text for people. */
import { KMH_PER_MPS } from '../common/units.ts';
import { type Effective, type Feature, type FleetEntry, TICKS_PER_S } from './api/types.ts';

const SHORT: Readonly<Record<string, string>> = { aeb: 'AEB', esc: 'ESC' };

/** The name of a feature or a kind: `front_camera` is “Front camera”, `aeb` “AEB”. */
export function title(name: string): string {
  return capitalised(inSentence(name));
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The same inside a sentence. */
export function inSentence(name: string): string {
  return SHORT[name] ?? name.replaceAll('_', ' ');
}

/** Feature names of the API inside a message. */
const WRITTEN_NAME = /\b(?:[a-z]+(?:_[a-z]+)+|aeb|esc)\b/g;

/** The id of a hazard spot in a message: nobody sees it anywhere else. */
const SPOT_ID = / \(h\d+\)/g;

/** A message of the twin as a sentence, with the names of features in plain words. */
export function sentence(text: string): string {
  return capitalised(text.replace(SPOT_ID, '').replace(WRITTEN_NAME, inSentence));
}

/** “a”, “a and b”, “a, b and c”. */
export function joinWords(names: readonly string[], word = 'and'): string {
  const last = names.at(-1) ?? '';
  if (names.length < 2) return last;
  return `${names.slice(0, -1).join(', ')} ${word} ${last}`;
}

export function kmh(mps: number): string {
  return `${Math.round(mps * KMH_PER_MPS)} km/h`;
}

/** “0:19.9”, “1:02:03.4”: the age of the world at a moment. */
export function formatClock(seconds: number): string {
  const tenths = Math.floor(seconds * 10 + 1e-6);
  const [hours, minutes] = [Math.floor(tenths / 36_000), Math.floor(tenths / 600) % 60];
  const rest = `${String(Math.floor(tenths / 10) % 60).padStart(2, '0')}.${tenths % 10}`;
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`;
}

/** “1.2 s before the contact”. */
export function relativeToContact(tick: number, contactTick: number): string {
  const seconds = (tick - contactTick) / TICKS_PER_S;
  const figure = Math.abs(seconds).toFixed(1);
  if (figure === '0.0') return 'at the contact';
  return `${figure} s ${seconds < 0 ? 'before' : 'after'} the contact`;
}

const UNITS: readonly (readonly [seconds: number, short: string, name: string])[] = [
  [86_400, 'd', 'day'],
  [3600, 'h', 'hour'],
  [60, 'min', 'minute'],
  [1, 's', 'second'],
];

/** The two largest units of a time: “12 min 4 s”; `isSpoken`: “12 minutes 4 seconds”. */
export function duration(seconds: number, isSpoken = false): string {
  const whole = Math.max(0, Math.round(seconds));
  const largest = UNITS.findIndex(([unit]) => whole >= unit);
  const [first, second] = UNITS.slice(largest < 0 ? -1 : largest);
  if (first === undefined) return '';
  const [unit] = first;
  const count = Math.floor(whole / unit);
  const rest = second === undefined ? 0 : Math.floor((whole % unit) / second[0]);
  const words = (figure: number, [, short, name]: (typeof UNITS)[number]) =>
    isSpoken ? `${figure} ${name}${figure === 1 ? '' : 's'}` : `${figure} ${short}`;
  return second === undefined || rest === 0
    ? words(count, first)
    : `${words(count, first)} ${words(rest, second)}`;
}

/** “12 min 4 s ago”. */
export function ago(ticks: number, isSpoken = false): string {
  return `${duration(ticks / TICKS_PER_S, isSpoken)} ago`;
}

/** With a number of digits after the point, and without the sign of a zero. */
export function fixed(value: number, digits: number): string {
  return value.toFixed(digits).replace(/^-(0\.?0*)$/, '$1');
}

export function percent(part: number): string {
  const figure = part * 100;
  return `${figure < 10 ? figure.toFixed(1) : Math.round(figure)} %`;
}

export function formatInteger(value: number): string {
  return Math.round(value).toLocaleString('en-GB');
}

/** “Aurora Vela (NK 090 XG)”. */
export function carName({ model, plate }: Pick<FleetEntry, 'model' | 'plate'>): string {
  return `${model} (${plate})`;
}

/** The needs of a feature as a sentence; empty where it has none. */
export function needsText({ needs: list }: Pick<Feature, 'needs'>): string {
  if (list.length === 0) return '';
  const parts = list.map((need) =>
    typeof need === 'string' ? inSentence(need) : joinWords(need.map(inSentence), 'or'),
  );
  return `Needs ${joinWords(parts)}.`;
}

/** Why a feature is degraded; empty where it is not. */
export function missingText(effective: Effective | undefined, missing: readonly string[]): string {
  return effective === 'degraded' ? `Lacks ${joinWords(missing.map(inSentence))}` : '';
}

/** Whether plate, model or VIN contain the search text; spaces, hyphens and case are ignored. */
export function matchesSearch(car: FleetEntry, search: string): boolean {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[\s-]/g, '');
  const wanted = plain(search);
  return [car.plate, car.model, car.vin].some((text) => plain(text).includes(wanted));
}
