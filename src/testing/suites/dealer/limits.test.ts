import { expect, test } from 'vitest';
import { useNodes } from '../../rigs/nodes.ts';
import { type Answer, DealerApi, signUpOf } from './dealer-api.ts';

/** So slow that nothing is refilled while a test runs. */
const NEVER = '0.001';

const nodes = useNodes();

async function open(settings: Record<string, string> = {}) {
  const node = await nodes.inProcess({ RATE_LIMITS: 'on', ...settings });
  return { node, api: new DealerApi(node.dealerUrl) };
}

/** Doors in turn: they count as one. */
const DOORS = ['token', 'auth/login', 'auth/admin-login'] as const;
let turn = 0;
function knock(api: DealerApi, username: string, password: string): Promise<Answer> {
  const door = DOORS[turn++ % DOORS.length];
  if (door === 'token') {
    return api.ask('POST /api/token', { body: new URLSearchParams({ username, password }) });
  }
  return api.ask(`POST /api/${door}`, { json: { role: 'admin', username, password } });
}

test.each(['admin', 'nosuch'])(
  '[L13] five wrong passwords of %s are free, whether there is such a name or not',
  async (username) => {
    const { node, api } = await open({ LIMIT_FAILED_LOGIN_WAIT_S: '1' });
    for (let i = 0; i < 5; i++) expect((await knock(api, username, 'wrong')).status).toBe(401);
    const refused = await knock(api, username, 'admin-demo');
    expect([refused.status, Object.keys(refused.body)]).toEqual([429, ['detail']]);
    expect(refused.headers.get('Retry-After')).toBe('1');
    // Others do not wait for that.
    expect((await knock(api, 'another', 'wrong')).status).toBe(401);
    await node.skip(1100);
    const after = await knock(api, username, 'admin-demo');
    expect(after.status).toBe(username === 'admin' ? 200 : 401);
    // A success clears the name.
    const next = await knock(api, username, 'wrong');
    expect(next.status).toBe(username === 'admin' ? 401 : 429);
  },
);

test('[L14] log-ins of an address are limited, and answers say how', async () => {
  const { api } = await open({ LIMIT_LOGINS_BURST: '3', LIMIT_LOGINS_PER_S: NEVER });
  for (const left of ['2', '1', '0']) {
    const { status, headers } = await knock(api, 'admin', 'admin-demo');
    expect(status).toBe(200);
    expect(headers.get('RateLimit-Policy')).toBe('"logins";q=3;w=3000');
    expect(headers.get('RateLimit')).toMatch(new RegExp(`^"logins";r=${left};t=\\d+$`));
  }
  const refused = await knock(api, 'admin', 'admin-demo');
  expect([refused.status, refused.headers.get('RateLimit')?.split(';')[1]]).toEqual([429, 'r=0']);
  expect(refused.headers.get('Retry-After')).toMatch(/^[1-9]\d*$/);
  // What is no log-in at all does not count, and nothing else is limited.
  expect((await api.ask('POST /api/auth/login', { json: {} })).status).toBe(422);
  expect((await api.ask('GET /api/state')).headers.get('RateLimit')).toBeNull();
});

test('[L14] sign-ups of an address are limited: ten by default', async () => {
  const { api } = await open();
  const signUp = (i: number) => api.ask('POST /api/auth/signup', { json: signUpOf(`name${i}`) });
  for (let i = 0; i < 10; i++) expect((await signUp(i)).status).toBe(200);
  expect((await signUp(10)).status).toBe(429);
});

test('[L7, L15] more passwords than can be looked at are refused, and others are answered meanwhile', async () => {
  const { node, api } = await open({ RATE_LIMITS: 'off' });
  // Each node looks at so many at the same time.
  const length = 120 * node.nodes.length;
  const flood = Array.from({ length }, (_, i) => knock(api, `name${i}`, 'wrong'));
  const state = await api.ask('GET /api/state');
  expect(state.status).toBe(200);
  const answers = await Promise.all(flood);
  const refused = answers.filter(({ status }) => status === 503);
  expect(refused.length).toBeGreaterThan(0);
  for (const { headers } of refused) expect(headers.get('Retry-After')).toBe('1');
  const looked = answers.filter(({ status }) => status === 401);
  expect(looked.length + refused.length).toBe(answers.length);
  expect((await knock(api, 'admin', 'admin-demo')).status).toBe(200);
});
