import { beforeEach, describe, test } from 'vitest';
import { ENGINES } from '../../rigs/engines.ts';
import { useNodes } from '../../rigs/nodes.ts';
import type { NodeProcess } from '../../rigs/process.ts';
import { DealerApi } from './dealer-api.ts';
import { expectResetsWhole, expectWritesKept } from './writers.ts';

describe.each(ENGINES)('on the $name store', (engine) => {
  const nodes = useNodes(engine);
  let dir: string;
  let node: NodeProcess;
  beforeEach(async () => {
    dir = nodes.dir();
    await begin();
  });

  async function begin(): Promise<void> {
    node = await nodes.ownProcess({ DATA_DIR: dir, SHARDS: '1' });
  }

  async function kill(): Promise<void> {
    await node.end('SIGKILL');
    await begin();
  }

  const current = () => new DealerApi(node.dealerUrl);

  test('[R4] ten kills in the middle of writes lose and halve no acknowledged one', async () => {
    await expectWritesKept(current, kill);
  }, 240_000);

  test('[D20] a kill during a reset leaves what was before or what is after', async () => {
    await expectResetsWhole(current, kill);
  }, 240_000);
});
