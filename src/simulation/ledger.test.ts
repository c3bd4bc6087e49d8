import { beforeEach, describe, expect, test } from 'vitest';
import { H_SEED } from '../../assembly/layout.ts';
import { encodeKey, packValue } from '../store/encoding.ts';
import { SCRIPTS } from '../store/redis/redis-scripts.ts';
import { worldRecord } from '../testing/doubles/world-record.ts';
import { WORLD_NUMBER_END } from '../twin/ids.ts';
import type { WorldRecord } from '../worlds/records.ts';
import { Observer, type Publisher } from './observer.ts';
import { changedState, firstState, shownState, toyKernelHash } from './toy-kernel.ts';
import { Trace } from './trace.ts';
import { Violation } from './violation.ts';

const PARTITION = 3;
const WORLD = (PARTITION * WORLD_NUMBER_END) / 64 + 5;
const IDLE_MS = 10_000;
const SEED = 9;

const RECORD = worldRecord({ seed: SEED, kernel: toyKernelHash(1) });

let nowMs: number;
let observer: Observer;
let failures: unknown[];
let grants: Map<string, number>;

beforeEach(() => {
  nowMs = 0;
  failures = [];
  grants = new Map();
  observer = newObserver(false);
  grant('a', 100);
  write('a#1', [['world'], RECORD]);
});

function newObserver(isPlanned: boolean): Observer {
  return new Observer(
    {
      idleMs: IDLE_MS,
      earlyMs: 1000,
      leaseMs: 0,
      plannedMs: isPlanned ? 0 : Number.POSITIVE_INFINITY,
    },
    { nowMs: () => nowMs, trace: new Trace(() => nowMs), failed: (each) => failures.push(each) },
  );
}

/** Names of the invariants that do not hold. */
const failed = () => failures.map((each) => (each instanceof Violation ? each.invariant : each));

function execute(args: unknown[], reply: unknown): void {
  try {
    observer.ledger.executed('EVALSHA', args as never, reply as never);
  } catch (error) {
    failures.push(error);
  }
}

const LEASE = 'dt:{p03}:lease';

function grant(name: string, epoch: number): void {
  const token = Buffer.from(`${name}#1`);
  execute([SCRIPTS.lease.sha1, 1, LEASE, name], [1, token, 6000, Buffer.from('1'), epoch]);
  grants.set(name, epoch);
}

/** Each of a kind of record with what follows the world in its key, and its value; null removes it. */
function write(token: string, ...records: [[string, ...number[]], unknown][]): void {
  const writes = records.flatMap(([[kind, ...rest], value]) => {
    const key = encodeKey(['p', PARTITION, kind, WORLD, ...rest]);
    return value === null ? [key, '-', ''] : [key, '+', packValue(value)];
  });
  execute([SCRIPTS.commit.sha1, 1, LEASE, token, 0, ...writes], 1);
}

const change = (token: string, seq: number, tick: number) =>
  write(token, [
    ['journal', seq],
    [tick, 2, 6, 4],
  ]);

function publisher(name: string, overdueMs = -1): Publisher {
  return { name, epochOf: () => grants.get(name), overdueMs: () => overdueMs };
}

const first = firstState(SEED, 0, []);
const stateWith = (tick: number) => changedState(first, { tick, car: 2, touched: 6, values: 4 });
const frame = (tick: number, state = first) => ({ tick, state: shownState(state, tick) });
const show = (name: string, tick: number, state = first) =>
  observer.framed(publisher(name), WORLD, frame(tick, state));

test('what is right is no violation', () => {
  show('a', 4);
  change('a#1', 1, 6);
  show('a', 8, stateWith(6));
  grant('b', 200);
  show('b', 12, stateWith(6));
  change('b#1', 2, 14);
  nowMs = 2 * IDLE_MS;
  write('b#1', [['world'], null]);
  expect(failed()).toEqual([]);
  expect(observer.counts).toMatchObject({ takeovers: 1, drops: 1 });
});

describe('I1', () => {
  test('a grant writes after a later one', () => {
    grant('b', 200);
    change('b#1', 1, 6);
    change('a#1', 2, 8);
    expect(failed()).toEqual(['I1']);
  });

  test('a grant has no higher epoch than the one before', () => {
    grant('b', 100);
    expect(failed()).toEqual(['I1']);
  });

  test('a former grant holds the partition again', () => {
    grant('b', 200);
    grant('a', 100);
    expect(failed()).toEqual(['I1']);
  });

  test('a connection writes after a later one', () => {
    change('a#2', 1, 6);
    change('a#1', 2, 8);
    expect(failed()).toEqual(['I1']);
  });
});

test('I2: the journal has a hole', () => {
  change('a#1', 2, 6);
  expect(failed()).toEqual(['I2']);
});

describe('I3', () => {
  test('frames go back', () => {
    show('a', 8);
    show('a', 4);
    expect(failed()).toEqual(['I3']);
  });

  test('a read shows less than what was shown when it was asked', () => {
    show('a', 8);
    observer.asks('r', WORLD);
    observer.answered(publisher('a'), 'r', frame(7));
    expect(failed()).toEqual(['I3']);
  });

  test('a later holder begins before the last frame of the earlier one, if the store has its mark', () => {
    const restore = observer.ledger.save();
    show('a', 8);
    grant('b', 200);
    show('b', 4);
    expect(failed()).toEqual(['I3']);
    restore();
    grant('c', 300);
    show('c', 2);
    expect(failed()).toEqual(['I3']);
  });

  test('a stream shows a frame twice', () => {
    const stream = observer.stream('a', WORLD);
    for (const tick of [4, 8, 8]) stream.framed(frame(tick));
    expect(failed()).toEqual(['I3']);
  });
});

describe('I4', () => {
  test('a change is acknowledged that the store does not have', () => {
    const asked = { car: 2, touched: 6, values: 4 };
    observer.asks('r1', WORLD, asked);
    change('a#1', 1, 6);
    observer.acknowledged(publisher('a'), 'r1');
    expect(failed()).toEqual([]);
    observer.asks('r2', WORLD, { ...asked, values: 2 });
    observer.acknowledged(publisher('a'), 'r2');
    expect(failed()).toEqual(['I4']);
  });

  test('a change that changes nothing need not be in the store', () => {
    change('a#1', 1, 6);
    nowMs = 10;
    observer.asks('r', WORLD, { car: 2, touched: 4, values: 4 });
    observer.acknowledged(publisher('a'), 'r');
    expect(failed()).toEqual([]);
  });

  test('a world is shown past its deadline, or without a grant', () => {
    observer.framed(publisher('a', 5), WORLD, frame(4));
    observer.framed(publisher('nobody'), WORLD, frame(8));
    expect(failed()).toEqual(['I4', 'I4']);
  });
});

describe('I5', () => {
  test('a frame leaves a change out, or has one that is not in the journal', () => {
    change('a#1', 1, 6);
    show('a', 8);
    show('a', 12, stateWith(7));
    expect(failed()).toEqual(['I5', 'I5']);
  });

  test('a change is made at a tick that was shown', () => {
    show('a', 8);
    change('a#1', 1, 8);
    expect(failed()).toEqual(['I5']);
  });

  test('what the store has lost may be shown by whoever knew it', () => {
    const restore = observer.ledger.save();
    change('a#1', 1, 6);
    restore();
    show('a', 8, stateWith(6));
    show('a', 12);
    expect(failed()).toEqual([]);
    expect(observer.ledger.world(WORLD)?.changeCount).toBe(0);
  });
});

describe('where nothing fails', () => {
  beforeEach(() => {
    observer = newObserver(true);
  });

  test('what is right is no violation', () => {
    const stream = observer.stream('a', WORLD);
    for (const tick of [9, 13, 17]) stream.framed(frame(tick));
    observer.answeredWith('r', 404, 'gone');
    expect(failed()).toEqual([]);
  });

  test('I7: a stream leaves a frame out', () => {
    const stream = observer.stream('a', WORLD);
    for (const tick of [4, 8, 16]) stream.framed(frame(tick));
    expect(failed()).toEqual(['I7']);
  });

  test('I8: a request fails', () => {
    observer.answeredWith('r', 503, 'a hint');
    expect(failed()).toEqual(['I8']);
  });

  test('I13: a world stands still', () => {
    const stream = observer.stream('a', WORLD);
    stream.framed(frame(4));
    nowMs = 1001;
    stream.framed(frame(8));
    expect(failed()).toEqual(['I13']);
  });
});

test('frames are left out and requests fail where nodes fail', () => {
  const stream = observer.stream('a', WORLD);
  stream.framed(frame(4));
  nowMs = 1001;
  stream.framed(frame(16));
  observer.answeredWith('r', 503, 'a hint');
  expect(failed()).toEqual([]);
});

describe('I9', () => {
  test('an earlier holder shows a world after a later one', () => {
    grant('b', 200);
    show('b', 4);
    show('a', 8);
    expect(failed()).toEqual(['I9']);
  });

  test('a former holder goes on where the store has lost that another one came', () => {
    show('a', 4);
    const restore = observer.ledger.save();
    grant('b', 200);
    show('b', 8);
    restore();
    grant('a', 100);
    show('a', 6);
    expect(failed()).toEqual([]);
    show('a', 5);
    expect(failed()).toEqual(['I3']);
    show('b', 12);
    expect(failed()).toEqual(['I3', 'I9']);
  });

  test('the same where the store has lost its tail, and gives a lower epoch', () => {
    const restore = observer.ledger.save();
    grant('b', 200);
    show('b', 4);
    restore();
    grant('c', 150);
    show('c', 8);
    expect(failed()).toEqual([]);
    show('b', 12);
    expect(failed()).toEqual(['I9']);
  });
});

describe('I12', () => {
  beforeEach(() => {
    observer.tokens.asks('end', { token: 't', ends: ['t'] });
    nowMs = 10;
    observer.tokens.asks('early', { token: 't' });
  });

  function callLater(): void {
    nowMs = 20;
    observer.tokens.asks('late', { token: 't' });
    for (const request of ['early', 'late']) observer.tokens.accepted('b', request);
  }

  test('a token is accepted that was over before the call', () => {
    observer.tokens.done('a', 'end');
    callLater();
    expect([failed(), observer.counts.ended]).toEqual([['I12'], 1]);
  });

  test('a token is accepted that nobody has ended, or that the store has forgotten', () => {
    callLater();
    observer.tokens.lostTail();
    observer.tokens.done('a', 'end');
    callLater();
    expect(failed()).toEqual([]);
  });
});

test('a world begins earlier under a grant that is given after the store has lost its marks', () => {
  const restore = observer.ledger.save();
  restore();
  show('a', 8);
  grant('b', 200);
  show('b', 4);
  expect(failed()).toEqual([]);
});

test('a grant that was given before goes on from there, and is followed by one that begins earlier', () => {
  show('a', 8);
  grant('b', 200);
  const restore = observer.ledger.save();
  restore();
  show('b', 12);
  grant('c', 300);
  change('c#1', 1, 6);
  expect(failed()).toEqual([]);
});

test('a world is deleted early if the store has lost when it was used', () => {
  nowMs = 4500;
  show('a', 3);
  nowMs = 5000;
  const restore = observer.ledger.save();
  nowMs = 5500;
  show('a', 4);
  restore();
  nowMs = 13_000;
  write('a#1', [['world'], null]);
  expect(failed()).toEqual([]);
});

test('a world that nobody has used is deleted after its idle time', () => {
  nowMs = IDLE_MS;
  write('a#1', [['world'], null]);
  expect(failed()).toEqual([]);
});

test('I11: a world is deleted too early', () => {
  nowMs = 5000;
  show('a', 4);
  nowMs = 13_000;
  write('a#1', [['world'], null]);
  expect(failed()).toEqual(['I11']);
});

describe('a world that starts over under another kernel', () => {
  const NEWER = toyKernelHash(2);
  const masks = RECORD.from.masks.with(2, (RECORD.from.masks[2] ?? 0) & ~2);
  const newFirst = firstState(SEED, 20, masks, NEWER);

  function startOver(from: Partial<WorldRecord['from']> = {}): void {
    const record = { ...RECORD, kernel: NEWER, from: { tick: 20, seq: 1, masks, ...from } };
    write('a#1', [['world'], record]);
  }

  beforeEach(() => change('a#1', 1, 6));

  test('shows its new states from then on', () => {
    show('a', 12, stateWith(6));
    startOver();
    show('a', 20, newFirst);
    change('a#1', 2, 22);
    show('a', 24, changedState(newFirst, { tick: 22, car: 2, touched: 6, values: 4 }));
    write('a#1', [['image'], { tick: 20, seq: 1, kernel: NEWER, bytes: imageOf(newFirst) }]);
    expect(failed()).toEqual([]);
  });

  test('shows its earlier states again if the store has lost the start', () => {
    const restore = observer.ledger.save();
    startOver();
    show('a', 24, newFirst);
    restore();
    show('a', 28, newFirst);
    grant('b', 200);
    show('b', 24, stateWith(6));
    expect(failed()).toEqual([]);
  });

  test('I5: shows a state of before, and stores an image of it', () => {
    startOver();
    show('a', 24, stateWith(6));
    const bytes = imageOf(stateWith(6));
    write('a#1', [['image'], { tick: 24, seq: 1, kernel: NEWER, bytes }]);
    expect(failed()).toEqual(['I5', 'I5']);
  });

  test('I2, I5: without a change, with one that was never made, before one, with other features', () => {
    startOver({ seq: 0 });
    startOver({ seq: 2 });
    startOver({ tick: 5 });
    startOver({ masks: RECORD.from.masks });
    expect(failed()).toEqual(['I2', 'I2', 'I5', 'I5']);
  });

  test('starts over once more where nobody has heard of the first start', () => {
    startOver();
    startOver({ tick: 24 });
    show('a', 24, firstState(SEED, 24, masks, NEWER));
    startOver({ tick: 28 });
    expect(failed()).toEqual([]);
    show('a', 32, firstState(SEED, 28, masks, NEWER));
    startOver({ tick: 36 });
    expect(failed()).toEqual(['I5']);
  });

  test('I7: leaves frames out only there', () => {
    observer = newObserver(true);
    grant('a', 100);
    write('a#1', [['world'], RECORD]);
    change('a#1', 1, 6);
    const stream = observer.stream('s', WORLD);
    stream.framed({ tick: 12, state: 0 });
    startOver();
    stream.framed({ tick: 20, state: 0 });
    expect(failed()).toEqual([]);
    stream.framed({ tick: 28, state: 0 });
    expect(failed()).toEqual(['I7']);
  });
});

function imageOf(state: number): Uint8Array {
  const bytes = new Uint8Array(64);
  new DataView(bytes.buffer).setUint32(H_SEED + 4, state, true);
  return bytes;
}
