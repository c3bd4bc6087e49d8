import { afterEach, expect, test, vi } from 'vitest';
import { RequestError, request } from './request.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

function answering(status: number, body: string, headers: Record<string, string> = {}) {
  const asked = vi.fn((_url: string, _init: RequestInit) =>
    Promise.resolve(new Response(body, { status, headers })),
  );
  vi.stubGlobal('fetch', asked);
  return asked;
}

async function errorOf(asking: Promise<unknown>): Promise<RequestError> {
  const error = await asking.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(RequestError);
  return error as RequestError;
}

test('sends JSON, or a form, and reads JSON', async () => {
  const asked = answering(200, '{"ok":true}');
  expect(await request('/a', { method: 'PATCH', body: { locked: true } })).toEqual({ ok: true });
  const [, json] = asked.mock.calls[0] ?? [];
  expect(json?.body).toBe('{"locked":true}');
  expect(new Headers(json?.headers).get('Content-Type')).toBe('application/json');

  await request('/b', { method: 'POST', body: new URLSearchParams({ username: 'anna' }) });
  const [, form] = asked.mock.calls[1] ?? [];
  expect(String(form?.body)).toBe('username=anna');
  expect(new Headers(form?.headers).get('Content-Type')).toBeNull();

  await request('/c', { headers: { Authorization: 'Bearer x' } });
  const [, plain] = asked.mock.calls[2] ?? [];
  expect(plain).toMatchObject({ method: 'GET', body: null });
  expect(new Headers(plain?.headers).get('Authorization')).toBe('Bearer x');
});

test('is refused an answer of which the rest does not arrive', async () => {
  answering(200, '{"ok":');
  expect(await errorOf(request('/'))).toMatchObject({ status: 0 });
  const stop = new AbortController();
  answering(200, '');
  stop.abort(new Error('enough'));
  await expect(request('/', { signal: stop.signal })).rejects.toThrow('enough');
});

test('reads the error of the dealer platform', async () => {
  answering(409, '{"detail":"The username is taken"}');
  const error = await errorOf(request('/'));
  expect(error).toMatchObject({ status: 409, message: 'The username is taken.', faults: [] });
});

test('reads the fields that the dealer platform refused', async () => {
  const fault = { loc: ['body', 'vin'], msg: 'Field required', type: 'missing' };
  answering(422, JSON.stringify({ detail: [fault] }));
  expect(await errorOf(request('/'))).toMatchObject({ status: 422, faults: [fault] });
});

test('reads the error of the twin', async () => {
  answering(404, '{"error":"unknown_world","hint":"There is no such world."}');
  const error = await errorOf(request('/'));
  expect(error).toMatchObject({ code: 'unknown_world', message: 'There is no such world.' });
});

test.each([
  [429, '7', 'Too much. Please wait 7 seconds before you try again.'],
  [429, '1', 'Too much. Please wait 1 second before you try again.'],
  [503, '2', 'Too much. Please try again in 2 seconds.'],
  [503, 'soon', 'Too much.'],
])('says in words what a %i with Retry-After %s means', async (status, seconds, words) => {
  answering(status, '{"detail":"Too much"}', { 'Retry-After': seconds });
  expect((await errorOf(request('/'))).message).toBe(words);
});

test.each([
  ['Nothing was changed. Try again later.', 'Nothing was changed. Please try again in 2 seconds.'],
  [
    'The world is being reloaded; try again.',
    'The world is being reloaded. Please try again in 2 seconds.',
  ],
  ['Make a new world, or try again later.', 'Make a new world. Please try again in 2 seconds.'],
  ['Try again later.', 'Please try again in 2 seconds.'],
])('says once when to try again: %s', async (hint, words) => {
  answering(503, JSON.stringify({ error: 'overloaded', hint }), { 'Retry-After': '2' });
  expect((await errorOf(request('/'))).message).toBe(words);
});

test('has a message for an answer that is not from the service', async () => {
  answering(502, '<html>Bad gateway</html>');
  expect(await errorOf(request('/'))).toMatchObject({
    status: 502,
    message: 'The service answered 502.',
  });
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
  expect((await errorOf(request('/'))).status).toBe(0);
});

/** A service that is silent until the request is given up. */
function silent() {
  const asked = (_url: string, { signal }: RequestInit) =>
    new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
  vi.stubGlobal('fetch', asked);
}

test('passes an abort of the caller on', async () => {
  silent();
  const stop = new AbortController();
  const asking = request('/', { signal: stop.signal });
  const reason = new DOMException('gone', 'AbortError');
  stop.abort(reason);
  await expect(asking).rejects.toBe(reason);
});

test('[P33] gives a request up that is not answered in time, with or without a signal of the caller', async () => {
  const inTime = vi.spyOn(AbortSignal, 'timeout');
  for (const options of [{}, { signal: new AbortController().signal }]) {
    const late = new AbortController();
    inTime.mockReturnValueOnce(late.signal);
    silent();
    const asking = errorOf(request('/', options));
    late.abort();
    const { status, message } = await asking;
    expect([status, message]).toEqual([0, 'The service did not answer in time.']);
  }
  expect(inTime.mock.calls).toEqual([[15_000], [15_000]]);
  inTime.mockRestore();
});

test('[P33] gives an answer up of which the rest does not come in time', async () => {
  const late = new AbortController();
  const inTime = vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(late.signal);
  const text = () => {
    late.abort();
    return Promise.reject(late.signal.reason);
  };
  vi.stubGlobal('fetch', () => Promise.resolve({ ok: true, text }));
  const { message } = await errorOf(request('/'));
  expect(message).toBe('The service did not answer in time.');
  inTime.mockRestore();
});
