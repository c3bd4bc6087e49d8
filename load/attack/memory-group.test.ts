import { mkdirSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inFreshDir } from '../../bench/common/fresh-dir.ts';
import { startNode } from '../../bench/common/server.ts';
import { limitMemory, placeOf } from './memory-group.ts';

const FIRST = '5:cpu,cpuacct:/a\n4:memory:/b/c\n0::/\n';
const SECOND = '0::/user.slice/shell\n';

test('the group of this process is found in both versions of control groups', () => {
  const first = { parent: '/sys/memory/b/c', limitName: 'memory.limit_in_bytes' };
  expect(placeOf(FIRST, '/sys')).toEqual(first);
  const second = { parent: '/sys/user.slice/shell', limitName: 'memory.max' };
  expect(placeOf(SECOND, '/sys')).toEqual(second);
  expect(() => placeOf('', '/sys')).toThrow('no control groups');
});

test('a limit is written into a group of its own', async () => {
  await inFreshDir(async (mount) => {
    mkdirSync(join(mount, 'memory/b/c'), { recursive: true });
    const { groupFile } = limitMemory(1024, FIRST, mount);
    const limit = groupFile.replace('cgroup.procs', 'memory.limit_in_bytes');
    expect(readFileSync(limit, 'utf8')).toBe('1073741824');
    expect(await readdir(join(mount, 'memory/b/c'))).toHaveLength(1);
  });
});

test('where no group can be made, the reason is told', () => {
  expect(() => limitMemory(1024, SECOND, '/nowhere')).toThrow('no such file or directory');
});

test('a node joins its group before it starts', async () => {
  await inFreshDir(async (folder) => {
    const groupFile = join(folder, 'cgroup.procs');
    const node = await startNode({ groupFile });
    expect(readFileSync(groupFile, 'utf8')).toBe(`${node.pid}\n`);
    await node.stop();
  });
});
