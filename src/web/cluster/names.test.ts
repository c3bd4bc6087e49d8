import { expect, test } from 'vitest';
import { NodeNames, shortNames } from './names.ts';

test.each([
  [
    ['node-1', 'node-2', 'node-10'],
    ['1', '2', '10'],
  ],
  [
    ['a', 'b'],
    ['a', 'b'],
  ],
  [
    ['twin', 'twin-2'],
    ['twin', '-2'],
  ],
  [
    ['same', 'same'],
    ['same', 'same'],
  ],
  [['alone'], ['alone']],
  [[], []],
])('of %j the cells show %j', (names, short) => {
  expect(shortNames(names)).toEqual(short);
});

test('a node keeps its colour while others come and go, and its name when it is gone', () => {
  const names = new NodeNames();
  const show = (...processes: string[]) =>
    names.show({
      nodes: processes.map((process) => ({ process, name: process.split(':')[0] })),
    } as Parameters<NodeNames['show']>[0]);
  show('node-1:a', 'node-2:b');
  const hue = names.hueOf('node-2:b');
  show('node-2:b', 'node-3:c');
  expect([names.hueOf('node-2:b'), names.short('node-3:c')]).toEqual([hue, '3']);
  expect(names.of('node-1:a')).toBe('node-1');
  expect([names.of(null), names.hueOf(null)]).toEqual(['–', '']);
});
