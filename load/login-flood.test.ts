import { expect, test } from 'vitest';
import { gaugeOf } from './login-flood.ts';

test('a gauge is read from the text of Prometheus', () => {
  const text = '# HELP hashing Hashes.\n# TYPE hashing gauge\nhashing 2\nhashing_other 3\n';
  expect(gaugeOf(text, 'hashing')).toBe(2);
  expect(gaugeOf(text, 'nothing')).toBeNaN();
});
