import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { startNodeProcess } from './testing/rigs/process.ts';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const dataDir = mkdtempSync(join(tmpdir(), 'twin-main-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

function run(
  settings: Record<string, string>,
  ...given: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  const free = { TWIN_PORT: '0', DEALER_PORT: '0', OPS_PORT: '0', DATA_DIR: dataDir };
  return new Promise((resolve) => {
    const env = { ...process.env, ...free, ...settings };
    const args = ['--no-warnings', MAIN, ...given];
    execFile(process.execPath, args, { env }, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), stdout, stderr });
    });
  });
}

describe('the process', () => {
  it('[O1] ends with code 2 and a message where a setting is wrong', async () => {
    const { code, stderr } = await run({ TWIN_PORT: 'none' });
    expect(code).toBe(2);
    expect(stderr).toBe('TWIN_PORT: "none" is not a number from 0 to 65535\n');
  });

  it('[O1] takes settings alone: --help says so, and other arguments end it with code 2', async () => {
    const help = await run({}, '--help');
    expect([help.code, help.stderr]).toEqual([0, '']);
    expect(help.stdout).toMatch(/TWIN_PORT=8080.*DEALER_PORT=8000/s);
    const { code, stderr } = await run({}, '--port=1');
    expect([code, stderr]).toEqual([
      2,
      'unknown argument --port=1: settings are environment variables, see --help\n',
    ]);
  });

  it('[O2] prints where it serves, refuses a second one on its data, and stops at a signal', async () => {
    const node = await startNodeProcess({ DATA_DIR: dataDir });
    const { port } = new URL(node.twinUrl);
    for (const url of [node.twinUrl, node.dealerUrl, node.opsUrl]) {
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    }
    expect((await fetch(`${node.opsUrl}/readyz`)).status).toBe(200);

    const onSameData = await run({});
    expect(onSameData.code).toBe(1);
    expect(onSameData.stderr).toContain(dataDir);
    const onSamePort = await run({ TWIN_PORT: port, DATA_DIR: join(dataDir, 'other') });
    expect(onSamePort.code).toBe(1);
    expect(onSamePort.stderr).toContain(port);

    expect(await node.end('SIGTERM')).toBe(0);
  });
});
