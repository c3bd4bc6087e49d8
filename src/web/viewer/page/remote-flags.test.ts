import { type Signal, signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Flags, RemoteFlags } from './remote-flags.ts';

const CONSOLE = 'https://console.example';
const VIN = 'DEMCAR00000000007';
const CAR = { vin: VIN, dealer: 'nordbil', locked: true, climate: false, charging: true };
const FLAGS: Flags = { dealer: 'nordbil', locked: true, climate: false, charging: true };

vi.mock('../../common/page-setting.ts', () => ({ pageSetting: () => CONSOLE }));

/** The page and its document as what they are listened to. */
let page: EventTarget;
/** What the page said to its opener, and what it asked the console. */
let said: [message: unknown, origin: string][];
let asked: { url: URL; token: string | null }[];
let answer: () => Response;
let flags: RemoteFlags;
let vin: Signal<string>;

beforeEach(async () => {
  vi.useFakeTimers();
  [said, asked] = [[], []];
  page = new EventTarget();
  const addEventListener = page.addEventListener.bind(page);
  const removeEventListener = page.removeEventListener.bind(page);
  answer = () => Response.json([CAR]);
  vin = signal(VIN);
  vi.stubGlobal('document', { hidden: false, addEventListener, removeEventListener });
  vi.stubGlobal('addEventListener', addEventListener);
  vi.stubGlobal('location', { href: 'https://twin.example/worlds/w' });
  const postMessage = (message: unknown, origin: string) => said.push([message, origin]);
  vi.stubGlobal('opener', { postMessage });
  vi.stubGlobal('fetch', async (url: string, { headers }: { headers: Headers }) => {
    asked.push({ url: new URL(url), token: headers.get('Authorization') });
    return answer();
  });
  const { RemoteFlags } = await import('./remote-flags.ts');
  flags = new RemoteFlags({ vin } as unknown as ConstructorParameters<typeof RemoteFlags>[0]);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const hear = (data: unknown, origin = CONSOLE) =>
  page.dispatchEvent(Object.assign(new Event('message'), { data, origin }));
const pass = (ms = 0) => vi.advanceTimersByTimeAsync(ms);

describe('[P30] a viewer that the console opened', () => {
  test('asks it for the session, and no other page', () => {
    flags.start();
    expect(said).toEqual([['asks for session', CONSOLE]]);
  });

  test('reads the flags of the picked car, of which the console knows with its session', async () => {
    flags.start();
    await pass();
    expect(asked).toEqual([]);
    hear({ token: 't1' });
    await pass();
    expect(flags.flags.peek()).toEqual(FLAGS);
    const [{ url, token } = { url: new URL(CONSOLE), token: '' }] = asked;
    expect([url.origin, url.pathname, token]).toEqual([CONSOLE, '/api/cars', 'Bearer t1']);
    // All that share all but the last character come after this one.
    expect(url.searchParams.get('after')).toBe(VIN.slice(0, 16));
  });

  test('reads them again, and for another car at once', async () => {
    flags.start();
    hear({ token: 't1' });
    await pass();
    answer = () => Response.json([{ ...CAR, locked: false }]);
    await pass(4000);
    expect(flags.flags.peek()?.locked).toBe(false);
    vin.value = 'DEMCAR00000000008';
    expect(flags.flags.peek()).toBeUndefined();
    await pass();
    expect(asked).toHaveLength(3);
    expect(flags.flags.peek()).toBeNull();
  });

  test('shows none of a car whose flags the account may not read', async () => {
    answer = () => Response.json([{ ...CAR, locked: null, climate: null, charging: null }]);
    flags.start();
    hear({ token: 't1' });
    await pass();
    expect([asked.length, flags.flags.peek()]).toEqual([1, null]);
  });

  test('keeps the flags while the console does not answer, until it says that they may not be read', async () => {
    flags.start();
    hear({ token: 't1' });
    await pass();
    const failures = [
      () => Response.json({ detail: 'Too many.' }, { status: 429 }),
      () => Response.json({ detail: 'Not now.' }, { status: 503 }),
      () => Response.error(),
      () => {
        throw new TypeError('no network');
      },
    ];
    for (const failure of failures) {
      answer = failure;
      await pass(4000);
      expect(flags.flags.peek()).toEqual(FLAGS);
    }
    expect(asked).toHaveLength(1 + failures.length);
    answer = () => Response.json({ detail: 'Not yours.' }, { status: 403 });
    await pass(4000);
    expect(flags.flags.peek()).toBeNull();
  });

  test('knows nothing of a car while the console has not answered yet', async () => {
    answer = () => Response.json({ detail: 'Not now.' }, { status: 503 });
    flags.start();
    expect(flags.flags.peek()).toBeNull();
    hear({ token: 't1' });
    await pass(4000);
    expect(asked).toHaveLength(2);
    expect(flags.flags.peek()).toBeUndefined();
    answer = () => Response.json([CAR]);
    await pass(4000);
    expect(flags.flags.peek()).toEqual(FLAGS);
  });

  test('asks for the session again once that has ended and the visitor comes back', async () => {
    answer = () => Response.json({ detail: 'Not authenticated' }, { status: 401 });
    flags.start();
    hear({ token: 't1' });
    await pass();
    await pass(20_000);
    expect(asked).toHaveLength(1);
    page.dispatchEvent(new Event('visibilitychange'));
    expect(said).toHaveLength(2);
  });

  test('listens to nobody else, and to nothing but a session', async () => {
    flags.start();
    hear({ token: 't1' }, 'https://elsewhere.example');
    hear('t1');
    hear(null);
    await pass(20_000);
    expect(asked).toEqual([]);
  });
});

test('a viewer that nobody opened asks nobody', async () => {
  vi.stubGlobal('opener', null);
  flags.start();
  await pass(20_000);
  hear({ token: 't1' });
  await pass();
  expect([said, asked]).toEqual([[], []]);
});
