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
  const ended: Request[] = [];
  context.on('requestfinished', (request) => void ended.push(request));
  const page = await context.newPage();
  await page.goto(url);
  const until = async (condition: string) => {
    while (!(await page.evaluate(`typeof viewer === 'object' && ${condition}`))) {
      await systemTime.sleep(POLL_MS);
    }
  };
  await until('viewer.drawn > 0');
  const first = [...ended];
  await until(`viewer.source === 'life'`);
  await systemTime.sleep(SETTLED_MS);
  return { untilFirstKiB: await kiBOf(first), allKiB: await kiBOf(ended) };
}

async function kiBOf(requests: readonly Request[]): Promise<number> {
  const sizes = await Promise.all(requests.map((request) => request.sizes()));
  return sizes.reduce((sum, each) => sum + each.responseBodySize, 0) / KIB;
}
