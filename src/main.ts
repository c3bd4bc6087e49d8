import { ConfigError, readConfig } from './config.ts';
import { createLog } from './log.ts';
import { type RunningNode, startNode } from './node.ts';
import { systemRandom } from './random.ts';
import { systemTime } from './time.ts';

const CRASH_STOP_MS = 5000;
/** A stop takes so long at most, or longer where DRAIN_SECONDS and what follows take longer. */
const STOP_MS = 20_000;
const STOP_AFTER_DRAIN_MS = 15_000;

const HELP = `npm start

Starts a node: the viewer and the twin's API, the dealer platform, and a private port for operators. The
ready line says where. Ctrl-C or SIGTERM ends it.

Settings are environment variables, such as
  TWIN_PORT=8080      the viewer and the twin's API
  DEALER_PORT=8000    the dealer platform and its console
  DATA_DIR=./data     where the embedded store keeps everything
  REDIS_URL=…         the store of several nodes, instead
docs/operating.md has all of them.
`;

/** Prints the help where that is asked for, and ends; ends with code 2 for any other argument. */
function readArguments([first]: readonly string[]): void {
  if (first === undefined) return;
  const isHelp = first === '--help' || first === '-h';
  if (isHelp) process.stdout.write(HELP);
  else
    process.stderr.write(
      `unknown argument ${first}: settings are environment variables, see --help\n`,
    );
  process.exit(isHelp ? 0 : 2);
}

/** Reads the settings, starts a node, prints the ready line, and stops on SIGTERM or SIGINT. */
async function main(): Promise<void> {
  readArguments(process.argv.slice(2));
  const config = readConfig(process.env, systemRandom);
  const log = createLog(config.logLevel);
  let node: RunningNode | undefined;
  const stopMs = Math.max(STOP_MS, config.drainMs + STOP_AFTER_DRAIN_MS);
  let stopping = false;
  let code = 0;

  const stop = (exitCode: number, limitMs: number, isHurried = false) => {
    code = Math.max(code, exitCode);
    if (stopping && !isHurried) return;
    systemTime.after(limitMs, () => process.exit(code || 1));
    const stopped = node?.stop({ isHurried }) ?? Promise.resolve();
    if (stopping) return;
    stopping = true;
    stopped.then(
      () => process.exit(code),
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
  process.on('SIGTERM', () => stop(0, stopMs));
  process.on('SIGINT', () => stop(0, stopMs));
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);

  node = await startNode(config, log);
  const { dealerUrl, twinUrl, opsUrl } = node;
  process.stdout.write(`ready dealer=${dealerUrl} twin=${twinUrl} ops=${opsUrl}\n`);
}

/** With its cause: that of a store says what is wrong with it. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}

await main().catch((error: unknown) => {
  const isSetting = error instanceof ConfigError;
  const message = messageOf(error);
  process.stderr.write(isSetting ? `${message}\n` : `cannot start: ${message}\n`);
  process.exit(isSetting ? 2 : 1);
});
