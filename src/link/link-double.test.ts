import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createLog } from '../log.ts';
import type { Random } from '../random.ts';
import { LinkDouble, Net } from '../testing/doubles/link-double.ts';
import { TestTime } from '../testing/doubles/test-time.ts';
import { Dice } from '../testing/rigs/dice.ts';
import { linkSuite } from '../testing/suites/link/link.suite.ts';
import { doubleStage, TEST_KEY } from '../testing/suites/link/link-stage.ts';
import { type LinkHandlers, PING_MS } from './contract.ts';

linkSuite('a double of a link', doubleStage);

const STEP_MS = 10;

/** Nodes that all dial each other, and what they hear. */
function cluster(processes: readonly string[], seed: number, delayMs?: () => number) {
  const time = TestTime.standing();
  const startMs = time.now();
  const dice = new Dice(seed);
  const random: Random = {
    bytes: (count) => Uint8Array.from({ length: count }, () => dice.below(256)),
  };
  const net = new Net({ time, delayMs: delayMs ?? (() => dice.below(20)) });
  const heard: string[] = [];
  const hear = (process: string, event: string) =>
    heard.push(`${time.now() - startMs} ${process} ${event}`);
  const handlersOf = (process: string): LinkHandlers => ({
    called: async (from, _, value) => {
      hear(process, `called ${from.process} ${value}`);
      return { value };
    },
    noted: (from, kind) => hear(process, `noted ${from.process} ${kind}`),
    drained: (to) => hear(process, `drained ${to.process}`),
    clientGone: (client) => hear(process, `gone ${client.process}`),
    received: (from, kind) => hear(process, `received ${from} ${kind}`),
    pingValue: () => process,
    pinged: (from) => hear(process, `pinged ${from}`),
    up: (of) => hear(process, `up ${of}`),
    down: (of) => hear(process, `down ${of}`),
  });
  const links = processes.map((process) => {
    const log = createLog('silent');
    const handlers = handlersOf(process);
    return new LinkDouble(net, { process, key: TEST_KEY, handlers, time, random, log });
  });
  const peers = links.map(({ url }, i) => ({ process: processes[i] ?? '', url }));
  for (const link of links) link.connect(peers);
  const pass = async (ms: number) => {
    for (let passedMs = 0; passedMs < ms; passedMs += STEP_MS) await time.advance(STEP_MS);
  };
  const close = () => Promise.all(links.map((link) => link.close()));
  return { net, dice, links, heard, pass, close };
}

describe('a net in memory', () => {
  it('tells the others at once of a process that ends, and keeps their links', async () => {
    const { net, links, heard, pass, close } = cluster(['a', 'b', 'c'], 1);
    await pass(500);
    expect(links.map((link) => ['a', 'b', 'c'].filter((each) => link.isUp(each)).join(''))).toEqual(
      ['bc', 'ac', 'ab'],
    );
    const before = heard.length;
    net.crash('c');
    await pass(100);
    const after = heard.slice(before).map((each) => each.replace(/^\S+ /, ''));
    expect(after.filter((each) => !each.includes('pinged')).toSorted()).toEqual(
      ['a down c', 'a gone c', 'b down c', 'b gone c'].toSorted(),
    );
    await pass(3000);
    expect([links[0]?.isUp('b'), links[0]?.isUp('c')]).toEqual([true, false]);
    await close();
  });

  it('measures round trips without the time for which a ping is held, and each once', async () => {
    const { links, pass, close } = cluster(['a', 'b'], 1, () => 7);
    await pass(5000);
    const { roundTrips } = links[0] ?? {};
    expect(roundTrips?.count).toBeGreaterThan(10);
    expect(roundTrips?.count).toBeLessThanOrEqual(5000 / PING_MS + 1);
    expect(roundTrips?.sumS).toBeCloseTo((roundTrips?.count ?? 0) * 0.014);
    await close();
  });

  it('tells how many bytes wait for the slowest of the others', async () => {
    const { net, links, pass, close } = cluster(['a', 'b', 'c'], 1);
    await pass(500);
    expect(links[0]?.waitingBytes()).toBe(0);
    net.clog('a', 'b');
    links[0]?.note('b', 'n', 'x'.repeat(1000));
    links[0]?.note('c', 'n', 'x'.repeat(3000));
    await pass(100);
    expect(links[0]?.waitingBytes()).toBeGreaterThan(1000);
    expect(links[0]?.waitingBytes()).toBeLessThan(2000);
    net.unclog('a', 'b');
    await pass(100);
    expect(links[0]?.waitingBytes()).toBe(0);
    await close();
  });

  it('does the same again for the same seed, whatever happens in it', async () => {
    const trace = async (seed: number) => {
      const { net, dice, links, heard, pass, close } = cluster(['a', 'b', 'c'], seed);
      for (let round = 0; round < 60; round += 1) {
        const [one, other] = [dice.pick(['a', 'b', 'c']), dice.pick(['a', 'b', 'c'])];
        const fault = dice.pick(['cut', 'heal', 'clog', 'unclog', 'break', 'heal'] as const);
        net[fault](one, other);
        for (const link of links) {
          link.note(other, `note ${round}`, null);
          link.call(other, 'k', round, 300).catch(({ message }: Error) => heard.push(message));
        }
        await pass(20 * dice.below(10));
      }
      await close();
      return { hash: createHash('sha256').update(heard.join('\n')).digest('hex'), heard };
    };
    const [first, again, other] = [await trace(3), await trace(3), await trace(4)];
    expect(again).toEqual(first);
    expect(other.hash).not.toBe(first.hash);
    for (const event of ['up', 'down', 'gone', 'called', 'noted']) {
      expect(first.heard.filter((each) => each.includes(` ${event} `)).length).toBeGreaterThan(3);
    }
  });
});
