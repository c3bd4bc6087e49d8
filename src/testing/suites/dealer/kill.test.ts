import { describe, test } from 'vitest';
import { ENGINES } from '../../rigs/engines.ts';
import { useNodes } from '../../rigs/nodes.ts';
import { DealerApi } from './dealer-api.ts';
import { expectResetsWhole } from './writers.ts';

describe.each(ENGINES)('on the $name store', (engine) => {
  const nodes = useNodes(engine);

  test('[D20] a kill during a reset leaves what was before or what is after', async () => {
    const settings = { DATA_DIR: nodes.dir(), SHARDS: '1' };
    let node = await nodes.ownProcess(settings);
    await expectResetsWhole(
      () => new DealerApi(node.dealerUrl),
      async () => {
        await node.end('SIGKILL');
        node = await nodes.ownProcess(settings);
      },
    );
  }, 240_000);
});
