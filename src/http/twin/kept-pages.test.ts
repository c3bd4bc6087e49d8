import { expect, test } from 'vitest';
import { KeptPages } from './kept-pages.ts';

test('[R35] a kept page takes no more memory than it counts', () => {
  const page = Buffer.from('{"a":1}');
  expect(page.buffer.byteLength).toBeGreaterThan(1000);
  const pages = new KeptPages(100_000);
  for (let i = 0; i < 1000; i += 1) pages.keep(`${i}`, page);
  const kept = Array.from({ length: 1000 }, (_, i) => pages.get(`${i}`)).filter(Boolean);
  expect(kept.length).toBeGreaterThan(100);
  expect(kept.length).toBeLessThan(200);
  for (const each of kept) expect(each?.buffer.byteLength).toBe(page.byteLength);
});
