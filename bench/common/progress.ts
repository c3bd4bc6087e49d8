import { type StopTimer, systemTime } from '../../src/time.ts';

const PROGRESS_MS = 5000;

/** Prints a line every five seconds until the returned function is called. */
export function progress(line: (seconds: number) => string): StopTimer {
  const startMs = systemTime.now();
  return systemTime.every(PROGRESS_MS, () => {
    const seconds = Math.round((systemTime.now() - startMs) / 1000);
    console.log(`${String(seconds).padStart(5)} s  ${line(seconds)}`);
  });
}
