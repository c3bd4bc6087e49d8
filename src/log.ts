import pino, { type Logger } from 'pino';

export type Log = Logger;

/** Writes structured logs to standard error; standard output has only the ready line. */
export function createLog(level: string): Log {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2));
}
