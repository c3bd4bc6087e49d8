import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { TestTime } from '../../testing/doubles/test-time.ts';
import { Traces, traceparentOf } from './traces.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const HEADER = `00-${TRACE}-${PARENT}-01`;
const traced = { requestId: 'r', service: 'twin', route: 'GET /x', status: 200 };

let time: TestTime;
let lines: Record<string, unknown>[];
let traces: Traces;

beforeEach(() => {
  time = TestTime.standing();
  lines = [];
  let count = 0;
  const random = { bytes: (length: number) => new Uint8Array(length).fill(++count) };
  const write = (line: string) => void lines.push(JSON.parse(line));
  const log = pino({ base: null, timestamp: false }, { write });
  traces = new Traces({ time, random, log });
});

describe('traces', () => {
  it('log a request of a sampled one, and name it to the next node', async () => {
    const span = traces.begin(HEADER);
    if (span === undefined) throw new Error('it is in no trace');
    expect(traceparentOf(span)).toBe(`00-${TRACE}-0101010101010101-01`);
    const next = traces.begin(traceparentOf(span));
    await time.advance(12);
    if (next !== undefined) traces.end(next, { ...traced, service: 'forwarded' });
    traces.end(span, traced);
    const line = { level: 30, msg: 'traced request', traceId: TRACE, ...traced, ms: 12 };
    expect(lines).toEqual([
      { ...line, service: 'forwarded', spanId: '0202020202020202', parentId: '0101010101010101' },
      { ...line, spanId: '0101010101010101', parentId: PARENT },
    ]);
  });

  it.each([
    ['', 'none'],
    [`00-${TRACE}-${PARENT}-00`, 'that is not sampled'],
    [`00-${TRACE}-${PARENT}-01-more`, 'that is too long'],
    [`ff-${TRACE}-${PARENT}-01`, 'of no version'],
    [`00-${TRACE.toUpperCase()}-${PARENT}-01`, 'in capitals'],
    [`00-${'0'.repeat(32)}-${PARENT}-01`, 'of no trace'],
    [`00-${TRACE}-${'0'.repeat(16)}-01`, 'of no parent'],
    [`00-${TRACE}-${PARENT}-0`, 'that is cut off'],
    ['x'.repeat(60_000), 'that is anything'],
  ])('know nothing of a header %s', (header) => {
    expect(traces.begin(header)).toBeUndefined();
    expect(traceparentOf(undefined)).toBe('');
  });

  it('take a header of a later version', () => {
    expect(traces.begin(`01-${TRACE}-${PARENT}-03-more`)).toMatchObject({ traceId: TRACE });
  });

  it('[O23] log no more than a hundred a second, whoever asks', async () => {
    const begun = () =>
      Array.from({ length: 150 }, () => traces.begin(HEADER)).filter((span) => span !== undefined);
    expect(begun()).toHaveLength(100);
    expect(begun()).toHaveLength(0);
    await time.advance(1000);
    expect(begun()).toHaveLength(100);
  });
});
