import { expect, test } from 'vitest';
import { SLAB_BYTES } from '../../assembly/layout.ts';
import { TwinError } from '../errors.ts';
import {
  PAST_PORTION_TICKS,
  PAST_STATES_MAX,
  PAST_STATES_OF_CLIENT_MAX,
  PAST_WAIT_MS,
} from '../limits.ts';
import {
  type PastStateAnswer,
  type PastStateTask,
  packNumbered,
  type StateImage,
} from '../shard/protocol.ts';
import { ReadAdmission } from '../shard/read-admission.ts';
import { nextTurn, TestTime } from '../testing/doubles/test-time.ts';
import type { NumberedChange } from '../twin/journal.ts';
import type { Asker } from '../twin-service.ts';
import { KeptStates } from './kept-states.ts';
import { PastStates } from './past-states.ts';
import type { WorldLoader } from './world-loader.ts';
import type { WorldParts } from './world-parts.ts';

const NOW = 1_000_000;

/** Affords some ticks in all. */
function askerWith(ticks: number): Asker & { spent: number } {
  return {
    client: 'a',
    spent: 0,
    affords(count) {
      return this.spent + count <= ticks;
    },
    spares: () => true,
    spend(count) {
      this.spent += count;
    },
  };
}

/** What a shard is asked, and how the test answers. */
interface Asked extends PromiseWithResolvers<PastStateAnswer> {
  task: PastStateTask;
}

/** A world at tick NOW, on a shard for which the test answers. */
function setUp(changes: readonly NumberedChange[] = [], stored?: StateImage) {
  const time = TestTime.standing();
  const asked: Asked[] = [];
  let reads = 0;
  const shard = {
    pastReads: new ReadAdmission(PAST_STATES_MAX, PAST_STATES_OF_CLIENT_MAX),
    pastState(task: PastStateTask) {
      const answer = Promise.withResolvers<PastStateAnswer>();
      asked.push({ task, ...answer });
      return answer.promise;
    },
  };
  const records = {
    packedChanges: async (_: number, __: object, afterSeq: number, toTick: number) => {
      reads++;
      return packNumbered(changes.filter(({ seq, tick }) => seq > afterSeq && tick <= toTick));
    },
  };
  const parts = {
    world: { number: 7, id: 'w', tick: () => NOW },
    record: { seed: 1, from: { tick: 0, seq: 0, masks: [] } },
    ticks: { now: () => NOW, answer: (tick: number) => tick },
    guard: { refuseInQuarantine: () => {} },
    journal: { seq: changes.at(-1)?.seq ?? 0, settledUpTo: async () => {} },
    residency: { isRetired: false },
    ladder: { nearest: async () => stored },
    shared: {
      clock: { now: () => 0 },
      log: { warn: () => {} },
      cityIndex: 0,
      isShown: () => true,
      keptStates: new KeptStates(),
      ...{ records, shard, time },
    },
  } as unknown as WorldParts;
  const loader = { startedOver: async () => {} } as unknown as WorldLoader;
  const states = new PastStates(parts, loader);
  return {
    asked,
    readCount: () => reads,
    time,
    at: (tick: number, asker: Asker) => states.at({ tick, encoding: 'json', asker }),
    /** The task with this index, once the shard has it. */
    task: async (index: number): Promise<Asked> => {
      for (let turn = 0; turn < 20 && asked.length <= index; turn++) await nextTurn();
      const found = asked[index];
      if (found === undefined) throw new Error(`the shard was not asked ${index + 1} times`);
      return found;
    },
  };
}

/** A state that shows its tick. */
function answerTo({ task }: Asked): PastStateAnswer {
  const snapshot = task.encoding && Buffer.from(`${task.tick}`);
  return { image: new Uint8Array(SLAB_BYTES), hash: BigInt(task.tick), snapshot };
}

test('[L34] each portion is paid, and what was lived for a refused request is kept', async () => {
  const { asked, at, task } = setUp();
  const last = 2 * PAST_PORTION_TICKS + 4000;
  const poor = askerWith(PAST_PORTION_TICKS + 1000);
  const refused = at(last, poor);
  refused.catch(() => {});
  const first = await task(0);
  expect(first.task).toMatchObject({ tick: PAST_PORTION_TICKS, encoding: undefined });
  first.resolve(answerTo(first));
  await expect(refused).rejects.toMatchObject({ code: 'rate_limited', status: 429 });
  expect(poor.spent).toBe(PAST_PORTION_TICKS);

  const next = askerWith(PAST_PORTION_TICKS + 4000);
  const answered = at(last, next);
  for (const index of [1, 2]) {
    const each = await task(index);
    each.resolve(answerTo(each));
  }
  const hash = last.toString(16).padStart(16, '0');
  expect(await answered).toEqual({ snapshot: Buffer.from(`${last}`), hash });
  expect(next.spent).toBe(PAST_PORTION_TICKS + 4000);
  const begins = asked.map((each) => each.task.past.image?.tick);
  expect(begins).toEqual([undefined, PAST_PORTION_TICKS, 2 * PAST_PORTION_TICKS]);
});

test('[L34] it is lived on for a request that waits no longer, and the next one joins', async () => {
  const { asked, at, task, time } = setUp();
  const asker = askerWith(9000);
  const refused = at(9000, asker);
  refused.catch(() => {});
  const only = await task(0);
  time.advance(PAST_WAIT_MS);
  await expect(refused).rejects.toMatchObject({ code: 'overloaded', status: 503, retryAfterS: 1 });
  const again = at(9000, asker);
  await nextTurn();
  only.resolve(answerTo(only));
  expect((await again).hash).toBe('0000000000002328');
  expect([asked.length, asker.spent]).toEqual([1, 9000]);
  // From now on it is the nearest state, also to itself.
  const later = at(9000, asker);
  const kept = await task(1);
  expect(kept.task.past.image?.tick).toBe(9000);
  kept.resolve(answerTo(kept));
  await later;
  expect(asker.spent).toBe(9000);
});

test('[L34] a state is lived once for all that ask for it at the same time', async () => {
  const { asked, at, task } = setUp();
  const askers = [askerWith(5000), askerWith(5000), askerWith(0)];
  const states = Promise.all(askers.map((asker) => at(5000, asker)));
  const only = await task(0);
  only.resolve(answerTo(only));
  expect(new Set((await states).map(({ hash }) => hash)).size).toBe(1);
  expect([asked.length, ...askers.map(({ spent }) => spent)]).toEqual([1, 5000, 0, 0]);
});

test('whoever joins another one does not share its refusal', async () => {
  const { at, task } = setUp();
  const [first, second] = [at(5000, askerWith(5000)), at(5000, askerWith(5000))];
  first.catch(() => {});
  (await task(0)).reject(new TwinError('rate_limited'));
  await expect(first).rejects.toMatchObject({ code: 'rate_limited' });
  const own = await task(1);
  own.resolve(answerTo(own));
  expect((await second).hash).toBe('0000000000001388');
});

test('[L34] changes that have to be read are paid too, and none is read without need', async () => {
  const change = { car: 0, touched: 1, values: 0 };
  const changes = [1, 2, 3].map((seq) => ({ ...change, seq, tick: 1000 * seq }));
  const { at, readCount, task } = setUp(changes);
  const asker = askerWith(10_000);
  const early = at(4000, asker);
  const first = await task(0);
  expect(first.task.past.changes).toEqual(packNumbered(changes));
  first.resolve(answerTo(first));
  await early;
  expect(asker.spent).toBeGreaterThan(4000);
  const late = at(5000, asker);
  const second = await task(1);
  expect(second.task.past).toMatchObject({
    image: { tick: 4000, seq: 3 },
    changes: new Int32Array(),
  });
  second.resolve(answerTo(second));
  await late;
  expect(readCount()).toBe(1);
});

test('a world is lived from the nearest state in the store, where none in memory is nearer', async () => {
  const stored = { tick: 60_000, seq: 0, bytes: new Uint8Array(SLAB_BYTES) };
  const { asked, at, task } = setUp([], stored);
  const asker = askerWith(20_000);
  for (const [index, tick] of [70_000, 70_100].entries()) {
    const state = at(tick, asker);
    const each = await task(index);
    each.resolve(answerTo(each));
    await state;
  }
  expect(asked.map((each) => each.task.past.image?.tick)).toEqual([60_000, 70_000]);
});

test('[L34] whoever has too many under way is refused, and does not pay for what is not lived', async () => {
  const { asked, at, task } = setUp();
  const asker = askerWith(1_000_000);
  const ticks = Array.from({ length: PAST_STATES_OF_CLIENT_MAX }, (_, i) => 8000 + 4 * i);
  const states = ticks.map((tick) => at(tick, asker));
  await task(ticks.length - 1);
  const { spent } = asker;
  await expect(at(9000, asker)).rejects.toMatchObject({ code: 'rate_limited', status: 429 });
  expect(asker.spent).toBe(spent);
  for (const each of asked) each.resolve(answerTo(each));
  await Promise.all(states);
  const next = at(9000, asker);
  const last = await task(ticks.length);
  last.resolve(answerTo(last));
  expect((await next).hash).toBe('0000000000002328');
});
