import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemTime } from '../../../time.ts';
import type { NodeProcess } from '../../rigs/process.ts';
import { DealerApi } from './dealer-api.ts';
import { ENGINES } from './engines.ts';
import { Writers } from './writers.ts';

const ROUNDS = 10;
const RESETS = 5;

describe.each(ENGINES)('on the $name store', ({ startProcess }) => {
  let dir: string;
  let node: NodeProcess;
  let api: DealerApi;
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'dealer-kill-'));
    await begin();
  });
  afterEach(async () => {
    await node.end('SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  });

  async function begin(): Promise<void> {
    node = await startProcess({ DATA_DIR: dir, SHARDS: '1' });
    api = new DealerApi(node.dealerUrl);
  }

  test('[R4] ten kills in the middle of writes lose and halve no acknowledged one', async () => {
    const writers = await Writers.logIn(api);
    for (let round = 0; round < ROUNDS; round++) {
      const stop = writers.begin(api);
      await writers.untilWriting();
      await systemTime.sleep(7 * round);
      await node.end('SIGKILL');
      await stop();
      await begin();
      await writers.expectKept(api);
    }
  }, 240_000);

  test('[D20] a kill during a reset leaves what was before or what is after', async () => {
    const admin = await api.logIn('admin', 'admin');
    const seeded = await api.everything(admin);
    for (let round = 0; round < RESETS; round++) {
      await api.get('DELETE /api/dealers/nordbil?reassign_to=sydmotor', { token: admin });
      const before = await api.everything(admin);
      // It may be answered or cut off.
      const resetting = api.ask('POST /api/admin/reset', { token: admin }).catch(() => undefined);
      await systemTime.sleep(16 * round);
      await node.end('SIGKILL');
      await resetting;
      await begin();
      const found = await api.everything(admin);
      expect([before, seeded]).toContainEqual(found);
      await api.get('POST /api/admin/reset', { token: admin });
    }
  }, 240_000);
});
