import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { outputOf } from './npm-run.ts';
import { Slices } from './slices.ts';

/** A process that is busy until it is killed. */
function busy(): ChildProcess & { pid: number } {
  const child = spawn(process.execPath, ['-e', 'for (;;);'], { detached: true, stdio: 'ignore' });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  if (child.pid === undefined) throw new Error('node did not start');
  return Object.assign(child, { pid: child.pid });
}

/** Whether the kernel has stopped a process, by the state behind its name. */
const isStopped = (pid: number) =>
  readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.startsWith('T') === true;

test('of the groups one runs, then the next; whoever is left runs on', async () => {
  const children = [busy(), busy(), busy()];
  const slices = new Slices();
  for (const { pid } of children) slices.add(pid);
  const [first, second, third] = children.map(({ pid }) => pid) as [number, number, number];
  const running = () => children.map(({ pid }) => pid).filter((pid) => !isStopped(pid));
  const seen = new Set<number>();
  await vi.waitFor(() => {
    const now = running();
    if (now.length === 1) for (const pid of now) seen.add(pid);
    expect(seen.size).toBe(3);
  }, 20_000);
  slices.remove(second);
  slices.remove(first);
  await vi.waitFor(() => expect(running()).toHaveLength(3), 20_000);
  slices.remove(third);
  slices.remove(third);
});

test('commands that run in turns have their outputs', async () => {
  const slices = new Slices();
  const outputs = ['a', 'b'].map((text) =>
    outputOf(process.execPath, ['-e', `console.log('${text}')`], {}, slices),
  );
  expect(await Promise.all(outputs)).toEqual(['a\n', 'b\n']);
  await expect(outputOf(process.execPath, ['-e', 'process.exit(4)'], {}, slices)).rejects.toThrow(
    'ended with 4',
  );
});
