import { describe, expect, test } from 'vitest';
import { TwinError } from '../errors.ts';
import { maskOf } from './catalogue.ts';
import { JOURNAL_MAX, packChanges, unpackChanges } from './journal.ts';
import { JOURNAL_TICK_MAX, parseWorldOptions, START_TICK_MAX } from './world-options.ts';

const CITIES = ['harbour', 'hillside'];
const CHANGE = { tick: 100, car: 3, features: { aeb: false } };

function parse(body: unknown) {
  return parseWorldOptions(body, CITIES);
}

const changesOf = (body: unknown) =>
  unpackChanges(parse(body).journal?.changes ?? new Int32Array(0));

function journal(fields: object = {}): object {
  return { kernel: 'abc', seed: 7, city: 'hillside', tick: 500, changes: [CHANGE], ...fields };
}

/** The error for a body that has been encoded and parsed as JSON, as in a request. */
function refusal(body: unknown): TwinError {
  try {
    parse(JSON.parse(JSON.stringify(body)));
  } catch (error) {
    if (error instanceof TwinError) return error;
    throw error;
  }
  throw new Error(`taken: ${JSON.stringify(body)}`);
}

function expectRefused(body: unknown, field: string): void {
  const { code, hint } = refusal(body);
  expect(code).toBe('invalid_world_options');
  expect(hint).toContain(field);
}

describe('options without a journal', () => {
  test('may be left out altogether', () => {
    expect(parse(undefined)).toEqual({ startTick: 0 });
    expect(parse({})).toEqual({ startTick: 0 });
  });

  test('are read as given', () => {
    expect(parse({ seed: 0, city: 'hillside', start_tick: START_TICK_MAX })).toEqual({
      seed: 0,
      city: 'hillside',
      startTick: 90_000,
    });
    expect(parse({ seed: 2 ** 32 - 1 }).seed).toBe(2 ** 32 - 1);
  });

  test('read a negative zero as zero', () => {
    expect(Object.is(parse(JSON.parse('{"seed": -0}')).seed, 0)).toBe(true);
  });

  test.each([[[]], [null], ['x'], [1], [true]])('refuse a body such as %j', (body) => {
    expect(refusal(body).code).toBe('invalid_body');
  });

  test.each([-1, 1.5, 2 ** 32, '7', null, true, [], {}])('[W16] refuse the seed %j', (seed) => {
    expectRefused({ seed }, 'seed');
  });

  test.each(['', 'Harbour', 'constructor', 'atlantis', 0, null, ['harbour']])(
    '[W16] refuse the city %j and name the known cities',
    (city) => {
      expectRefused({ city }, 'city');
      expectRefused({ city }, 'harbour, hillside');
    },
  );

  test.each([-1, 0.5, START_TICK_MAX + 1, '0', null, false])(
    '[W16] refuse the start tick %j',
    (start_tick) => {
      expectRefused({ start_tick }, 'start_tick');
    },
  );

  test('[W16] refuse an unknown name, even one of Object.prototype', () => {
    expectRefused({ sede: 1 }, 'sede');
    expectRefused({ startTick: 1 }, 'startTick');
    expect(() => parse(JSON.parse('{"__proto__": {"seed": 1}}'))).toThrow(TwinError);
    expect(refusal({ ['x'.repeat(5000)]: 1 }).hint.length).toBeLessThan(200);
  });
});

describe('options with a journal', () => {
  test('take seed, city and changes from it', () => {
    expect(parse({ journal: journal() })).toEqual({
      seed: 7,
      city: 'hillside',
      startTick: 500,
      journal: {
        changes: packChanges([{ tick: 100, car: 3, touched: maskOf(['aeb']), values: 0 }]),
        kernel: 'abc',
      },
    });
  });

  test('accept a change of several features in any order', () => {
    const features = { esc: true, steering: false, aeb: true };
    const [change] = changesOf({ journal: journal({ changes: [{ ...CHANGE, features }] }) });
    expect(change).toEqual({
      tick: 100,
      car: 3,
      touched: maskOf(['esc', 'steering', 'aeb']),
      values: maskOf(['esc', 'aeb']),
    });
  });

  test('accept several changes at one tick, and no changes', () => {
    const changes = [CHANGE, { ...CHANGE, features: { aeb: true } }, { ...CHANGE, car: 4 }];
    expect(changesOf({ journal: journal({ changes }) })).toHaveLength(3);
    expect(changesOf({ journal: journal({ changes: [] }) })).toEqual([]);
  });

  test.each([[undefined], [null]])('take the kernel hash %j as none', (kernel) => {
    expect(parse({ journal: journal({ kernel }) }).journal?.kernel).toBeUndefined();
  });

  test('ignore unknown fields of the journal', () => {
    const later = journal({ weather: 'rain', changes: [{ ...CHANGE, by: 'dealer' }] });
    expect(parse({ journal: later })).toEqual(parse({ journal: journal() }));
  });

  test.each([{ seed: 7 }, { city: 'hillside' }, { seed: 8, city: 'harbour' }])(
    'refuse %j in addition to it, equal or not',
    (beside) => {
      expectRefused({ ...beside, journal: journal() }, Object.keys(beside)[0] ?? '');
    },
  );

  test('begin at the later of its tick and its last change by default', () => {
    expect(parse({ journal: journal({ tick: 99 }) }).startTick).toBe(100);
    expect(parse({ journal: journal({ tick: 101 }) }).startTick).toBe(101);
    expect(parse({ journal: journal({ tick: undefined }) }).startTick).toBe(100);
    expect(parse({ journal: journal({ changes: [], tick: 0 }) }).startTick).toBe(0);
    expect(parse({ journal: journal({ tick: JOURNAL_TICK_MAX }) }).startTick).toBe(2 ** 30);
  });

  test('begin no earlier than its last change', () => {
    expect(parse({ start_tick: 100, journal: journal() }).startTick).toBe(100);
    expectRefused({ start_tick: 99, journal: journal() }, 'start_tick');
  });

  test('begin at most at tick 90,000 or at the tick of the journal, whichever is later', () => {
    const long = journal({ tick: 120_000 });
    const longer = journal({ tick: 0, changes: [{ ...CHANGE, tick: 130_000 }] });
    expect(parse({ start_tick: 90_000, journal: journal() }).startTick).toBe(90_000);
    expectRefused({ start_tick: 90_001, journal: journal() }, 'start_tick');
    expect(parse({ start_tick: 120_000, journal: long }).startTick).toBe(120_000);
    expectRefused({ start_tick: 120_001, journal: long }, 'start_tick');
    expect(parse({ start_tick: 130_000, journal: longer }).startTick).toBe(130_000);
    expectRefused({ start_tick: 130_001, journal: longer }, 'start_tick');
  });

  test.each([
    ['journal', null],
    ['journal', []],
    ['journal', 'x'],
    ['journal.seed', journal({ seed: undefined })],
    ['journal.seed', journal({ seed: -1 })],
    ['journal.city', journal({ city: undefined })],
    ['journal.city', journal({ city: 'atlantis' })],
    ['journal.kernel', journal({ kernel: 1 })],
    ['journal.tick', journal({ tick: -1 })],
    ['journal.tick', journal({ tick: null })],
    ['journal.tick', journal({ tick: JOURNAL_TICK_MAX + 1 })],
    ['journal.changes', journal({ changes: undefined })],
    ['journal.changes', journal({ changes: {} })],
    ['journal.changes', journal({ changes: Array(JOURNAL_MAX + 1).fill(CHANGE) })],
  ])('refuse a wrong %s', (field, wrong) => {
    expectRefused({ journal: wrong }, field);
  });

  test.each([
    ['[0]', null],
    ['[0]', []],
    ['[0].tick', { ...CHANGE, tick: undefined }],
    ['[0].tick', { ...CHANGE, tick: -1 }],
    ['[0].tick', { ...CHANGE, tick: 0.5 }],
    ['[0].tick', { ...CHANGE, tick: JOURNAL_TICK_MAX + 1 }],
    ['[0].car', { ...CHANGE, car: undefined }],
    ['[0].car', { ...CHANGE, car: -1 }],
    ['[0].car', { ...CHANGE, car: 20 }],
    ['[0].car', { ...CHANGE, car: '3' }],
    ['[0].features', { ...CHANGE, features: undefined }],
    ['[0].features', { ...CHANGE, features: {} }],
    ['[0].features', { ...CHANGE, features: ['aeb'] }],
    ['warp_drive', { ...CHANGE, features: { warp_drive: true } }],
    ['constructor', { ...CHANGE, features: { constructor: true } }],
    ['[0].features.aeb', { ...CHANGE, features: { aeb: 1 } }],
    ['[0].features.aeb', { ...CHANGE, features: { aeb: null } }],
  ])('refuse a change with a wrong %s', (field, change) => {
    expectRefused({ journal: journal({ changes: [change] }) }, field);
  });

  test('refuse changes out of order and name the first one', () => {
    const changes = [100, 200, 199, 50].map((tick) => ({ ...CHANGE, tick }));
    expectRefused({ journal: journal({ changes }) }, 'journal.changes[2].tick');
  });

  test('accept as many changes as a world takes', () => {
    const changes = Array(JOURNAL_MAX).fill(CHANGE);
    expect(changesOf({ journal: journal({ changes }) })).toHaveLength(65_536);
  });
});

describe('options of a fork', () => {
  const fork = (fields: object = {}) => ({ fork: { world: '3f7qz0k2mw', tick: 50, ...fields } });

  test('are the other world, the tick and the changes after it', () => {
    expect(parse(fork({ changes: [CHANGE] })).fork).toEqual({
      world: '3f7qz0k2mw',
      tick: 50,
      changes: packChanges([{ tick: 100, car: 3, touched: maskOf(['aeb']), values: 0 }]),
    });
    expect(parse(fork()).fork?.changes).toHaveLength(0);
  });

  test.each([
    ['fork', { fork: [] }],
    ['fork', { fork: null }],
    ['fork.world', fork({ world: 7 })],
    ['fork.tick', fork({ tick: -1 })],
    ['fork.tick', fork({ tick: undefined })],
    ['fork.changes', fork({ changes: {} })],
    // The changes of the other world up to the tick are not to be given.
    ['fork.changes[0].tick', fork({ changes: [{ ...CHANGE, tick: 50 }] })],
    ['fork.changes[1].tick', fork({ changes: [CHANGE, { ...CHANGE, tick: 99 }] })],
    ['fork.changes[0].car', fork({ changes: [{ ...CHANGE, car: 20 }] })],
    ['fork.changes[0].features', fork({ changes: [{ ...CHANGE, features: { radio: false } }] })],
    ['car', fork({ car: 3 })],
    ['seed', { ...fork(), seed: 7 }],
    ['start_tick', { ...fork(), start_tick: 60 }],
    ['journal', { ...fork(), journal: journal() }],
  ])('[T20] are refused if %s is wrong', (field, body) => {
    expectRefused(body, field);
  });
});
