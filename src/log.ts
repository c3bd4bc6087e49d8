import pino, { type Logger } from 'pino';

export type Log = Logger;

/** Structured logs on standard error; standard output is for the ready line alone. */
export function createLog(level: string): Log {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2));
}
