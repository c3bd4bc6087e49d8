import { spawn } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { NotReadyError, readyAddresses } from './process.ts';

/** A server that runs a line of JavaScript. */
function server(script: string, program = process.execPath) {
  const child = spawn(program, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return { child, hasEnded };
}

const STAYS = 'process.stdin.resume()';

test('the addresses of the ready line are read by name, and the server stays', async () => {
  const line = 'ready dealer=http://127.0.0.1:1 twin=http://127.0.0.1:2';
  const { child, hasEnded } = server(`console.log('a\\n${line}'); ${STAYS}`);
  const addresses = { dealer: 'http://127.0.0.1:1', twin: 'http://127.0.0.1:2' };
  expect([await readyAddresses(child), hasEnded()]).toEqual([addresses, false]);
});

test('a server that hangs before its ready line is ended', async () => {
  const { child, hasEnded } = server(STAYS);
  const failure = await readyAddresses(child, 1).catch((error: unknown) => error);
  expect(failure).toEqual(new NotReadyError('no ready line within 0.001 s'));
  expect(hasEnded()).toBe(true);
});

test('a server whose ready line lacks the address of the twin is ended', async () => {
  const { child, hasEnded } = server(`console.log('ready ops=http://127.0.0.1:1'); ${STAYS}`);
  await expect(readyAddresses(child)).rejects.toThrow('no address of the twin in: ready ops=');
  expect(hasEnded()).toBe(true);
});

test('a server that ends before its ready line is reported', async () => {
  const { child } = server('process.exit(3)');
  await expect(readyAddresses(child)).rejects.toThrow(NotReadyError);
  expect(child.exitCode).toBe(3);
});

test('a program that cannot be started is reported', async () => {
  const { child } = server('', '/no/such/program');
  await expect(readyAddresses(child)).rejects.toThrow('ENOENT');
});
