import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { attach, isLoopback } from './server.ts';

test('only addresses of this machine take load', () => {
  for (const hostname of ['localhost', '127.0.0.1', '127.1.2.3', '[::1]']) {
    expect(isLoopback(hostname)).toBe(true);
  }
  for (const hostname of ['example.org', '10.0.0.1', '127.0.0.1.example.org', 'localhost.local']) {
    expect(isLoopback(hostname)).toBe(false);
  }
});

test('a foreign or encrypted address is refused', () => {
  const given = { url: 'http://localhost:8080', dealer: '', ops: '', pid: 0 };
  for (const url of ['http://example.org:8080', 'https://localhost:8080', 'not an address']) {
    expect(() => attach({ ...given, url })).toThrow('not an http address');
    expect(() => attach({ ...given, dealer: url })).toThrow('not an http address');
  }
  expect(attach({ ...given, pid: 7 })).toMatchObject({ pid: 7, dealerUrl: undefined });
  const dealer = attach({ ...given, dealer: 'http://localhost:8000' }).dealerUrl;
  expect(dealer?.href).toBe('http://localhost:8000/');
});

test('a load that is ended by a signal takes its server and the data of it along', async () => {
  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  const temporary = await mkdtemp(join(tmpdir(), 'load-test-'));
  const load = spawn(process.execPath, [main, 'worlds', '--count', '1000000'], {
    env: { ...process.env, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(async () => {
    load.kill('SIGTERM');
    await rm(temporary, { recursive: true });
  });
  const [line] = await once(createInterface(load.stdout), 'line');
  const url = /^worlds on (\S+)$/.exec(line)?.[1];
  const reached = () =>
    fetch(`${url}/api/v1/cities`).then(
      ({ status }) => status,
      () => 'nobody',
    );
  expect(await reached()).toBe(200);
  expect(await readdir(temporary)).toHaveLength(1);
  load.kill('SIGTERM');
  expect(await once(load, 'exit')).toEqual([143, null]);
  await expect.poll(reached).toBe('nobody');
  expect(await readdir(temporary)).toEqual([]);
});
