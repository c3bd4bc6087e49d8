/** Lowers the priority of the thread that imports it. */
import { getPriority, setPriority } from 'node:os';

/** On a shared core such a thread gets a quarter of the time, and yields to other threads. */
const NICER_BY = 5;
const NICENESS_MAX = 19;
const CALLING_THREAD = 0;

// Linux has a priority for every thread; elsewhere this would be that of the whole process.
if (process.platform === 'linux') {
  const niceness = getPriority(CALLING_THREAD) + NICER_BY;
  setPriority(CALLING_THREAD, Math.min(niceness, NICENESS_MAX));
}
