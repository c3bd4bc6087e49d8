import { expect } from 'vitest';
import { F_BRAKES, F_STEERING } from '../../../../assembly/layout.ts';
import { type Change, journalEntryOf, unpackChanges } from '../../../twin/journal.ts';
import type { EventRecord, Incident } from '../../../twin/wire.ts';
import { parseWorldOptions } from '../../../twin/world-options.ts';
import { until } from '../../rigs/until.ts';
import { type Answer, Api, type Ask } from '../twin/api.ts';
import type { Journal, World } from '../twin/wire.ts';

export type { Answer, Ask, World };

/** The answer to one request, whatever its status. Rejects where the connection ended first. */
export function ask(base: string, path: string, asking: Ask = {}): Promise<Answer> {
  return new Api(base).ask(path, asking);
}

/** As `ask`, again while the node refuses because it is busy. */
export async function askLate(base: string, path: string, asking?: Ask): Promise<Answer> {
  return until(`an answer of ${path}`, async () => {
    const answer = await ask(base, path, asking);
    if (answer.status < 300) return answer;
    expectRefusal(answer);
    return undefined;
  });
}

/** The only refusal allowed: a 503 with Retry-After. */
export function expectRefusal(answer: Answer): void {
  expect(answer.status, answer.text).toBe(503);
  expect(retryAfterS(answer)).toBeGreaterThanOrEqual(1);
}

/** NaN without the header. */
export function retryAfterS({ headers }: Answer): number {
  return Number(headers.get('Retry-After') ?? Number.NaN);
}

export function makeWorld(base: string, options: object = {}): Promise<World> {
  return new Api(base).makeWorld(options);
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

/** Part of a world, once the node is not busy. */
async function partOf(base: string, { id }: { id: string }, part: string): Promise<Answer> {
  return askLate(base, `/api/v1/worlds/${id}/${part}`);
}

export async function journalOf(base: string, world: { id: string }): Promise<Journal> {
  return (await partOf(base, world, 'journal')).body as Journal;
}

/** The changes of a journal as masks. */
export function changesOf(journal: Journal): Change[] {
  const parsed = parseWorldOptions({ journal }, [journal.city]).journal;
  return parsed ? unpackChanges(parsed.changes) : [];
}

export async function incidentsOf(base: string, world: { id: string }): Promise<Incident[]> {
  return (await partOf(base, world, 'incidents')).body as Incident[];
}

export async function eventsOf(base: string, world: { id: string }): Promise<EventRecord[]> {
  return (await partOf(base, world, 'events')).body as EventRecord[];
}

/** A snapshot over REST, as it was sent. */
export async function stateOf(base: string, world: { id: string }): Promise<string> {
  return (await partOf(base, world, 'state')).text;
}

export function tickOf(snapshot: string): number {
  return Number(/"tick":(\d+)/.exec(snapshot)?.[1] ?? Number.NaN);
}
