import { expect, it } from 'vitest';
import { type LinkAnswer, SILENCE_MS } from '../../../link/contract.ts';
import type { LinkStage } from './link-stage.ts';
import { type Current, failure } from './outcomes.ts';

const DEADLINE_MS = 60_000;
const STEP_MS = 25;

/** Time passes in small steps, in which messages get through. */
async function pass(stage: LinkStage, ms: number): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += STEP_MS) await stage.time.advance(STEP_MS);
}

export function describeBreaks(current: Current): void {
  it('are made again, and both nodes hear of it', async () => {
    const { stage, a, b } = current();
    stage.break('a', 'b');
    await stage.until('the end', () => !a.link.isUp('b') && !b.link.isUp('a'));
    await stage.until('new links', () => a.link.isUp('b') && b.link.isUp('a'));
    await stage.until('all', () => [a, b].every(({ heard }) => heard.length === 4));
    expect(a.heard.toSorted()).toEqual(['down b', 'gone b', 'up b', 'up b']);
    expect(b.heard.toSorted()).toEqual(['down a', 'gone a', 'up a', 'up a']);
    const { value } = await stage.settled(a.link.call('b', 'k', 1, DEADLINE_MS));
    expect(value).toEqual({ kind: 'k', value: 1 });
  });

  it('reject what is under way, and say what may have been done', async () => {
    const { stage, a, b } = current();
    const asked: unknown[] = [];
    b.answer = (_, value) => {
      asked.push(value);
      return new Promise<LinkAnswer>(() => {});
    };
    const sent = failure(stage, a.link.call('b', 'k', 'sent', DEADLINE_MS));
    await stage.until('the call', () => asked.length === 1);
    // Nothing more gets through, and most of this one is not even handed to the system.
    stage.clog('a', 'b');
    const long = Array.from({ length: 4 }, () => new Uint8Array(2 * 2 ** 20 - 100));
    const held = long.map((value) => failure(stage, a.link.call('b', 'k', value, DEADLINE_MS)));
    stage.break('a', 'b');
    expect(await sent).toMatchObject({ isSent: true, isOverloaded: false });
    for (const each of await Promise.all(held)) expect(each).toMatchObject({ isSent: false });
    expect(asked).toEqual(['sent']);
  });

  it('reject a call that was made in the same turn as not sent', async () => {
    const { stage, a, b } = current();
    const asked: unknown[] = [];
    b.answer = (_, value) => {
      asked.push(value);
      return { value };
    };
    const call = failure(stage, a.link.call('b', 'k', 'never', DEADLINE_MS));
    await stage.connect('a', []);
    expect(await call).toMatchObject({ isSent: false });
    await stage.connect('a', ['b']);
    await stage.until('a new link', () => a.link.isUp('b'));
    await stage.settled(a.link.call('b', 'k', 'next', DEADLINE_MS));
    expect(asked).toEqual(['next']);
  });

  it.each([
    ['a', 'b'],
    ['b', 'a'],
  ])('are down where what %s says to %s vanishes, and up again afterwards', async (from, to) => {
    const { stage, a, b } = current();
    b.answer = () => new Promise<LinkAnswer>(() => {});
    const call = failure(stage, a.link.call('b', 'k', 1, DEADLINE_MS));
    await pass(stage, 50);
    stage.cut(from, to);
    await pass(stage, SILENCE_MS / 2);
    expect([a.link.isUp('b'), b.link.isUp('a')]).toEqual([true, true]);
    await pass(stage, 2000);
    await stage.until('both ends', () => !a.link.isUp('b') && !b.link.isUp('a'));
    expect(await call).toMatchObject({ isSent: true });
    await stage.until('the gone', () =>
      [a, b].every(({ heard }) => heard.some((each) => each.startsWith('gone '))),
    );
    await pass(stage, 2 * SILENCE_MS);
    expect([a.link.isUp('b'), b.link.isUp('a')]).toEqual([false, false]);
    stage.heal(from, to);
    await pass(stage, 2000);
    await stage.until('new links', () => a.link.isUp('b') && b.link.isUp('a'));
  });

  it('stay up over a short hold-up, and nothing is lost', async () => {
    const { stage, a, b } = current();
    stage.clog('a', 'b');
    const calls = [1, 2, 3].map((value) => a.link.call('b', 'k', value, DEADLINE_MS));
    await pass(stage, SILENCE_MS / 2);
    stage.unclog('a', 'b');
    const answers = await stage.settled(Promise.all(calls));
    expect(answers.map(({ value }) => (value as { value: number }).value)).toEqual([1, 2, 3]);
    expect([...a.heard, ...b.heard]).toEqual(['up b', 'up a']);
  });

  it('outlast a pause of the process', async () => {
    const { stage, a, b } = current();
    await stage.time.jump(10 * SILENCE_MS);
    await pass(stage, 2 * SILENCE_MS);
    expect([...a.heard, ...b.heard]).toEqual(['up b', 'up a']);
  });

  it('are not made again to a node that is no peer any more', async () => {
    const { stage, a } = current();
    await stage.connect('a', []);
    expect(a.link.isUp('b')).toBe(false);
    await pass(stage, 3000);
    expect(a.heard).toEqual(['up b', 'down b']);
    const failed = await failure(stage, a.link.call('b', 'k', 1, DEADLINE_MS));
    expect(failed).toMatchObject({ isSent: false });
    await stage.connect('a', ['b']);
    await stage.until('a new link', () => a.link.isUp('b'));
  });

  it('are made to a node that comes later', async () => {
    const { stage, a, b } = current();
    const c = stage.node('c');
    await stage.connect('a', ['b', 'c']);
    await stage.until('the link', () => a.link.isUp('c'));
    expect(a.heard).toEqual(['up b', 'up c']);
    await c.link.close();
    await stage.until('the end', () => a.heard.includes('down c'));
    expect([a.link.isUp('b'), b.link.isUp('a')]).toEqual([true, true]);
  });

  it('call no handler once they are closed', async () => {
    const { stage, a, b } = current();
    const call = failure(stage, a.link.call('b', 'k', 1, DEADLINE_MS));
    await a.link.close();
    expect(await call).toMatchObject({ isSent: false });
    await stage.until('the end', () => b.heard.includes('down a') && b.heard.includes('gone a'));
    expect(a.heard).toEqual(['up b']);
    a.link.connect([{ process: 'b', url: b.link.url }]);
    expect(a.link.isUp('b')).toBe(false);
  });
}
