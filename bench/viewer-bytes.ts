/** What the viewer loads with a cold cache: until the first car is drawn, and until its world lives. */
import type { BrowserContext, Request } from 'playwright-core';
import { CITIES } from '../src/city/catalogue.ts';
import { systemTime } from '../src/time.ts';
import { type Figure, figure } from './common/figures.ts';

const KIB = 1024;
const UNTIL_FIRST_KIB_MAX = 350;
const ALL_KIB_MAX = 700;
const POLL_MS = 20;
/** The last requests end in this time. */
const SETTLED_MS = 2000;

/** Since 1970, by the page's own mark. */
const FIRST_CARS_MS = `performance.timeOrigin + performance.getEntriesByName('first cars')[0].startTime`;

interface Loaded {
  untilFirstKiB: number;
  allKiB: number;
}

/** Of the city that needs most. */
export async function bytesLoaded(
  origin: string,
  visit: () => Promise<BrowserContext>,
): Promise<Figure[]> {
  const loaded: (Loaded & { city: string })[] = [];
  for (const { name: city } of CITIES) {
    const context = await visit();
    loaded.push({ city, ...(await loadedFor(origin, city, context)) });
    await context.close();
  }
  const most = (of: (each: Loaded) => number) => loaded.toSorted((a, b) => of(b) - of(a))[0];
  const [first, all] = [most((each) => each.untilFirstKiB), most((each) => each.allKiB)];
  return [
    figure(`loaded until the first car, ${first?.city}`, first?.untilFirstKiB ?? 0, 'KiB', {
      atMost: UNTIL_FIRST_KIB_MAX,
    }),
    figure(`loaded in all, ${all?.city}`, all?.allKiB ?? 0, 'KiB', { atMost: ALL_KIB_MAX }),
  ];
}

async function loadedFor(origin: string, city: string, context: BrowserContext): Promise<Loaded> {
  const body = JSON.stringify({ city });
  const made = await fetch(`${origin}/api/v1/worlds`, { method: 'POST', body });
  const { viewer_url: url } = (await made.json()) as { viewer_url: string };
  // Where requests are intercepted, the browser has no cache.
  await context.unroute('**/*');
  const ended: Request[] = [];
  context.on('requestfinished', (request) => void ended.push(request));
  const page = await context.newPage();
  await page.goto(url);
  const until = async (condition: string) => {
    while (!(await page.evaluate(condition))) {
      await systemTime.sleep(POLL_MS);
    }
  };
  await until(`typeof viewer === 'object' && viewer.source === 'life'`);
  await systemTime.sleep(SETTLED_MS);
  const firstCarsMs = Number(await page.evaluate(FIRST_CARS_MS));
  const first = ended.filter((request) => endMs(request) <= firstCarsMs);
  return { untilFirstKiB: await kiBOf(first), allKiB: await kiBOf(ended) };
}

function endMs(request: Request): number {
  const { startTime, responseEnd } = request.timing();
  return startTime + responseEnd;
}

async function kiBOf(requests: readonly Request[]): Promise<number> {
  const bytes = new Map<string, number>();
  for (const each of requests) {
    // What is asked for again comes from the cache.
    bytes.set(each.url(), Math.max(await bytesOf(each), bytes.get(each.url()) ?? 0));
  }
  return [...bytes.values()].reduce((sum, each) => sum + each, 0) / KIB;
}

/** The browser does not tell how many bytes of a worker's script it has received. */
async function bytesOf(request: Request): Promise<number> {
  const length = await (await request.response())?.headerValue('content-length');
  return Number(length ?? (await request.sizes()).responseBodySize);
}
