import { expect, test } from 'vitest';
import { bodyless } from './reply.ts';
import { type Method, type Route, Router } from './router.ts';

function route(method: Method, path: string): Route {
  const common = { summary: '', tag: '', auth: 'none', answers: {}, errors: [] } as const;
  return { ...common, method, path, operationId: path, handle: () => bodyless(204) };
}

const router = new Router([
  route('GET', '/'),
  route('POST', '/worlds'),
  route('GET', '/worlds/{id}'),
  route('GET', '/worlds/{id}/map'),
  route('GET', '/worlds/{id}/incidents/{incident}'),
  route('GET', '/vehicle/features'),
  route('PATCH', '/vehicle/features'),
  route('PUT', '/vehicle/features/{name}'),
  route('POST', '/vehicle/features/reset'),
]);

test.each([
  ['/', '/', []],
  ['/worlds', '/worlds', []],
  ['/worlds/abc', '/worlds/{id}', ['abc']],
  ['/worlds/abc/map', '/worlds/{id}/map', ['abc']],
  ['/worlds/a/incidents/i5-0', '/worlds/{id}/incidents/{incident}', ['a', 'i5-0']],
  ['/worlds/%61b%2Fc', '/worlds/{id}', ['ab/c']],
  ['/worlds/{}', '/worlds/{id}', ['{}']],
  ['/vehicle/features/reset', '/vehicle/features/reset', []],
  ['/vehicle/features/aeb', '/vehicle/features/{name}', ['aeb']],
])('%s is found', (path, template, params) => {
  const match = router.match(path);
  expect(match?.resource.path).toBe(template);
  expect(match?.params).toEqual(params);
});

test.each([
  '',
  '//',
  '/worlds/',
  '//worlds',
  '/worlds//map',
  '/worlds/abc/',
  '/worlds/abc/map/',
  '/worlds/%ff',
  '/worlds/%',
  '/Worlds',
  '/{}/abc',
  '/vehicle',
  '/constructor',
])('%s is not found', (path) => {
  expect(router.match(path)).toBeUndefined();
});

test('a resource lists its methods', () => {
  const resource = router.match('/vehicle/features')?.resource;
  expect(resource?.allow).toBe('GET, HEAD, PATCH, OPTIONS');
  expect([...(resource?.routes.keys() ?? [])]).toEqual(['GET', 'HEAD', 'PATCH']);
});
