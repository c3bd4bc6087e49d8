import { expect, test } from 'vitest';
import { TestTime } from '../../testing/doubles/test-time.ts';
import { KeptPages } from './kept-pages.ts';

test('[R35] a kept page takes no more memory than it counts', () => {
  const page = Buffer.from('{"a":1}');
  expect(page.buffer.byteLength).toBeGreaterThan(1000);
  const pages = new KeptPages(100_000, TestTime.standing());
  for (let i = 0; i < 1000; i += 1) pages.keep(`${i}`, page);
  const kept = Array.from({ length: 1000 }, (_, i) => pages.get(`${i}`)).filter(Boolean);
  expect(kept.length).toBeGreaterThan(100);
  expect(kept.length).toBeLessThan(200);
  for (const each of kept) expect(each?.buffer.byteLength).toBe(page.byteLength);
});

test('[R38] a page that nobody reads for 20 s leaves memory', async () => {
  const time = TestTime.standing();
  const pages = new KeptPages(100_000, time);
  pages.keep('read', Buffer.from('{}'));
  pages.keep('unread', Buffer.from('{}'));
  const { bytes } = pages;
  await time.advance(15_000);
  expect(pages.get('read')).toBeDefined();
  await time.advance(15_000);
  pages.sweep();
  expect(pages.bytes).toBeLessThan(bytes);
  expect(pages.get('unread')).toBeUndefined();
  expect(pages.get('read')).toBeDefined();
  await time.advance(21_000);
  pages.sweep();
  expect(pages.bytes).toBe(0);
});
