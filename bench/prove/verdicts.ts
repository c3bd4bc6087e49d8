/** Reports of a running node checked from outside: by worlds of their own and by their replays. */
import { setTimeout as sleep } from 'node:timers/promises';
import { F_ALL } from '../../assembly/layout.ts';
import { startNode } from '../../load/server.ts';
import { CITIES } from '../../src/city/catalogue.ts';
import { boxCorners, type Polygon } from '../../src/shard/separation.ts';
import { namesOf } from '../../src/twin/catalogue.ts';
import { severalOff } from './attribution.ts';
import { ground } from './ground.ts';
import {
  agrees,
  isShown,
  type Parties,
  type Played,
  partiesOf,
  type Report,
  wrongFigures,
} from './verdict-check.ts';

const INCIDENTS_MAX = 200;
/** So many incidents at this size, growing with its root. */
const KM = 20_000;
/** Three minutes. */
const WORLD_TICKS = 9000;
const CHAIN_TICKS = 100;
/** Of one world at most, so that there are many. */
const INCIDENTS_PER_WORLD = 10;
const WORLDS_MAX = 400;
/** Ticks before a collision at which a feature may come on. */
const LEADS = [800, 700, 600, 500, 400, 300, 200];
const ASK_MS = 200;
const PROGRESS_MS = 10_000;
const ACCOUNTS_MAX = 40;

export interface Verdicts {
  wanted: number;
  worlds: number;
  incidents: number;
  /** Re-runs in worlds of their own. */
  reruns: number;
  /** Of which these came to another verdict than the report. */
  otherVerdicts: number;
  sentences: number;
  wrongSentences: number;
  accounts: string[];
}

interface World {
  id: string;
  fleet: string[];
}

interface Journal {
  seed: number;
  city: string;
  changes: { tick: number; car: number; features: Record<string, boolean> }[];
}

class Client {
  readonly #url: URL;

  constructor(url: URL) {
    this.#url = url;
  }

  async get<Body>(path: string): Promise<Body> {
    return this.#body(await fetch(new URL(path, this.#url)));
  }

  async make(journal: Journal, startTick: number): Promise<World> {
    const body = JSON.stringify({ journal, start_tick: startTick });
    const headers = { 'Content-Type': 'application/json' };
    const url = new URL('/api/v1/worlds', this.#url);
    const { id, fleet } = await this.#body<{ id: string; fleet: { vin: string }[] }>(
      await fetch(url, { method: 'POST', body, headers }),
    );
    return { id, fleet: fleet.map(({ vin }) => vin) };
  }

  async #body<Body>(response: Response): Promise<Body> {
    if (!response.ok) throw new Error(`${response.url}: ${response.status}`);
    return (await response.json()) as Body;
  }
}

/** Checks explained incidents of worlds with several features off, others on each car. */
export async function runVerdicts({ seed, km }: { seed: number; km: number }): Promise<Verdicts> {
  const wanted = Math.min(INCIDENTS_MAX, Math.ceil(INCIDENTS_MAX * Math.sqrt(km / KM)));
  const counts = { worlds: 0, incidents: 0, reruns: 0, otherVerdicts: 0 };
  const all: Verdicts = { wanted, ...counts, sentences: 0, wrongSentences: 0, accounts: [] };
  const server = await startNode();
  const startMs = performance.now();
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - startMs) / 1000);
    console.log(
      `verdicts ${seconds} s: ${all.incidents} of ${wanted} incidents, ${all.reruns} re-runs`,
    );
  }, PROGRESS_MS);
  try {
    const client = new Client(server.url);
    while (all.incidents < wanted && all.worlds < WORLDS_MAX) {
      await checkWorld(client, seed + all.worlds, all);
      all.worlds += 1;
    }
  } finally {
    clearInterval(timer);
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
  const reports = (await explained(client, world)).filter(({ failures }) => failures.length > 0);
  const journal = await client.get<Journal>(`/api/v1/worlds/${world.id}/journal`);
  const { blocks } = await client.get<{ blocks: { polygon: [number, number][] }[] }>(
    `/api/v1/worlds/${world.id}/map`,
  );
  const polygons = [...blocks.map(({ polygon }): Polygon => polygon.flat()), ...standing(city)];
  const step = Math.max(1, Math.floor(reports.length / INCIDENTS_PER_WORLD));
  const some = reports.filter((_, i) => i % step === 0).slice(0, INCIDENTS_PER_WORLD);
  for (const report of some) {
    if (all.incidents === all.wanted) return;
    all.incidents += 1;
    const what = `${city} seed ${seed} ${report.id}`;
    await checkVerdict(client, { world, journal, report, what }, all);
    await checkSentences(client, { world, report, what, polygons }, all);
  }
}

/** What stands at the spots of a city, parked cars above all, is no part of its map. */
function standing(name: string): Polygon[] {
  const city = ground().cities.find((each) => each.name === name);
  const bodies = city?.hazards.flatMap(({ site }) => site.bodies) ?? [];
  return bodies.map(({ x, y, heading: [hx, hy], lengthM, widthM }) =>
    boxCorners(x, y, hx, hy, lengthM, widthM),
  );
}

/** What was over when the world began, once all of it is explained. */
async function explained(client: Client, { id }: World): Promise<Report[]> {
  for (;;) {
    const all = await client.get<Report[]>(`/api/v1/worlds/${id}/incidents`);
    const past = all.filter(({ tick }) => tick <= WORLD_TICKS - 3 * CHAIN_TICKS);
    if (past.every((report) => report.explained)) return past;
    await sleep(ASK_MS);
  }
}

interface Case {
  world: World;
  report: Report;
  what: string;
}

function note(all: Verdicts, account: string): void {
  if (all.accounts.length < ACCOUNTS_MAX) all.accounts.push(account);
}

/** Lives the journal in worlds of their own, with the first set of the report on in time. */
async function checkVerdict(
  client: Client,
  { world, journal, report, what }: Case & { journal: Journal },
  all: Verdicts,
): Promise<void> {
  const [first] = report.failures;
  if (first === undefined) return;
  const set = report.failures.filter((failure) => failure.set === first.set);
  const was = partiesOf(report, world.fleet);
  const until = report.tick + CHAIN_TICKS;
  const shown: boolean[] = [];
  for (const lead of LEADS) {
    const from = Math.max(0, report.tick - lead);
    const on = set.map(({ vin, feature }) => ({
      tick: from + 1,
      car: world.fleet.indexOf(vin),
      features: { [feature]: true },
    }));
    const other = await client.make({ ...journal, changes: [...journal.changes, ...on] }, until);
    const reports = await client.get<Report[]>(`/api/v1/worlds/${other.id}/incidents`);
    const then = reports
      .filter(({ tick }) => tick > from && tick <= until)
      .map((each): Parties => partiesOf(each, other.fleet));
    shown.push(isShown(first.effect, was, then));
    all.reruns += 1;
    if (agrees(shown)) return;
  }
  all.otherVerdicts += 1;
  note(all, `${what}: ${set.map(({ feature }) => feature).join(', ')} ${first.effect}, not again`);
}

/** Compares the figures of each sentence with the report and the replay. */
async function checkSentences(
  client: Client,
  { world, report, what, polygons }: Case & { polygons: readonly Polygon[] },
  all: Verdicts,
): Promise<void> {
  for (const failure of report.failures) {
    const members = report.failures.filter(({ set }) => set === failure.set);
    // A replay switches a feature on for all who had it off: only for one car that is the same.
    if (report.vehicles.length > 1) continue;
    const features = members.map(({ feature }) => feature).join(',');
    const path = `/api/v1/worlds/${world.id}/incidents/${report.id}/replay?with=${features}`;
    const played = await client.get<Played>(path);
    all.sentences += 1;
    const wrong = wrongFigures(report, failure, played, polygons);
    if (wrong.length === 0) continue;
    all.wrongSentences += 1;
    note(all, `${what}: "${failure.explanation}" but ${wrong.join('; ')}`);
  }
}
