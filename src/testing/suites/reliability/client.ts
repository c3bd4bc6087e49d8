import { expect } from 'vitest';
import { F_BRAKES, F_STEERING } from '../../../../assembly/layout.ts';
import type { Journal, World } from '../../../../build/api/twin.d.ts';
import { type Change, journalEntryOf } from '../../../twin/journal.ts';
import type { EventRecord, Incident } from '../../../twin/wire.ts';
import { parseWorldOptions } from '../../../twin/world-options.ts';
import { until } from '../../rigs/until.ts';

export type { World };

export interface Answer {
  status: number;
  /** Seconds; NaN without the header. */
  retryAfterS: number;
  text: string;
}

export interface Asking {
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT';
  vin?: string;
  body?: unknown;
  accept?: string;
}

/** The answer to one request, whatever its status. Rejects where the connection ended first. */
export async function ask(base: string, path: string, asking: Asking = {}): Promise<Answer> {
  const { method = 'GET', vin, body, accept } = asking;
  const headers: Record<string, string> = {};
  if (vin !== undefined) headers.Authorization = `VIN ${vin}`;
  if (accept !== undefined) headers.Accept = accept;
  const init = body === undefined ? { method, headers } : { method, headers, body: json(body) };
  const response = await fetch(`${base}${path}`, init);
  const retryAfterS = Number(response.headers.get('retry-after') ?? Number.NaN);
  return { status: response.status, retryAfterS, text: await response.text() };
}

function json(body: unknown): string {
  return JSON.stringify(body);
}

/** The body of an answer that must be a success. */
export async function read<Body>(base: string, path: string, asking: Asking = {}): Promise<Body> {
  const answer = await ask(base, path, asking);
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return JSON.parse(answer.text) as Body;
}

/** As `read`, asking again while the node refuses because it is busy. */
export async function readLate<Body>(base: string, path: string, asking?: Asking): Promise<Body> {
  return JSON.parse(await textLate(base, path, asking)) as Body;
}

async function textLate(base: string, path: string, asking?: Asking): Promise<string> {
  let text = '';
  await until(`an answer of ${path}`, async () => {
    const answer = await ask(base, path, asking);
    text = answer.text;
    if (answer.status >= 300) expectRefusal(answer);
    return answer.status < 300;
  });
  return text;
}

/** The only refusal allowed: a 503 with Retry-After. */
export function expectRefusal(answer: Answer): void {
  expect(answer.status, answer.text).toBe(503);
  expect(answer.retryAfterS).toBeGreaterThanOrEqual(1);
}

export function makeWorld(base: string, options: object = {}): Promise<World> {
  return read<World>(base, '/api/v1/worlds', { method: 'POST', body: options });
}

/** The city of worlds that are made from a journal. */
export const CITY = 'grid';

/** Every car without brakes and steering: collisions come by themselves. */
export const RECKLESS: readonly Change[] = Array.from({ length: 20 }, (_, car) => ({
  tick: 10 + car,
  car,
  touched: F_STEERING | F_BRAKES,
  values: 0,
}));

/** Makes a world at `tick`, with these changes in its past. */
export function makeLivedWorld(
  base: string,
  { seed, tick, changes = RECKLESS }: { seed: number; tick: number; changes?: readonly Change[] },
): Promise<World> {
  const journal = { seed, city: CITY, tick, changes: changes.map(journalEntryOf) };
  return makeWorld(base, { journal });
}

export function journalOf(base: string, { id }: { id: string }): Promise<Journal> {
  return readLate<Journal>(base, `/api/v1/worlds/${id}/journal`);
}

/** The changes of a journal as masks. */
export function changesOf(journal: Journal): Change[] {
  return parseWorldOptions({ journal }, [journal.city]).journal?.changes ?? [];
}

export function incidentsOf(base: string, { id }: { id: string }): Promise<Incident[]> {
  return readLate<Incident[]>(base, `/api/v1/worlds/${id}/incidents`);
}

export function eventsOf(base: string, { id }: { id: string }): Promise<EventRecord[]> {
  return readLate<EventRecord[]>(base, `/api/v1/worlds/${id}/events`);
}

/** A snapshot over REST, as it was sent. */
export function stateOf(base: string, { id }: { id: string }): Promise<string> {
  return textLate(base, `/api/v1/worlds/${id}/state`);
}

export function tickOf(snapshot: string): number {
  return Number(/"tick":(\d+)/.exec(snapshot)?.[1] ?? Number.NaN);
}
