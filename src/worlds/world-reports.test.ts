import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { TwinError } from '../errors.ts';
import { STORE_WAIT_MS } from '../limits.ts';
import type { StateImage } from '../shard/protocol.ts';
import { TestTime } from '../testing/doubles/test-time.ts';
import type { ContactRecord } from '../twin/contact-records.ts';
import { WorldReports, type WorldReportsDependencies } from './world-reports.ts';

/** Longer than the pause before a failed write is repeated. */
const RETRY_MS = 1000;

const fact = (tick: number) => ({ tick, order: 0 }) as ContactRecord;
const image = (tick: number): StateImage => ({ tick, seq: 0, bytes: new Uint8Array() });

const turn = () => new Promise<void>((resolve) => void TestTime.standing().immediate(resolve));

const explained = (tick: number) => ({
  tick,
  order: 0,
  explanation: { failures: [], reruns: 0 },
});

/**
 * Records that note what they were given. They fail while `state.failing` is set, and take their
 * time for contacts until `state.slow` resolves.
 */
function setUp() {
  const saved: string[] = [];
  const warnings: string[] = [];
  const state = { failing: false, slow: Promise.resolve() };
  const attempt = async (what: string) => {
    if (state.failing) throw new Error('store failed');
    saved.push(what);
  };
  const incidents = async (facts: readonly ContactRecord[]) => {
    await state.slow;
    await attempt(`incidents ${facts.map(({ tick }) => tick).join(' ')}`);
  };
  const time = TestTime.standing();
  const images = { save: ({ tick }: StateImage) => attempt(`image ${tick}`) };
  const dependencies: WorldReportsDependencies = {
    records: {
      saveIncidents: (_, facts) => incidents(facts),
      saveExplanations: (_, all) =>
        attempt(`explanations ${all.map(({ tick }) => tick).join(' ')}`),
    },
    kernel: 'k',
    log: pino({ base: null }, { write: (line) => void warnings.push(JSON.parse(line).msg) }),
    time,
  };
  const reports = new WorldReports(1, dependencies, images);
  return { reports, saved, warnings, state, time };
}

describe('reports of a world', () => {
  it('are stored in order, an image behind the contacts before it', async () => {
    const { reports, saved } = setUp();
    reports.contacts(0, [fact(10)]);
    reports.image(image(400));
    await reports.stored();
    await reports.close();
    expect(saved).toEqual(['incidents 10', 'image 400']);
  });

  it('are stored once if a rebuilt world reports them again', async () => {
    const { reports, saved } = setUp();
    reports.contacts(0, [fact(10), fact(20)]);
    await reports.stored();
    reports.contacts(0, [fact(10), fact(20), fact(30)]);
    await reports.stored();
    expect(saved).toEqual(['incidents 10 20', 'incidents 30']);
  });

  it('go on being stored however closely one follows the other', async () => {
    const { reports, saved } = setUp();
    for (let i = 0; i < 50; i++) {
      reports.contacts(0, [fact(10)]);
      reports.contacts(i + 1, [fact(20 + i)]);
      for (let turns = 0; turns < i % 7; turns++) await Promise.resolve();
    }
    await reports.stored();
    expect(saved.join(' ').match(/\d+/g)).toHaveLength(51);
  });

  it('begin behind the contacts that an image already had', async () => {
    const { reports, saved } = setUp();
    reports.loaded(5);
    await reports.stored();
    reports.contacts(5, [fact(60)]);
    await reports.stored();
    expect(saved).toEqual(['incidents 60']);
  });

  it('keep no caller waiting for contacts that were reported after its call', async () => {
    const { reports, saved, state } = setUp();
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    state.slow = first.promise;
    reports.contacts(0, [fact(10)]);
    const early = reports.stored();
    state.slow = second.promise;
    reports.contacts(1, [fact(20)]);
    const late = reports.stored();
    first.resolve();
    await early;
    expect(saved).toEqual(['incidents 10']);
    second.resolve();
    await late;
    expect(saved).toEqual(['incidents 10', 'incidents 20']);
  });

  it('reject waiting callers if the store fails, and are kept until it works again', async () => {
    const { reports, saved, state, time } = setUp();
    state.failing = true;
    reports.contacts(0, [fact(10)]);
    await expect(reports.stored()).rejects.toThrow('store failed');
    reports.image(image(400));
    state.failing = false;
    await time.advance(RETRY_MS);
    await reports.stored();
    await reports.close();
    expect(saved).toEqual(['incidents 10', 'image 400']);
  });

  it('[R32] let no caller wait longer than a second, however long the store takes', async () => {
    const { reports, saved, state, time } = setUp();
    const slow = Promise.withResolvers<void>();
    state.slow = slow.promise;
    reports.contacts(0, [fact(10)]);
    const refused = expect(reports.stored()).rejects.toMatchObject({ code: 'store_unavailable' });
    await time.advance(STORE_WAIT_MS);
    await refused;
    slow.resolve();
    await reports.stored();
    expect(saved).toEqual(['incidents 10']);
  });

  it('[R33] leave it to the store to log that it fails', async () => {
    const { reports, warnings, state } = setUp();
    state.slow = Promise.reject(new TwinError('store_unavailable'));
    reports.contacts(0, [fact(10)]);
    await reports.close();
    expect(warnings).toEqual([]);
  });

  it('keep only the newest image, and let go one that cannot be saved', async () => {
    const { reports, saved, state } = setUp();
    state.failing = true;
    reports.image(image(400));
    await turn();
    state.failing = false;
    reports.contacts(0, [fact(10)]);
    reports.image(image(800));
    reports.image(image(1200));
    await reports.close();
    expect(saved).toEqual(['incidents 10', 'image 1200']);
  });

  it('bring explanations behind the contacts, and try them until the store takes them', async () => {
    const { reports, saved, state, time } = setUp();
    const told: number[] = [];
    state.failing = true;
    reports.explained(explained(10), () => told.push(10));
    await turn();
    state.failing = false;
    reports.contacts(0, [fact(20)]);
    reports.explained(explained(15), () => told.push(15));
    expect(told).toEqual([]);
    await time.advance(RETRY_MS);
    await reports.written();
    expect(saved).toEqual(['incidents 20', 'explanations 10 15']);
    expect(told).toEqual([10, 15]);
  });

  it('reject no caller that waits for contacts if explanations fail', async () => {
    const { reports, saved, warnings, state, time } = setUp();
    state.failing = true;
    reports.explained(explained(10), () => {});
    reports.contacts(0, [fact(20)]);
    const stored = reports.stored();
    state.failing = false;
    await turn();
    expect(warnings).toEqual(['explanations could not be saved; trying again']);
    await time.advance(RETRY_MS);
    await stored;
    await reports.written();
    expect(saved).toEqual(['incidents 20', 'explanations 10']);
  });

  it('end where the store goes on failing', async () => {
    const { reports, saved, warnings, state } = setUp();
    state.failing = true;
    reports.contacts(0, [fact(10)]);
    await reports.close();
    expect(saved).toEqual([]);
    expect(warnings).toEqual(['contacts could not be saved']);
  });
});
