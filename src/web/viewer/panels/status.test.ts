import { signal } from '@preact/signals';
import { describe, expect, test } from 'vitest';
import { frameOf } from '../../../testing/doubles/life-double.ts';
import type { Status } from '../page/live-world.ts';
import { detailOf } from './status.tsx';

const before = (status: Status) =>
  detailOf({ status: signal(status), latest: signal(null), goesOn: signal(false) }, 'live');

test('[P37] the status says in words where what is shown could not be checked', () => {
  expect(before('unverified')).toMatch(
    /could not be checked against the service\. It may be wrong/,
  );
});

test('the status does not speak of a last state before there was one', () => {
  expect(before('reconnecting')).toBe('The service does not answer. The page asks again soon.');
});

describe('[P10] a lost connection', () => {
  const lost = (goesOn: boolean, shown: Parameters<typeof detailOf>[1]) => {
    const [status, latest] = [signal<Status>('reconnecting'), signal(frameOf(4))];
    return detailOf({ status, latest, goesOn: signal(goesOn) }, shown);
  };

  test.each(['live', 'opening'] as const)(
    'lets the city go on in the page, or stand: %s',
    (shown) => {
      expect(lost(true, shown)).toMatch(/lost\. The city goes on in this page/);
      expect(lost(false, shown)).toMatch(/lost\. You see the last state that arrived/);
    },
  );

  test.each(['replay', 'past', 'what-if'] as const)(
    'says nothing of a moment that is not shown: %s',
    (shown) => {
      for (const goesOn of [true, false]) {
        expect(lost(goesOn, shown)).toBe('The connection is lost. The page asks again soon.');
      }
    },
  );
});
