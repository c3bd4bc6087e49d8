/**
 * Load on a node, one question a command: `npm run load -- <command> [options]`. Every run measures
 * the load generator's own ceiling first, against a server that does nothing.
 */
import { AGAINST_HELP, runAgainst, splitAgainst } from '../bench/against/against.ts';
import { loadReadings } from '../bench/against/readings.ts';
import { formatFactor } from '../bench/common/factor.ts';
import { formatFigure, isMissed } from '../bench/common/figures.ts';
import { runEntryPoint } from '../bench/common/options.ts';
import { columns, resultName, writeResult } from '../bench/common/report.ts';
import { UsageError } from '../bench/common/usage-error.ts';
import { changes } from './changes.ts';
import { chaos } from './chaos/chaos.ts';
import { type Command, SERVER_HELP } from './command.ts';
import { explanations } from './explanations.ts';
import { failover } from './failover/failover.ts';
import { handovers } from './handovers/handovers.ts';
import { lives } from './lives/lives.ts';
import { returns } from './lockstep/returns.ts';
import { logins } from './logins.ts';
import { names } from './names.ts';
import { overload } from './overload/overload.ts';
import { restart } from './restart.ts';
import { rolling } from './rolling/rolling.ts';
import { spread } from './spread.ts';
import { steady } from './steady/steady.ts';
import { watchers } from './watchers.ts';
import { worlds } from './worlds.ts';

const COMMANDS: Readonly<Record<string, Command>> = {
  worlds,
  watchers,
  changes,
  chaos,
  explanations,
  failover,
  handovers,
  lives,
  logins,
  names,
  overload,
  restart,
  returns,
  rolling,
  spread,
  steady,
};

const HELP = [
  'npm run load -- <command> [options]',
  ...Object.entries(COMMANDS).map(([name, { summary, help }]) => `${name}: ${summary}\n${help}`),
  SERVER_HELP,
  AGAINST_HELP,
].join('\n\n');

await runEntryPoint(HELP, async ([name, ...all]) => {
  if (name === undefined) return console.log(HELP);
  const command = COMMANDS[name];
  if (!command) throw new UsageError(`no command is called ${name}`);
  const { against, rest } = splitAgainst(all);
  const { isAttached, run } = command.prepare(rest);
  if (against) {
    if (isAttached) throw new UsageError('--against starts its own servers: leave out --url');
    const question = { script: 'load', name, args: rest } as const;
    process.exitCode = await runAgainst(against, question, loadReadings(command.measures));
    return;
  }
  const { rows, judged = [], figures } = await run();
  const verdicts = judged.map((figure) => [figure.name, formatFigure(figure)] as const);
  console.log(`\n${formatFactor()}\n\n${columns([...rows, ...verdicts])}\n`);
  console.log(`written to ${writeResult(resultName(`load-${name}`, rest), figures)}`);
  if (judged.some((figure) => isMissed(figure))) process.exitCode = 1;
});
