import { afterEach, expect, test, vi } from 'vitest';
import { fetchJournal } from './earlier-past.ts';
import { fetchAssets } from './fetch-assets.ts';
import { isWorldGone } from './frame-stream.ts';
import { TwinAddress } from './twin-address.ts';

const ADDRESS = new TwinAddress({ id: 'w', stream_url: 'ws://node.test/ws/worlds/w' });
const NAMES = ['kernel', 'frames', 'table', 'car_types'] as const;

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** A node that takes each request and never answers, or never ends its answer. */
function hang(at: 'answer' | 'content'): void {
  vi.stubGlobal('fetch', async (_: string, { signal }: { signal?: AbortSignal } = {}) => {
    const never = new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
    if (at === 'answer') return never;
    return new Response(new ReadableStream({ pull: () => never }));
  });
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
  hang(at);
  const limits: number[] = [];
  const late = new AbortController();
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    limits.push(ms);
    return late.signal;
  });
  const outcome = asked[what](at).then(
    () => 'came',
    (error) => error,
  );
  expect(new Set(limits)).toEqual(new Set([15_000]));
  late.abort(new Error('too late'));
  expect(await outcome).toEqual(new Error('too late'));
});
