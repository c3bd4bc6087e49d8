/** What first visits to fresh cities come to, pressing only what the page offers. */

import type { BrowserContextOptions, Page } from 'playwright-core';
import { CITIES } from '../src/city/catalogue.ts';
import { openBrowser, type TestBrowser } from '../src/testing/rigs/browser.ts';
import { systemTime } from '../src/time.ts';
import { type Figure, figure } from './common/figures.ts';
import { parseOptions } from './common/options.ts';
import { median } from './common/report.ts';
import { type Server, startNode } from './common/server.ts';

const SIZES: Readonly<Record<string, BrowserContextOptions>> = {
  desktop: { viewport: { width: 1440, height: 900 } },
  phone: { viewport: { width: 390, height: 844 } },
};
/** From the button until something has come of it, and from then until it is explained. */
const CONSEQUENCE_S_MAX = 60;
const EXPLAINED_S_MAX = 10;
/** Of the visits of a city at a size. */
const SUCCESSFUL_PART_MIN = 0.9;
const START_TICK_MAX = 6000;
const POLL_MS = 200;
const PATIENCE_MS = 60_000;

/** Who looks at the panels alone has them as soon as on a computer with graphics. */
const NO_GRAPHICS = `
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
    return kind.startsWith('webgl') ? null : getContext.call(this, kind, ...rest);
  };
`;

const OPTIONS = {
  visits: { fallback: 20, min: 1, max: 1000, help: 'visits of each city at each size' },
  seed: { fallback: 1, min: 0, max: 4_000_000_000, help: 'of the first city' },
  together: { fallback: 4, min: 1, max: 20, help: 'visits at a time' },
};

interface Visit {
  city: string;
  size: string;
  seed: number;
}

interface Outcome extends Visit {
  /** Undefined: nothing came of it, or it was not explained. */
  consequenceS: number | undefined;
  explainedS: number | undefined;
  /** What was switched off, and what came of it. */
  story: string;
}

export async function run(args: string[]): Promise<Figure[]> {
  const { visits, seed, together } = parseOptions(OPTIONS, args);
  console.log(`first seed ${seed}`);
  const planned = CITIES.flatMap(({ name: city }) =>
    Object.keys(SIZES).flatMap((size) =>
      Array.from({ length: visits }, (_, i): Visit => ({ city, size, seed: seed + i })),
    ),
  );
  const node = await startNode();
  const browser = await openBrowser(node.url.origin, { hasWebGL: false });
  const outcomes: Outcome[] = [];
  try {
    const visitor = async () => {
      for (let next = planned.shift(); next !== undefined; next = planned.shift()) {
        const outcome = await visitOnce(node, browser, next);
        outcomes.push(outcome);
        console.log(lineOf(outcome));
      }
    };
    await Promise.all(Array.from({ length: together }, visitor));
  } finally {
    await browser.close();
    await node.stop();
  }
  return CITIES.flatMap(({ name: city }) =>
    Object.keys(SIZES).flatMap((size) =>
      figuresOf(
        `${city}, ${size}`,
        visits,
        outcomes.filter((each) => each.city === city && each.size === size),
      ),
    ),
  );
}

function lineOf({ city, size, seed, story, consequenceS, explainedS }: Outcome): string {
  const times = [consequenceS, explainedS].map((each) => each?.toFixed(1) ?? '–').join(' + ');
  return `${city} seed ${seed}, ${size}: ${times} s, ${story}`;
}

const isSuccess = ({ consequenceS, explainedS }: Outcome): boolean =>
  consequenceS !== undefined &&
  consequenceS <= CONSEQUENCE_S_MAX &&
  explainedS !== undefined &&
  explainedS <= EXPLAINED_S_MAX;

function figuresOf(what: string, visits: number, outcomes: readonly Outcome[]): Figure[] {
  const successful = outcomes.filter(isSuccess);
  const times = successful.map(({ consequenceS }) => consequenceS ?? 0);
  const atLeast = Math.ceil(SUCCESSFUL_PART_MIN * visits);
  return [
    figure(`${what}: visits that saw what a feature is for`, successful.length, 'visits', {
      atLeast,
    }),
    ...(times.length > 0
      ? [figure(`${what}: from the button to the consequence`, median(times), 's')]
      : []),
  ];
}

async function visitOnce(node: Server, browser: TestBrowser, visit: Visit): Promise<Outcome> {
  const id = await makeWorld(node, visit);
  const context = await browser.visit(SIZES[visit.size]);
  await context.addInitScript(NO_GRAPHICS);
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(`${node.url.origin}/worlds/${id}`);
    return { ...visit, ...(await demonstrate(page)) };
  } catch (error) {
    const story = `failed: ${error instanceof Error ? error.message.split('\n', 1)[0] : error}`;
    return { ...visit, consequenceS: undefined, explainedS: undefined, story };
  } finally {
    await context.close();
  }
}

async function makeWorld({ url }: Server, { city, seed }: Visit): Promise<string> {
  const answer = await fetch(`${url.origin}/api/v1/worlds`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ city, seed, start_tick: (seed * 37) % START_TICK_MAX }),
  });
  if (!answer.ok)
    throw new Error(`the node makes no world: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { id: string }).id;
}

/** Presses what is offered, and waits for what comes of it. */
async function demonstrate(page: Page): Promise<Omit<Outcome, keyof Visit>> {
  const card = page.locator('.demonstration');
  await card.getByRole('button', { name: 'Show me' }).click();
  const startMs = systemTime.now();
  const secondsSince = (fromMs: number) => (systemTime.now() - fromMs) / 1000;
  const off = card.getByRole('button', { name: /^Switch off / });
  const story = `${await off.innerText()}: ${await card.getByRole('heading').innerText()}`;
  await off.click();
  const last = CONSEQUENCE_S_MAX + EXPLAINED_S_MAX;
  while (secondsSince(startMs) < last) {
    await systemTime.sleep(POLL_MS);
    const phase = await page.evaluate('viewer.demonstration');
    const isReport = (await page.evaluate('viewer.replay')) !== null;
    if (phase === 'told' || isReport) {
      const consequenceS = secondsSince(startMs);
      const cameMs = systemTime.now();
      // An event says itself what it came of; a report once its re-runs are done.
      if (phase !== 'told') await explained(page);
      return { consequenceS, explainedS: secondsSince(cameMs), story };
    }
    if (phase === 'nothing' || phase === 'failed') break;
  }
  return {
    consequenceS: undefined,
    explainedS: undefined,
    story: `${story}, and nothing came of it`,
  };
}

/** Waits for an explanation in the report. */
async function explained(page: Page): Promise<void> {
  const report = page.getByRole('region', { name: 'What would have prevented or reduced it' });
  await report.getByRole('button').or(report.getByText('Nothing that was')).first().waitFor();
}
