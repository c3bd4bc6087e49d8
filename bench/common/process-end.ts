import { constants } from 'node:os';

const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Shells report a process that a signal ended by this and the signal's number. */
const SIGNALLED = 128;

/**
 * Calls `end` when this process ends, by a signal too: that alone would leave children and folders
 * behind. `end` must be synchronous. Returns a function that cancels the call.
 */
export function onProcessEnd(end: () => void): () => void {
  for (const signal of ENDING_SIGNALS) {
    if (!process.listeners(signal).includes(exitBySignal)) process.on(signal, exitBySignal);
  }
  process.once('exit', end);
  return () => process.off('exit', end);
}

function exitBySignal(signal: NodeJS.Signals): void {
  process.exit(SIGNALLED + constants.signals[signal]);
}
