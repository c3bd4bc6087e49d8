/**
 * Load on a node, one question a command: `npm run load -- <command> [options]`. Every run measures
 * the load generator's own ceiling first, against a server that does nothing.
 */
import { columns, writeResult } from '../bench/report.ts';
import { changes } from './changes.ts';
import type { Command, Outcome, ServerChoice } from './command.ts';
import { explanations } from './explanations.ts';
import { logins } from './logins.ts';
import { names } from './names.ts';
import { describeOptions, UsageError } from './options.ts';
import { attach, type Server, startNode } from './server.ts';
import { watchers } from './watchers.ts';
import { worlds } from './worlds.ts';

/** A command with its options bound, so that all commands have one type. */
interface Entry {
  summary: string;
  help: string;
  /** Throws UsageError before anything is started. */
  prepare(args: string[]): { choice: ServerChoice; run(server: Server): Promise<Outcome> };
}

function entry<O extends ServerChoice>(command: Command<O>): Entry {
  return {
    summary: command.summary,
    help: describeOptions(command.options),
    prepare: (args) => {
      const options = command.parse(args);
      return { choice: options, run: (server) => command.run(options, server) };
    },
  };
}

const COMMANDS: Readonly<Record<string, Entry>> = {
  worlds: entry(worlds),
  watchers: entry(watchers),
  changes: entry(changes),
  explanations: entry(explanations),
  logins: entry(logins),
  names: entry(names),
};

function usage(): string {
  const commands = Object.entries(COMMANDS).map(
    ([name, { summary, help }]) => `${name}: ${summary}\n${help}`,
  );
  return `npm run load -- <command> [options]\n\n${commands.join('\n\n')}`;
}

async function main([name = '--help', ...args]: string[]): Promise<void> {
  const command = COMMANDS[name];
  if (name === '--help' || args.includes('--help')) return console.log(usage());
  if (!command) throw new UsageError(`no command is called ${name}`);
  const { choice, run } = command.prepare(args);
  const server = choice.url === '' ? await startNode() : attach(choice);
  try {
    console.log(`${name} on ${server.url.origin}`);
    const { rows, figures } = await run(server);
    console.log(`\n${columns(rows)}\n`);
    console.log(`written to ${writeResult(`load-${name}`, figures)}`);
  } finally {
    await server.stop();
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\n\n${usage()}`);
  process.exitCode = 2;
});
