import { expect, test } from 'vitest';
import { readRecipe } from '../../src/testing/rigs/recipes.ts';
import { configFor } from './proxy.ts';

const nodes = [1, 2, 3].map((i) => ({ twin: 1000 + i, dealer: 2000 + i, ops: 3000 + i }));

test('the recipe serves on this machine only, with every node and its check', () => {
  const config = configFor(readRecipe('haproxy.cfg'), nodes, { twin: 7001, dealer: 7002 });
  expect(config.match(/^ *bind .*/gm)).toEqual(['  bind 127.0.0.1:7001', '  bind 127.0.0.1:7002']);
  const servers = config.match(/^ *server .*/gm) ?? [];
  expect(servers).toHaveLength(12);
  expect(servers.slice(0, 3)).toEqual([
    '  server node-1 127.0.0.1:1001 port 3001',
    '  server node-2 127.0.0.1:1002 port 3002',
    '  server node-3 127.0.0.1:1003 port 3003',
  ]);
  expect(servers.slice(6, 7)).toEqual(['  server node-1 127.0.0.1:2001 track twin-ready/node-1']);
  expect(config).not.toMatch(/node-\d:\d/);
});
