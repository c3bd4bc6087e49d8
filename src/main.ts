import { ConfigError, readConfig } from './config.ts';
import { createLog } from './log.ts';
import { type RunningNode, startNode } from './node.ts';
import { systemRandom } from './random.ts';
import { systemTime } from './time.ts';

const CRASH_STOP_MS = 5000;
const STOP_MS = 20_000;

/** Reads the settings, starts a node, prints the ready line, and stops on SIGTERM or SIGINT. */
async function main(): Promise<void> {
  const config = readConfig(process.env, systemRandom);
  const log = createLog(config.logLevel);
  let node: RunningNode | undefined;
  let stopping = false;

  const stop = (exitCode: number, limitMs: number, isHurried = false) => {
    if (stopping) return;
    stopping = true;
    systemTime.after(limitMs, () => process.exit(exitCode || 1));
    (node?.stop({ isHurried }) ?? Promise.resolve()).then(
      () => process.exit(exitCode),
      (err: unknown) => {
        log.error({ err }, 'the node did not stop cleanly');
        process.exit(1);
      },
    );
  };
  const crash = (err: unknown) => {
    log.fatal({ err }, 'unexpected error');
    stop(1, CRASH_STOP_MS, true);
  };
  process.on('SIGTERM', () => stop(0, STOP_MS));
  process.on('SIGINT', () => stop(0, STOP_MS));
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);

  node = await startNode(config, log);
  const { dealerUrl, twinUrl, opsUrl } = node;
  process.stdout.write(`ready dealer=${dealerUrl} twin=${twinUrl} ops=${opsUrl}\n`);
}

await main().catch((error: unknown) => {
  const isSetting = error instanceof ConfigError;
  const message = error instanceof Error ? error.message : error;
  process.stderr.write(isSetting ? `${message}\n` : `cannot start: ${message}\n`);
  process.exit(isSetting ? 2 : 1);
});
