import { expect, test } from 'vitest';
import { makeWorlds } from '../../bench/common/made-worlds.ts';
import { startNode } from '../../bench/common/server.ts';
import { watchByLockstep } from './lockstep.ts';

test('every watcher sees every change, and the cost is counted', async () => {
  const server = await startNode();
  try {
    const plan = { watchers: 2, seconds: 2, changes: 10, join: 100, behind: 0 };
    const { figures, judged } = await watchByLockstep(
      plan,
      server,
      await makeWorlds(server.url, 3),
    );
    expect(figures).toMatchObject({ streams: 6, failed: {}, ended: {}, seen: { count: 40 } });
    expect(figures).toMatchObject({ seenDue: 40, hello: { count: 6 } });
    expect(judged?.map(({ name, target }) => [name, target?.text])).toEqual([
      ['changes that were not seen', '≤ 0 changes'],
      ['a change was seen, p99', '≤ 200 ms'],
      ['bytes a second and watcher', '≤ 50 bytes'],
      ['memory of the node', '≤ 700 MB'],
      ['a hello came, p99', '≤ 100 ms'],
    ]);
    expect(judged?.[0]?.target?.met).toBe(true);
  } finally {
    await server.stop();
  }
});
