import { ConfigError, readConfig } from './config.ts';
import { createLog } from './log.ts';
import { type RunningNode, startNode } from './node.ts';
import { systemRandom } from './random.ts';
import { systemTime } from './time.ts';

const CRASH_STOP_MS = 5000;
const STOP_MS = 20_000;

/** Reads the settings, starts a node, prints the ready line, and stops on SIGTERM or SIGINT. */
async function main(): Promise<void> {
  const config = configOrExit();
  const log = createLog(config.logLevel);
  let node: RunningNode | undefined;
  let stopping = false;

  const stop = (exitCode: number, limitMs: number) => {
    if (stopping) return;
    stopping = true;
    systemTime.after(limitMs, () => process.exit(exitCode || 1));
    (node?.stop() ?? Promise.resolve()).then(
      () => process.exit(exitCode),
      (err: unknown) => {
        log.error({ err }, 'the node did not stop cleanly');
        process.exit(1);
      },
    );
  };
  const crash = (err: unknown) => {
    log.fatal({ err }, 'unexpected error');
    stop(1, CRASH_STOP_MS);
  };
  process.on('SIGTERM', () => stop(0, STOP_MS));
  process.on('SIGINT', () => stop(0, STOP_MS));
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);

  try {
    node = await startNode(config, log);
  } catch (error) {
    process.stderr.write(`cannot start: ${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  }
  const { dealerUrl, twinUrl, opsUrl } = node;
  process.stdout.write(`ready dealer=${dealerUrl} twin=${twinUrl} ops=${opsUrl}\n`);
}

function configOrExit() {
  try {
    return readConfig(process.env, systemRandom);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(2);
  }
}

await main();
