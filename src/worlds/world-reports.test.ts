import { describe, expect, it } from 'vitest';
import { createLog } from '../log.ts';
import type { StateImage } from '../shard/protocol.ts';
import { TestTime } from '../testing/doubles/test-time.ts';
import type { ContactFacts } from '../twin/incidents.ts';
import { WorldReports } from './world-reports.ts';

/** Longer than the pause before a failed write is repeated. */
const RETRY_MS = 1000;

const fact = (tick: number) => ({ tick, order: 0 }) as ContactFacts;
const image = (tick: number): StateImage => ({ tick, seq: 0, bytes: new Uint8Array() });

const turn = () => new Promise<void>((resolve) => void TestTime.standing().immediate(resolve));

/** Records that note what they were given, and fail while `state.failing` is set. */
function setUp() {
  const saved: string[] = [];
  const state = { failing: false };
  const attempt = async (what: string) => {
    if (state.failing) throw new Error('store failed');
    saved.push(what);
  };
  const time = TestTime.standing();
  const reports = new WorldReports(1, {
    records: {
      saveIncidents: (_, facts) => attempt(`incidents ${facts.map(({ tick }) => tick).join(' ')}`),
      saveExplanations: (_, all) =>
        attempt(`explanations ${all.map(({ tick }) => tick).join(' ')}`),
      saveImage: (_, { tick }) => attempt(`image ${tick}`),
    },
    kernel: 'k',
    log: createLog('silent'),
    time,
  });
  return { reports, saved, state, time };
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
    const explained = (tick: number) => ({
      tick,
      order: 0,
      explanation: { failures: [], reruns: 0 },
    });
    state.failing = true;
    reports.explained(explained(10));
    await turn();
    state.failing = false;
    reports.contacts(0, [fact(20)]);
    reports.explained(explained(15));
    await time.advance(RETRY_MS);
    await reports.written();
    expect(saved).toEqual(['incidents 20', 'explanations 10 15']);
  });

  it('end where the store goes on failing', async () => {
    const { reports, saved, state } = setUp();
    state.failing = true;
    reports.contacts(0, [fact(10)]);
    await reports.close();
    expect(saved).toEqual([]);
  });
});
