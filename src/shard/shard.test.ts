import { expect, test } from 'vitest';
import { NodeClock } from '../clock.ts';
import { FORECASTS_OF_CLIENT_MAX, REPLAYS_MAX } from '../limits.ts';
import { createLog } from '../log.ts';
import { TestTime } from '../testing/doubles/test-time.ts';
import type { ForecastAnswer } from './protocol.ts';
import { Shard } from './shard.ts';
import type { ShardThread } from './shard-thread.ts';

/** A shard whose thread answers forecasts when the test says so. */
async function startShard() {
  const asked: { resolve(answer: ForecastAnswer): void; reject(error: unknown): void }[] = [];
  const thread: ShardThread = {
    ready: Promise.resolve(),
    command() {},
    run: (name) => {
      const answer = Promise.withResolvers<never>();
      const resolve = (told: ForecastAnswer) => answer.resolve(told as never);
      if (name === 'forecast') asked.push({ resolve, reject: answer.reject });
      return answer.promise;
    },
    nextReport: () => undefined,
    end: async () => {},
  };
  const time = TestTime.standing();
  const shard = new Shard(0, {
    ...{
      wasm: new Uint8Array(0),
      cities: { cities: [], tables: [], names: [] },
      slabCount: 1,
    },
    ...{ admittedPerMille: 600, clock: new NodeClock(time, 0), time, log: createLog('silent') },
    ...{ faults: false, makeThread: () => thread },
  });
  await shard.start({ report() {}, died() {} });
  return {
    asked,
    forecast: (client: string) =>
      shard
        .forecast({ client, world: 7, cityIndex: 0, residency: 1, needs: [] })
        .then(({ outcome }) => outcome)
        .catch(({ code }: { code: string }) => code),
  };
}

const TOLD: ForecastAnswer = {
  ...{ outcome: 'told', fromTick: 0, rows: new Int32Array(), ways: new Float32Array() },
};

test('[W38] a client has so many forecasts under way, and others are not refused for it', async () => {
  const { asked, forecast } = await startShard();
  const running = Array.from({ length: FORECASTS_OF_CLIENT_MAX }, () => forecast('a'));
  expect(await forecast('a')).toBe('rate_limited');
  running.push(forecast('b'));
  expect(asked).toHaveLength(FORECASTS_OF_CLIENT_MAX + 1);
  asked[0]?.resolve(TOLD);
  expect(await running[0]).toBe('told');
  running.push(forecast('a'));
  for (const each of asked) each.resolve(TOLD);
  expect(new Set(await Promise.all(running))).toEqual(new Set(['told']));
});

test('a forecast that fails makes room, and all clients together have so many', async () => {
  const { asked, forecast } = await startShard();
  const running = Array.from({ length: REPLAYS_MAX }, (_, i) => forecast(`client ${i}`));
  expect(await forecast('another')).toBe('overloaded');
  asked[0]?.reject({ code: 'world_unavailable' });
  expect(await running[0]).toBe('world_unavailable');
  running.push(forecast('another'));
  for (const each of asked) each.resolve(TOLD);
  expect(await running.at(-1)).toBe('told');
});
