import type { Measure } from '../bench/against/readings.ts';
import {
  describeOptions,
  type Options,
  type OptionTable,
  parseOptions,
} from '../bench/common/options.ts';
import type { Addresses, Server } from '../bench/common/server.ts';

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

export const SERVER_HELP = `Every command:\n${describeOptions(SERVER_OPTIONS)}`;

/** What a run found: lines for the reader, figures for the file. */
export interface Outcome {
  rows: [label: string, text: string][];
  figures: object;
}

/** One question about a server under load. */
export interface Question<T extends OptionTable> {
  summary: string;
  options: T;
  /** The figures that a comparison with another commit judges. */
  measures: readonly Measure[];
  run(options: Options<T>, server: Server): Promise<Outcome>;
}

/** A question with its options bound, so that all commands have one type. */
export interface Command {
  summary: string;
  help: string;
  measures: readonly Measure[];
  /** Throws UsageError before anything is started. */
  prepare(args: readonly string[]): { addresses: Addresses; run(server: Server): Promise<Outcome> };
}

export function command<T extends OptionTable>(question: Question<T>): Command {
  const { summary, options, measures, run } = question;
  return {
    summary,
    help: describeOptions(options),
    measures,
    prepare: (args) => {
      const values = parseOptions({ ...options, ...SERVER_OPTIONS }, args);
      return { addresses: values, run: (server) => run(values, server) };
    },
  };
}
