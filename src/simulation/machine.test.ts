import { beforeEach, describe, expect, test } from 'vitest';
import { Chance } from './chance.ts';
import { Machine, type Thread } from './machine.ts';
import { Macrotasks } from './macrotasks.ts';

let macrotasks: Macrotasks;
let machine: Machine;
let thread: Thread;
let heard: string[];

beforeEach(() => {
  macrotasks = new Macrotasks();
  machine = newMachine(0);
  thread = machine.makeThread();
  heard = [];
});

function newMachine(driftPpm: number): Machine {
  const clocks = { startMs: 5000, driftPpm, wallMs: 1e12, lateMsMax: 0 };
  return new Machine(macrotasks, clocks, new Chance(1, 1));
}

const say = (word: string) => () => void heard.push(`${word} ${Math.round(macrotasks.nowMs)}`);

async function runTo(ms: number): Promise<void> {
  macrotasks.add(ms, () => {});
  await macrotasks.run(() => macrotasks.nowMs >= ms);
}

test('timers fire about when they are due, and again until they are stopped', async () => {
  thread.time.after(100, say('once'));
  const stop = thread.time.every(30, say('again'));
  thread.time.after(100, stop);
  await runTo(500);
  const words = heard.map((each) => each.split(' ')[0]);
  expect(words).toEqual(['again', 'again', 'again', 'once']);
  for (const each of heard) expect(Number(each.split(' ')[1])).toBeLessThanOrEqual(100);
});

test('a fast clock shows more time, and its timers fire earlier', async () => {
  const fast = newMachine(100_000).makeThread();
  fast.time.after(1100, say('fast'));
  thread.time.after(1050, say('exact'));
  await runTo(2000);
  expect(heard.map((each) => each.split(' ')[0])).toEqual(['fast', 'exact']);
  expect(fast.time.now() - 5000).toBeCloseTo(2200, 6);
});

describe('a machine that is paused', () => {
  test('runs nothing until it goes on, and then everything in its order', async () => {
    const resume = machine.halt(false);
    for (const word of ['a', 'b', 'c']) thread.add(10, say(word));
    await runTo(50);
    expect(heard).toEqual([]);
    expect(thread.time.now()).toBe(5050);
    resume();
    await runTo(51);
    expect(heard).toEqual(['a 50', 'b 50', 'c 50']);
  });

  test('goes on once all that pauses it has ended', async () => {
    const [first, second] = [machine.halt(false), machine.halt(false)];
    thread.add(10, say('a'));
    first();
    first();
    await runTo(20);
    expect(heard).toEqual([]);
    second();
    await runTo(21);
    expect(heard).toEqual(['a 20']);
  });
});

test('while a machine is suspended its monotonic clock stands, and its timers with it', async () => {
  thread.time.after(100, say('timer'));
  thread.add(30, say('message'));
  const resume = machine.halt(true);
  await runTo(1000);
  resume();
  const { time } = thread;
  expect([time.now(), time.machineUpMs(), time.wallMs()]).toEqual([5000, 6000, 1e12 + 1000]);
  await runTo(1090);
  expect(heard).toEqual(['message 1000']);
  await runTo(1200);
  expect(heard).toHaveLength(2);
});

test('a machine that is suspended twice at a time loses that time once', async () => {
  const first = machine.halt(true);
  await runTo(100);
  const second = machine.halt(true);
  await runTo(300);
  first();
  await runTo(400);
  second();
  expect([thread.time.now(), thread.time.machineUpMs()]).toEqual([5000, 5400]);
});

test('a thread that is blocked runs its tasks later; other threads go on', async () => {
  const other = machine.makeThread();
  thread.block(100);
  thread.add(10, say('blocked'));
  other.add(20, say('free'));
  await runTo(200);
  expect(heard).toEqual(['free 20', 'blocked 100']);
});

test('after a crash nothing of it runs', async () => {
  thread.add(10, say('task'));
  thread.time.every(5, say('timer'));
  machine.crash();
  machine.makeThread().add(10, say('next process'));
  await runTo(50);
  expect(heard).toEqual(['next process 10']);
});
