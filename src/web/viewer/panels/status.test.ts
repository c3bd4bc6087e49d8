import { signal } from '@preact/signals';
import { expect, test } from 'vitest';
import type { Status } from '../page/live-world.ts';
import { detailOf } from './status.tsx';

const detail = (status: Status) => detailOf({ status: signal(status), latest: signal(null) });

test('[P37] the status says in words where what is shown could not be checked', () => {
  expect(detail('unverified')).toMatch(
    /could not be checked against the service\. It may be wrong/,
  );
});

test('the status does not speak of a last state before there was one', () => {
  expect(detail('reconnecting')).toBe('The service does not answer. The page asks again soon.');
});
