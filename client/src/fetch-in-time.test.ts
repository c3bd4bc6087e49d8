import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fetchJournal } from './earlier-past.ts';
import { fetchAssets } from './fetch-assets.ts';
import { isWorldGone } from './frame-stream.ts';
import { TwinAddress } from './twin-address.ts';

const ADDRESS = new TwinAddress({ id: 'w', stream_url: 'ws://node.test/ws/worlds/w' });
const NAMES = ['kernel', 'frames', 'table', 'car_types'] as const;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** A node that takes each request and never answers, or never ends its answer. */
function hang(at: 'answer' | 'content', isSignalLost: boolean): AbortSignal[] {
  const signals: AbortSignal[] = [];
  vi.stubGlobal('fetch', async (_: string, { signal }: { signal: AbortSignal }) => {
    signals.push(signal);
    const never = new Promise<never>((_, reject) => {
      if (!isSignalLost) signal.addEventListener('abort', () => reject(signal.reason));
    });
    if (at === 'answer') return never;
    return new Response(new ReadableStream({ pull: () => never }));
  });
  return signals;
}

const asked = {
  assets: (at: string) => {
    const assets = Object.fromEntries(NAMES.map((name) => [name, `/${at}/${name}.bin`]));
    return fetchAssets(ADDRESS, { assets: assets as Record<(typeof NAMES)[number], string> });
  },
  journal: () => fetchJournal(ADDRESS),
  'whether it is gone': () => isWorldGone(ADDRESS),
};

test.each([
  ['assets', 'answer'],
  ['assets', 'content'],
  ['journal', 'answer'],
  ['journal', 'content'],
  ['whether it is gone', 'answer'],
] as const)('the %s of a world is given up if its %s does not come in time', async (what, at) => {
  for (const isSignalLost of [false, true]) {
    const signals = hang(at, isSignalLost);
    let outcome: unknown;
    asked[what](`${at}-${isSignalLost}`).then(
      () => (outcome = 'came'),
      (error) => (outcome = error),
    );
    await vi.advanceTimersByTimeAsync(14_999);
    expect([outcome, signals.some(({ aborted }) => aborted)]).toEqual([undefined, false]);
    await vi.advanceTimersByTimeAsync(1);
    expect(outcome).toMatchObject({ message: expect.stringMatching(/ did not come within 15 s$/) });
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
  }
});

test('what has come in time is not ended later', async () => {
  const signals: AbortSignal[] = [];
  vi.stubGlobal('fetch', async (_: string, { signal }: { signal: AbortSignal }) => {
    signals.push(signal);
    return new Response('{"changes":[]}');
  });
  expect(await fetchJournal(ADDRESS)).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
});
