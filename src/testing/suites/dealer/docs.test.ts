import { createConfig, lintFromString } from '@redocly/openapi-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkAnswer } from '../../rigs/published.ts';
import { type Ask, DealerApi, signUpOf, useDealer } from './dealer-api.ts';

interface Operation {
  operationId: string;
  tags: string[];
  requestBody?: { content?: Record<string, object> };
  responses: Record<string, { content?: Record<string, object> }>;
}

interface Document {
  openapi: string;
  info: { title: string; version: string; description: string };
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown>; securitySchemes: Record<string, unknown> };
}

const dealer = useDealer();
let admin: string;
let document: Document;
beforeAll(async () => {
  admin = await dealer.logIn('admin', 'admin');
  document = await dealer.get<Document>('GET /openapi.json');
});

describe.each([
  ['dealer platform', 'Dealer Platform API', '2.0.0', 22],
  ['twin', 'Vehicle Configuration API (Digital Twin)', '1.4.2', 21],
])('the document of the %s', (service, title, version, least) => {
  const api = () => new DealerApi(service === 'twin' ? dealer.node.twinUrl : dealer.url);
  const read = () => api().get<Document>('GET /openapi.json');

  test('[H15] names the service and every operation once', async () => {
    const { openapi, info, paths } = await read();
    expect([openapi, info.title, info.version]).toEqual(['3.1.0', title, version]);
    const operations = Object.values(paths).flatMap((path) => Object.values(path));
    expect(operations.length).toBeGreaterThanOrEqual(least);
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('refers to nothing that is not in it', async () => {
    const given = await read();
    const text = JSON.stringify(given);
    const names = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(10);
    for (const name of names) expect(given.components.schemas).toHaveProperty(name ?? '');
  });

  test('[H15] passes the recommended rules of Redocly, its examples as well', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const problemsOf = async (given: unknown) => {
      const problems = await lintFromString({ source: JSON.stringify(given), config });
      return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
    };
    const given = await read();
    expect(await problemsOf(given)).toEqual([]);
    expect((await problemsOf({ ...given, tags: [{ name: 'bare' }] })).join()).toContain(
      'tag-description',
    );
  });

  test('gives every operation a tag that is explained, and every body an example', async () => {
    const { paths, tags } = await read();
    const operations = Object.values(paths).flatMap((path) => Object.values(path));
    const used = new Set(operations.flatMap((operation) => operation.tags));
    expect([...used].toSorted()).toEqual(tags.map(({ name }) => name).toSorted());
    for (const { operationId, requestBody, responses } of operations) {
      const bodies = [requestBody, ...Object.values(responses)].filter((each) => each?.content);
      for (const { content } of bodies as { content: Record<string, object> }[]) {
        const shown = Object.values(content).every((of) => 'example' in of || 'examples' in of);
        expect([operationId, shown]).toEqual([operationId, true]);
      }
    }
  });

  test('is read with a page that takes everything from here', async () => {
    const page = await fetch(`${api().url}/docs`);
    expect([page.status, page.headers.get('Content-Type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    expect(page.headers.get('Content-Security-Policy')).toContain("default-src 'self'");
    const html = await page.text();
    expect(html).not.toMatch(/https?:/);
    const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path);
    expect(files.length).toBe(4);
    for (const path of files) {
      const file = await fetch(api().url + path);
      expect(file.status).toBe(200);
      expect((await file.arrayBuffer()).byteLength).toBeGreaterThan(100);
    }
  });
});

test('the document of the dealer platform tells the known log-ins', () => {
  expect(document.info.description).toContain('`admin` with `admin-demo`');
  expect(document.components.securitySchemes).toMatchObject({
    oauth2: { type: 'oauth2', flows: { password: { tokenUrl: '/api/token' } } },
  });
});

const CAR = 'DEMCAR00000000001';
const LOGIN = { role: 'admin', username: 'admin', password: 'admin-demo' };
const DEALER = { username: 'newcomer', password: 'abc', name: 'N', city: 'C' };
const CUSTOMER = signUpOf('customer');

type Case = [status: number, call: string, path: string, ask?: Ask];

/** Calls in an order in which they succeed, and refusals of every kind. The client checks bodies. */
const CALLS: Case[] = [
  [200, 'GET /api/dealers', '/api/dealers'],
  [200, 'GET /api/state', '/api/state'],
  [200, 'POST /api/token', '/api/token', { body: new URLSearchParams(LOGIN) }],
  [200, 'POST /api/auth/login', '/api/auth/login', { json: LOGIN }],
  [200, 'POST /api/auth/admin-login', '/api/auth/admin-login', { json: LOGIN }],
  [200, 'POST /api/auth/signup', '/api/auth/signup', { json: CUSTOMER }],
  [200, 'POST /api/dealers', '/api/dealers', { json: DEALER }],
  [200, 'GET /api/auth/me', '/api/auth/me'],
  [200, 'GET /api/me/admin', '/api/me/admin'],
  [200, 'GET /api/me/profile', '/api/me/profile'],
  [200, 'GET /api/cars', '/api/cars'],
  [
    200,
    'POST /api/cars/add-to-fleet',
    '/api/cars/add-to-fleet',
    { json: { vin: 'V', dealer: 'nordbil' } },
  ],
  [200, `PATCH /api/cars/${CAR}/state`, '/api/cars/{vin}/state', { json: { locked: true } }],
  [
    200,
    `PATCH /api/cars/${CAR}/owner`,
    '/api/cars/{vin}/owner',
    { json: { email: 'a@x.test', since: '' } },
  ],
  [200, `DELETE /api/cars/${CAR}/owner`, '/api/cars/{vin}/owner'],
  [200, 'GET /api/customers?include_password=1', '/api/customers'],
  [200, 'GET /api/customers/anna', '/api/customers/{username}'],
  [200, 'DELETE /api/dealers/newcomer', '/api/dealers/{username}'],
  [401, 'POST /api/auth/login', '/api/auth/login', { json: { ...LOGIN, password: 'x' } }],
  [403, 'PATCH /api/me/profile', '/api/me/profile', { json: {} }],
  [404, 'GET /api/customers/nosuch', '/api/customers/{username}'],
  [409, 'POST /api/auth/signup', '/api/auth/signup', { json: CUSTOMER }],
  [422, 'POST /api/dealers', '/api/dealers', { json: {} }],
  [422, 'GET /api/customers?include_password=x', '/api/customers'],
  [200, 'POST /api/admin/reset', '/api/admin/reset'],
  [200, 'POST /api/auth/logout', '/api/auth/logout'],
];

test.each(CALLS)('[H16] %i of %s is as the document says', async (status, call, path, ask = {}) => {
  const answer = await dealer.ask(call, { token: admin, ...ask });
  expect([answer.status, answer.text]).toEqual([status, expect.anything()]);
  const method = call.split(' ')[0]?.toLowerCase() ?? '';
  expect(document.paths[path]?.[method]?.responses).toHaveProperty(String(status));
});

test('an answer that is not as the document says is noticed', async () => {
  const { body } = await dealer.ask('GET /api/dealers');
  const answered = { method: 'GET', path: '/api/dealers', status: 200 };
  const check = (change: object) =>
    checkAnswer('dealer', dealer.url, { ...answered, body, ...change });
  await expect(check({})).resolves.toBeUndefined();
  await expect(check({ body: [{ username: 'nordbil' }] })).rejects.toThrow('required');
  await expect(check({ status: 201 })).rejects.toThrow('201');
  await expect(check({ path: '/api/garages' })).rejects.toThrow('not published');
});
