import type { Measure } from '../bench/against/readings.ts';
import type { Figure } from '../bench/common/figures.ts';
import {
  describeOptions,
  type Options,
  type OptionTable,
  parseOptions,
} from '../bench/common/options.ts';
import { type Addresses, attach, type Server, startNode } from '../bench/common/server.ts';

/** What every command takes: which server to load. */
const SERVER_OPTIONS = {
  pid: {
    fallback: 0,
    min: 0,
    max: 4_194_304,
    help: 'process id of that server, to measure its processor time',
  },
  url: { fallback: '', help: 'a running server; without, one is started and stopped' },
  dealer: { fallback: '', help: 'the dealer platform of that server' },
  ops: { fallback: '', help: 'the operations port of that server' },
} as const;

export const SERVER_HELP = `Those that start no nodes of their own (changes, explanations, logins, names, overload, watchers, worlds):\n${describeOptions(SERVER_OPTIONS)}`;

/** What a run found: lines for the reader, figures for the file. */
export interface Outcome {
  rows: [label: string, text: string][];
  /** Figures with a bound. The command fails if one is past it. */
  judged?: readonly Figure[];
  figures: object;
}

/** What every question has. */
interface Asked<T extends OptionTable> {
  summary: string;
  options: T;
  /** The figures that a comparison with another commit judges. */
  measures: readonly Measure[];
}

/** A question with its options bound, so that all commands have one type. */
export interface Command {
  summary: string;
  help: string;
  measures: readonly Measure[];
  /** Throws UsageError before anything is started. */
  prepare(args: readonly string[]): { isAttached: boolean; run(): Promise<Outcome> };
}

/** A question about one server under load. */
export function command<T extends OptionTable>(
  question: Asked<T> & { run(options: Options<T>, server: Server): Promise<Outcome> },
): Command {
  const { options, run } = question;
  return bound(question, (args) => {
    const values = parseOptions({ ...options, ...SERVER_OPTIONS }, args);
    const isAttached = values.url !== '';
    return { isAttached, run: () => onServer(values, (server) => run(values, server)) };
  });
}

/** A question that starts and ends nodes itself. */
export function commandWithNodes<T extends OptionTable>(
  question: Asked<T> & { run(options: Options<T>): Promise<Outcome> },
): Command {
  const { options, run } = question;
  return bound(question, (args) => {
    const values = parseOptions(options, args);
    return { isAttached: false, run: () => run(values) };
  });
}

function bound<T extends OptionTable>(
  { summary, options, measures }: Asked<T>,
  prepare: Command['prepare'],
): Command {
  return { summary, help: describeOptions(options), measures, prepare };
}

async function onServer(
  addresses: Addresses,
  run: (server: Server) => Promise<Outcome>,
): Promise<Outcome> {
  const server = addresses.url === '' ? await startNode() : attach(addresses);
  try {
    console.log(`on ${server.url.origin}`);
    return await run(server);
  } finally {
    await server.stop();
  }
}
