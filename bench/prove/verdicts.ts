/** Checks reports of a running node through its interface: by re-runs in new worlds and by replays. */

import { isDeepStrictEqual } from 'node:util';
import { F_ALL } from '../../assembly/layout.ts';
import type * as Published from '../../build/api/twin.d.ts';
import { CITIES } from '../../src/city/catalogue.ts';
import { boxCorners, type Polygon } from '../../src/shard/counterfactual/separation.ts';
import { recomputed } from '../../src/testing/rigs/recomputed-report.ts';
import { systemTime } from '../../src/time.ts';
import { namesOf } from '../../src/twin/catalogue.ts';
import { progress } from '../common/progress.ts';
import { startNode } from '../common/server.ts';
import { severalOff } from './attribution.ts';
import { ground } from './ground.ts';
import {
  agrees,
  describes,
  type Failure,
  type Fleet,
  isAlwaysJoined,
  isReplayed,
  isShown,
  metTick,
  type Parties,
  partiesOf,
  setsOf,
  wrongPast,
  wrongReplay,
} from './verdict-check.ts';

const INCIDENTS_MAX = 200;
/** `INCIDENTS_MAX` are for this size; fewer for smaller ones, by the square root. */
const KM = 20_000;
/** Three minutes. */
const WORLD_TICKS = 9000;
const CHAIN_TICKS = 100;
/** A crash pulse that begins with the last of these contacts ends so much later. */
const PULSE_TICKS = 10;
/** Limits the incidents of one world, so that there are many worlds. */
const INCIDENTS_PER_WORLD = 10;
const WORLDS_MAX = 400;
/** Ticks before a collision at which a feature comes on. */
const LEADS = [800, 700, 600, 500, 400, 300, 200, 150, 125, 100, 75];
const ASK_MS = 200;
/** Attempts of a request that a busy node refuses. */
const ATTEMPTS_MAX = 10;
const ACCOUNTS_MAX = 40;

/** Counts over the checked reports. @param wanted incidents */
const noVerdicts = (wanted: number) => ({
  wanted,
  worlds: 0,
  incidents: 0,
  /** Sets of features that the reports name. */
  sets: 0,
  /** Re-runs in new worlds. */
  reruns: 0,
  /** Sets with another verdict than the report. */
  otherVerdicts: 0,
  sentences: 0,
  /** Sentences compared with a replay of exactly their set, and with a re-run. */
  replayed: 0,
  rerun: 0,
  /** Incidents that a set makes milder; those of them that are left out, as another car always joins. */
  milder: 0,
  joined: 0,
  wrongSentences: 0,
  /** Reports whose points, risk, severity and cost were computed anew, and those that say something else. */
  recomputed: 0,
  otherPoints: 0,
  accounts: [] as string[],
});

export type Verdicts = ReturnType<typeof noVerdicts>;

type World = Pick<Published.World, 'id' | 'fleet'>;

type Journal = Pick<Published.Journal, 'seed' | 'city' | 'changes'>;

class Client {
  readonly #url: URL;

  constructor(url: URL) {
    this.#url = url;
  }

  async make(journal: Journal, startTick: number): Promise<World> {
    const options = { journal, start_tick: startTick };
    return this.ask<Published.World>('/api/v1/worlds', options);
  }

  /** A GET, or a POST of `json`. Asks again where a busy node answers 503 with Retry-After. */
  async ask<Body>(path: string, json?: object): Promise<Body> {
    const url = new URL(path, this.#url);
    const headers = { 'Content-Type': 'application/json' };
    const post = { method: 'POST', body: JSON.stringify(json), headers };
    for (let attempt = 1; ; attempt++) {
      const response = await fetch(url, json && post);
      if (response.ok) return (await response.json()) as Body;
      if (response.status !== 503 || attempt === ATTEMPTS_MAX) {
        throw new Error(`${response.url}: ${response.status}`);
      }
      await systemTime.sleep(Number(response.headers.get('retry-after') ?? 1) * 1000);
    }
  }
}

/** Checks explained incidents of worlds with several features off, others on each car. */
export async function runVerdicts({ seed, km }: { seed: number; km: number }): Promise<Verdicts> {
  const wanted = Math.min(INCIDENTS_MAX, Math.ceil(INCIDENTS_MAX * Math.sqrt(km / KM)));
  const all = noVerdicts(wanted);
  const server = await startNode();
  const stopProgress = progress(
    () => `verdicts: ${all.incidents} of ${wanted} incidents, ${all.reruns} re-runs`,
  );
  try {
    const client = new Client(server.url);
    while (all.incidents < wanted && all.worlds < WORLDS_MAX) {
      await checkWorld(client, seed + all.worlds, all);
      all.worlds += 1;
    }
  } finally {
    stopProgress();
    await server.stop();
  }
  return all;
}

async function checkWorld(client: Client, seed: number, all: Verdicts): Promise<void> {
  const changes = severalOff(seed).map((mask, car) => ({
    tick: 1,
    car,
    features: Object.fromEntries(namesOf(F_ALL & ~mask).map((name) => [name, false])),
  }));
  const city = CITIES[seed % CITIES.length]?.name ?? '';
  const world = await client.make({ seed, city, changes }, WORLD_TICKS);
  const everyReport = await explained(client, world);
  for (const report of everyReport) recompute(report, `${city} seed ${seed} ${report.id}`, all);
  const reports = everyReport.filter(({ failures }) => failures.length > 0);
  const journal = await client.ask<Journal>(`/api/v1/worlds/${world.id}/journal`);
  const { blocks } = await client.ask<Published.CityMap>(`/api/v1/worlds/${world.id}/map`);
  const polygons = [...blocks.map(({ polygon }): Polygon => polygon.flat()), ...spotBodies(city)];
  const step = Math.max(1, Math.floor(reports.length / INCIDENTS_PER_WORLD));
  const some = reports.filter((_, i) => i % step === 0).slice(0, INCIDENTS_PER_WORLD);
  for (const report of some) {
    if (all.incidents === all.wanted) return;
    const what = `${city} seed ${seed} ${report.id}`;
    await checkReport(client, { world, journal, polygons, report, what }, all);
  }
}

async function checkReport(client: Client, of: Omit<Case, 'set'>, all: Verdicts): Promise<void> {
  all.incidents += 1;
  let isJoined = false;
  for (const set of setsOf(of.report)) {
    all.sets += 1;
    const each = { ...of, set };
    const happened = await checkVerdict(client, each, all);
    if (await checkSentences(client, each, happened, all)) isJoined = true;
  }
  if (of.report.failures.some(({ effect }) => effect === 'mitigates')) all.milder += 1;
  if (isJoined) all.joined += 1;
}

/** Computes what a report has earned from what it shows. */
function recompute(report: Published.Incident, what: string, all: Verdicts): void {
  const earned = recomputed(report);
  all.recomputed += 1;
  if (isDeepStrictEqual(earned, report.earned)) return;
  all.otherPoints += 1;
  note(
    all,
    `${what}: ${JSON.stringify(report.earned)}, but ${JSON.stringify(earned)} from what it shows`,
  );
}

/** Bodies at hazard spots, such as parked cars, which the map lacks. */
function spotBodies(name: string): Polygon[] {
  const city = ground().cities.find((each) => each.name === name);
  const bodies = city?.hazards.flatMap(({ site }) => site.bodies) ?? [];
  return bodies.map(({ x, y, heading: [hx, hy], lengthM, widthM }) =>
    boxCorners(x, y, hx, hy, lengthM, widthM),
  );
}

/** Reports of incidents that were over when the world began; waits until all are explained. */
async function explained(client: Client, { id }: World): Promise<readonly Published.Incident[]> {
  for (;;) {
    const all = await client.ask<Published.Incidents>(`/api/v1/worlds/${id}/incidents`);
    const past = all.filter(({ tick }) => tick <= WORLD_TICKS - 3 * CHAIN_TICKS);
    if (past.every((report) => report.explained)) return past;
    await systemTime.sleep(ASK_MS);
  }
}

interface Case {
  world: World;
  journal: Journal;
  /** What stands in the city. */
  polygons: readonly Polygon[];
  report: Published.Incident;
  /** Failures of the report that belong together. */
  set: readonly Failure[];
  what: string;
}

function note(all: Verdicts, account: string): void {
  if (all.accounts.length < ACCOUNTS_MAX) all.accounts.push(account);
}

/** Runs the journal in new worlds with the set on in time; returns the collisions there. */
async function checkVerdict(client: Client, of: Case, all: Verdicts): Promise<Parties[]> {
  const { world, report, set, what } = of;
  const { effect } = set[0] ?? { effect: 'avoids' };
  const was = partiesOf(report, world.fleet);
  const shown: boolean[] = [];
  const happened: Parties[] = [];
  const isDescribed = ({ vin, explanation }: Failure): boolean =>
    happened.some((now) => describes(explanation, carOf(vin, world.fleet), was, now));
  for (const lead of LEADS) {
    const then = await rerunWith(client, of, lead);
    shown.push(isShown(effect, was, then));
    happened.push(...then);
    all.reruns += 1;
    // A milder collision counts only once it is the one that the sentences describe.
    if (agrees(shown) && (effect === 'avoids' || set.every(isDescribed))) break;
  }
  if (!agrees(shown)) {
    all.otherVerdicts += 1;
    note(all, `${what}: ${set.map(({ feature }) => feature).join(', ')} ${effect}, not confirmed`);
  }
  return happened;
}

const carOf = (vin: string, fleet: Fleet): number => fleet.findIndex((entry) => entry.vin === vin);

/** Collisions near the time of a report in a world with the set on from `lead` ticks before. */
async function rerunWith(
  client: Client,
  { world, journal, report, set }: Case,
  lead: number,
): Promise<Parties[]> {
  const from = Math.max(0, report.tick - lead);
  const until = report.tick + CHAIN_TICKS;
  const worldUntil = until + PULSE_TICKS;
  const on = set.map(({ vin, feature }) => ({
    tick: from + 1,
    car: carOf(vin, world.fleet),
    features: { [feature]: true },
  }));
  const other = await client.make({ ...journal, changes: [...journal.changes, ...on] }, worldUntil);
  const reports = await client.ask<Published.Incidents>(`/api/v1/worlds/${other.id}/incidents`);
  const events = await client.ask<Published.Events>(`/api/v1/worlds/${other.id}/events`);
  return reports
    .filter(({ tick }) => tick > from && tick <= until)
    .map((each) => partiesOf(each, other.fleet, events));
}

/**
 * Compares the figures of each sentence with the report, the replay and collisions of re-runs;
 * returns whether one was not compared with re-runs because another car joins all of them.
 */
async function checkSentences(
  client: Client,
  { world, report, set, what, polygons }: Case,
  happened: readonly Parties[],
  all: Verdicts,
): Promise<boolean> {
  const features = [...new Set(set.map(({ feature }) => feature))].join(',');
  const path = `/api/v1/worlds/${world.id}/incidents/${report.id}/replay?with=${features}`;
  const played = isReplayed(report, set) ? await client.ask<Published.Replay>(path) : undefined;
  const was = partiesOf(report, world.fleet);
  // The re-run that the replay shows is the one that the sentences are about.
  const contactTick = played?.contact_tick ?? null;
  const replayed = happened.filter((now) => metTick(was, now) === contactTick);
  const compared = replayed.length > 0 ? replayed : happened;
  const hasJoined = isAlwaysJoined(was, compared);
  let isLeftOut = false;
  for (const failure of set) {
    const { vin, effect, explanation } = failure;
    const wrong = wrongPast(report, failure);
    if (played) wrong.push(...wrongReplay(report, failure, played, polygons));
    const car = carOf(vin, world.fleet);
    if (effect === 'mitigates') {
      const isShownAgain = compared.some((now) => describes(explanation, car, was, now));
      if (isShownAgain || !hasJoined) all.rerun += 1;
      else isLeftOut = true;
      if (!isShownAgain && !hasJoined) wrong.push('no re-run shows that');
    }
    all.sentences += 1;
    if (played) all.replayed += 1;
    if (wrong.length === 0) continue;
    all.wrongSentences += 1;
    note(all, `${what}: "${explanation}" but ${wrong.join('; ')}`);
  }
  return isLeftOut;
}
