import type { OptionTable } from './options.ts';
import type { Addresses, Server } from './server.ts';

/** What every command takes: which server to load. */
export const SERVER_OPTIONS = {
  numbers: {
    pid: { fallback: 0, min: 0, max: 4_194_304, help: 'process of that server, to tell its CPU' },
  },
  words: {
    url: { fallback: '', choices: [], help: 'a running server; else one is started and stopped' },
    dealer: { fallback: '', choices: [], help: 'the dealer platform of that server' },
    ops: { fallback: '', choices: [], help: 'its port for operators' },
  },
  flags: {},
} as const;

/** What a run found: lines for the reader, figures for the file. */
export interface Outcome {
  rows: [label: string, text: string][];
  figures: object;
}

/** The values of SERVER_OPTIONS. */
export type ServerChoice = Addresses;

/** One question about a server under load; `O` are the values of its options. */
export interface Command<O extends ServerChoice> {
  summary: string;
  options: OptionTable;
  /** Throws UsageError. */
  parse(args: string[]): O;
  run(options: O, server: Server): Promise<Outcome>;
}

const PROGRESS_MS = 5000;

/** Prints a line every five seconds until the returned function is called. */
export function progress(line: (seconds: number) => string): () => void {
  const startMs = performance.now();
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - startMs) / 1000);
    console.log(`${String(seconds).padStart(5)} s  ${line(seconds)}`);
  }, PROGRESS_MS);
  return () => clearInterval(timer);
}
