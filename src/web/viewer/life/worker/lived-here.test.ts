import { describe, expect, test, vi } from 'vitest';
import { F_BRAKES } from '../../../../../assembly/layout.ts';
import type { LiveDependencies } from '../../../../../client/src/live-world.ts';
import { builtAssets } from '../../../../../client/testing/built-assets.ts';
import { LockstepDouble } from '../../../../../client/testing/lockstep-double.ts';
import { randomChanges } from '../../../../../client/testing/random-journal.ts';
import { TestTime } from '../../../../testing/doubles/test-time.ts';
import type { Snapshot } from '../../api/types.ts';
import type { Extent } from '../life.ts';
import { LocalLife, type WorkerPort } from '../local-life.ts';
import type { Report } from '../messages.ts';
import { LivedHere } from './lived-here.ts';

const AGE_TICKS = 7000;
/** The page has its map after so long. */
const MAP_MS = 300;

function passing(time: TestTime) {
  const until = async (condition: () => boolean) => {
    for (let turns = 0; !condition(); turns++) {
      if (turns > 10_000) throw new Error('that never happens');
      await time.advance(10);
    }
  };
  /** What a question is answered while time passes. */
  const answer = async <T>(asked: Promise<T>): Promise<T> => {
    let isSettled = false;
    const settled = asked.finally(() => {
      isSettled = true;
    });
    settled.catch(() => {});
    await until(() => isSettled);
    return settled;
  };
  return { until, answer };
}

/** A worker in the thread of its page. `reports`: gets all that it tells. */
function workerOf(dependencies: Partial<LiveDependencies>, reports: Report[]): WorkerPort {
  let toPage: (event: { data: Report }) => void = () => {};
  let lived: LivedHere | undefined;
  const report = (each: Report) => {
    reports.push(structuredClone(each));
    toPage({ data: structuredClone(each) });
  };
  return {
    postMessage(given) {
      const request = structuredClone(given);
      if (request.type === 'open') lived = new LivedHere(request, report, dependencies);
      else lived?.take(request);
    },
    addEventListener(type: string, listener: (event: { data: Report }) => void) {
      if (type === 'message') toPage = listener;
    },
    terminate() {},
  };
}

/** A page and its worker in one thread, and a node that is a double, on the time of the test. */
async function stage(
  prepare: (node: LockstepDouble) => void = () => {},
  ageTicks = AGE_TICKS,
  journalIsRead: Promise<void> = Promise.resolve(),
) {
  const time = TestTime.standing();
  const node = new LockstepDouble(time, { seed: 12, ageTicks });
  node.changes.push(...randomChanges(12, AGE_TICKS - 1000));
  prepare(node);
  const frames: { tick: number; dueMs: number }[] = [];
  const corrected: { frames: readonly Snapshot[]; lateTicks: number }[] = [];
  const states: string[] = [];
  const loading: string[] = [];
  const dependencies = {
    platform: { now: () => time.now(), after: time.after.bind(time), random: () => 0 },
    ...{ openSocket: node.openSocket, isGone: async () => node.isGone },
    fetchAssets: () => {
      loading.push('loads');
      return builtAssets(node.city);
    },
    fetchJournal: async () => {
      await journalIsRead;
      return node.changes;
    },
  };
  const reports: Report[] = [];
  const life = new LocalLife(workerOf(dependencies, reports), {
    frame: ({ tick }, dueMs) => frames.push({ tick, dueMs }),
    corrected: (shown, lateTicks) => corrected.push({ frames: shown, lateTicks }),
    fleet: () => {},
    met: (isNew) => {
      loading.push(isNew ? 'new' : 'old');
      time.after(MAP_MS, () => {
        loading.push('may load');
        life.load();
      });
    },
    state: (state) => states.push(state),
    watchers: () => {},
    failed: () => {},
  });
  life.open(node.id, node.stream_url);
  const { until, answer } = passing(time);
  await until(() => life.state.value === 'living');
  return { time, node, life, frames, corrected, states, loading, reports, until, answer };
}

/** The states of a world as its node has them. */
async function truthOf(node: LockstepDouble, ticks: readonly number[]): Promise<Snapshot[]> {
  const states: Snapshot[] = [];
  for (const tick of ticks) {
    const world = await node.truth(tick);
    states.push(world.snapshot());
    world.close();
  }
  return states;
}

describe('[P41] a world that lives in the page', () => {
  test('tells of its whole life, also of what was before the page was opened', async () => {
    const { node, life, until, answer } = await stage((each) => {
      each.imageAgeTicks = 500;
    });
    await until(() => life.extent.value?.[0] === 0);
    const truth = await node.truth(life.extent.value?.[1] ?? 0);
    const collisions = truth.incidents();
    expect(collisions.length).toBeGreaterThan(0);
    const marked = life.marks.value.filter(({ kind }) => kind === 'incident');
    // The newest may be half a second old, or less.
    const old = collisions.filter(({ tick }) => tick < truth.tick - 100);
    expect(marked.slice(0, old.length).map(({ incident, tick }) => [incident, tick])).toEqual(
      old.map(({ id, tick }) => [id, tick]),
    );
    const others = truth.events(1000).filter(({ kind }) => kind !== 'collision');
    expect(life.marks.value.map(({ message }) => message)).toEqual(
      expect.arrayContaining(others.slice(0, -20).map(({ message }) => message)),
    );
    const ticks = [1000, 1003, 1006];
    expect(await answer(life.frames([1000, 1008], 3))).toEqual(await truthOf(node, ticks));
    expect(await answer(life.events(2000))).toEqual(truth.events(60, 2000).toReversed());
    await expect(answer(life.frames([0, 1_000_000], 100_000))).rejects.toThrow(/are known/);
    truth.close();
  });

  test('answers what is asked of its past before that is known, once it is', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const withImage = (each: LockstepDouble) => {
      each.imageAgeTicks = 500;
    };
    const { time, node, life, answer } = await stage(withImage, AGE_TICKS, promise);
    const [first] = life.extent.value ?? [0];
    const truth = await node.truth(AGE_TICKS);
    const early = truth.incidents().find(({ tick }) => tick < first);
    if (early === undefined) throw new Error('something collides before the image');
    const asked = [life.ask('incident', early.id), life.ask('replay', early.id, [])] as const;
    await time.advance(2000);
    expect([life.extent.value?.[0], life.begin.value]).toEqual([first, undefined]);
    resolve();
    const [incident, replay] = await answer(Promise.all(asked));
    expect(life.begin.value).toBe(0);
    expect(incident).toEqual(await truth.explain(early.id));
    expect(replay).toEqual(await truth.replay(early.id));
    expect(await answer(life.ask('incident', 'i17-0'))).toBeNull();
    truth.close();
  });

  test.each([
    ['new', 500],
    ['old', AGE_TICKS],
  ])(
    'loads nothing before the page has what comes first: a world that is %s',
    async (age, ticks) => {
      const { loading } = await stage(() => {}, ticks);
      expect(loading).toEqual([age, 'may load', 'loads']);
    },
  );

  test('knows how many collisions there were in any part of it', async () => {
    const { node, life, answer } = await stage();
    const truth = await node.truth(AGE_TICKS);
    const incidents = truth.incidents();
    const [first, second] = incidents.map(({ tick }) => tick);
    expect(incidents.length).toBeGreaterThan(2);
    expect(await answer(life.incidentCount([0, AGE_TICKS]))).toBe(incidents.length);
    expect(await answer(life.incidentCount([first ?? 0, second ?? 0]))).toBe(1);
    truth.close();
  });

  test('has branches that go on by themselves, a few at a time', async () => {
    const { node, life, answer } = await stage();
    const vin = (await node.truth(0)).fleet[0]?.vin ?? '';
    const switchings = [
      { tick: 2001, vin, features: { brakes: false, steering: false } },
      { tick: 3500, vin, features: { brakes: true } },
    ];
    const branch = await answer(life.branch(2000, switchings));
    const extent: Extent = [2000, 4000];
    const own = await answer(branch.frames(extent, 100));
    expect([branch.fromTick, branch.tick]).toEqual([2000, 4000]);
    expect(branch.switchings).toEqual(switchings);
    const forked = (await node.truth(2000)).fork();
    forked.set(vin, { brakes: false, steering: false });
    forked.step(1499);
    forked.set(vin, { brakes: true });
    forked.step(501);
    expect(own.at(-1)).toEqual(forked.snapshot());
    forked.close();
    const original = await answer(life.frames(extent, 100));
    expect(own[0]).toEqual(original[0]);
    expect(own.at(-1)).not.toEqual(original.at(-1));
    expect(own.map(({ tick }) => tick)).toEqual(original.map(({ tick }) => tick));
    const incidents = await answer(branch.incidents());
    expect(incidents.every(({ tick }) => tick > 2000)).toBe(true);
    const others = [1, 2, 3].map((tick) => life.branch(tick, []));
    await answer(Promise.all(others));
    await expect(answer(life.branch(9, []))).rejects.toThrow(/too many/);
    branch.close();
    await expect(answer(branch.frames(extent, 100))).rejects.toThrow(/closed/);
    expect((await answer(life.branch(9, []))).fromTick).toBe(9);
  });
});

describe('a world that lives in the page', () => {
  test('shows every second state, and says when it was due by the clock of the node', async () => {
    const { time, node, frames } = await stage();
    await time.advance(2000);
    const [first, last] = [frames[0], frames.at(-1)];
    if (first === undefined || last === undefined) throw new Error('frames have come');
    expect(frames.map(({ tick }) => tick)).toEqual(frames.map((_, i) => first.tick + 2 * i));
    expect((time.now() - last.dueMs) / 20).toBeCloseTo(node.tick - last.tick, 3);
  });

  test('[P42] tells anew what a change has made of the last states that came late', async () => {
    const { time, node, corrected, frames } = await stage();
    await time.advance(2000);
    node.change(4, F_BRAKES, 0, 400);
    await time.advance(1000);
    const [{ frames: states, lateTicks }] = corrected as [(typeof corrected)[number]];
    expect(lateTicks).toBeGreaterThan(10);
    expect(states.length).toBeGreaterThan(5);
    expect(states).toEqual(
      await truthOf(
        node,
        states.map(({ tick }) => tick),
      ),
    );
    expect(frames.map(({ tick }) => tick)).toEqual(
      expect.arrayContaining(states.map(({ tick }) => tick)),
    );
  });

  test('tells its past anew where a change came after what it undoes was told', async () => {
    const { time, node, life, until } = await stage();
    for (let car = 0; car < 20; car++) node.change(car, F_BRAKES, 0);
    await time.advance(2000);
    node.refuses = () => true;
    node.endAll(1006);
    for (let car = 0; car < 20; car++) node.change(car, F_BRAKES, F_BRAKES);
    await time.advance(30_000);
    const toldAlone = life.happened.value.incidents;
    node.refuses = () => false;
    await until(() => life.state.value === 'living');
    await time.advance(2000);
    const { events, incidents } = life.happened.value;
    const truth = await node.truth(life.extent.value?.[1] ?? 0);
    const ids = incidents.map(({ id }) => id);
    const isTold = ({ tick }: { tick: number }) => tick <= truth.tick - 60;
    const wanted = truth.incidents().filter(isTold);
    expect(ids).toEqual(expect.arrayContaining(wanted.map(({ id }) => id)));
    expect(toldAlone.filter(({ id }) => truth.incident(id) === undefined).length).toBeGreaterThan(
      2,
    );
    expect(ids.filter((id) => truth.incident(id) === undefined)).toEqual([]);
    expect(events.filter(isTold)).toEqual(truth.events(60, events.at(-1)?.tick).filter(isTold));
    truth.close();
  });

  test('tells its past anew once a second at most, however often features are switched', async () => {
    const { time, node, life } = await stage();
    const before = life.edition.value;
    node.delayMs = () => 1500;
    for (let i = 0; i < 60; i++) {
      node.change(i % 20, F_BRAKES, i < 20 ? 0 : F_BRAKES);
      await time.advance(50);
    }
    await time.advance(4000);
    const editions = life.edition.value - before;
    expect(editions).toBeGreaterThan(0);
    expect(editions).toBeLessThanOrEqual(5);
  });

  test('tells what it has missed as its past', async () => {
    const { time, node, life, reports, until } = await stage();
    for (let car = 0; car < 20; car++) node.change(car, F_BRAKES, 0);
    await time.advance(2000);
    node.refuses = () => true;
    node.endAll(1006);
    await time.advance(120_000);
    const [missedFrom, before] = [life.extent.value?.[1] ?? 0, reports.length];
    node.refuses = () => false;
    await until(() => life.state.value === 'living');
    await time.advance(500);
    const since = reports.slice(before);
    const news = since.flatMap((each) => (each.type === 'news' ? each.events : []));
    expect(news.filter(({ tick }) => tick < node.tick - 600)).toEqual([]);
    const pasts = since.flatMap((each) => (each.type === 'past' ? [each] : []));
    expect(pasts).toHaveLength(1);
    const truth = await node.truth(pasts[0]?.extent[1] ?? 0);
    const missed = truth
      .incidents()
      .filter(({ tick }) => tick > missedFrom && tick < node.tick - 600);
    expect(missed.length).toBeGreaterThan(0);
    const ids = pasts[0]?.incidents.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(missed.map(({ id }) => id)));
    truth.close();
  });

  test('tells what happens, and reports that grow and are explained', async () => {
    const { time, node, life } = await stage();
    const before = life.happened.value;
    for (let car = 0; car < 20; car++) node.change(car, F_BRAKES, 0);
    await time.advance(60_000);
    const { events, incidents } = life.happened.value;
    expect(events.at(-1)?.seq).toBeGreaterThan(before.events.at(-1)?.seq ?? 0);
    expect(events.length).toBe(60);
    const old = incidents.filter(({ tick }) => tick < node.tick - 1000);
    const truth = await node.truth(Math.floor(node.tick) - 100);
    const newest = old.slice(-5);
    expect(newest.length).toBe(5);
    for (const incident of newest) expect(incident).toEqual(await truth.explain(incident.id));
    expect(newest.every(({ explained }) => explained)).toBe(true);
    truth.close();
  });

  test('goes on alone, then again with the node, and is gone with it', async () => {
    const { time, node, life, states, until } = await stage();
    node.refuses = () => true;
    node.endAll(1006);
    await until(() => life.state.value === 'alone');
    expect(life.extent.value).toBeDefined();
    node.refuses = () => false;
    await until(() => life.state.value === 'living');
    node.isGone = true;
    node.endAll(1006);
    await until(() => life.state.value === 'gone');
    await time.advance(1000);
    expect(states).toEqual(['living', 'alone', 'living', 'alone', 'gone']);
    expect(life.extent.value).toBeUndefined();
  });

  test('[P37] is unverified where it differs and the node sends nothing instead', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
    const { time, node, life, states, until } = await stage();
    node.refuses = (encoding) => encoding !== 'lockstep';
    node.isSpoiled = true;
    await until(() => life.state.value === 'unverified');
    expect(life.extent.value).toBeDefined();
    node.isSpoiled = false;
    await until(() => life.state.value === 'living');
    await time.advance(1000);
    expect(states).toEqual(['living', 'unverified', 'living']);
    expect(logged).toHaveBeenCalled();
    logged.mockRestore();
  });

  test('opens its connection anew when the page was asleep', async () => {
    const { time, node, life } = await stage();
    await time.advance(1000);
    life.reconnect();
    await time.advance(1000);
    expect(node.queries.length).toBe(2);
    expect(node.queries[1]?.get('since')).toBe(String(node.changes.length));
    expect([life.state.value, node.connectionCount]).toEqual(['living', 1]);
  });
});
