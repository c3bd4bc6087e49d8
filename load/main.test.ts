import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

test('a signal that ends a load also ends its server and removes the data', async () => {
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
  const url = /^on (\S+)$/.exec(line)?.[1];
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
