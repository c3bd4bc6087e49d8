import { createConfig, lintFromString } from '@redocly/openapi-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkAnswer } from '../../rigs/published.ts';
import { DealerApi, useDealer } from './dealer-api.ts';

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
let document: Document;
beforeAll(async () => {
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
    const files = [...html.matchAll(/<(?:link|script)[^>]+(?:src|href)="([^"]+)"/g)].map(
      ([, path]) => path,
    );
    expect(files.length).toBe(5);
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

test('[H16] an answer that is not as the document says is noticed', async () => {
  const { body } = await dealer.ask('GET /api/dealers');
  const answered = { method: 'GET', path: '/api/dealers', status: 200 };
  const check = (change: object) =>
    checkAnswer('dealer', dealer.url, { ...answered, body, ...change });
  await expect(check({})).resolves.toBeUndefined();
  await expect(check({ body: [{ username: 'nordbil' }] })).rejects.toThrow('required');
  for (const status of [201, 404]) await expect(check({ status })).rejects.toThrow(`${status}`);
  await expect(check({ path: '/api/garages' })).rejects.toThrow('not published');
});
