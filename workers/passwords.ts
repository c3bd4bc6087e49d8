/** The Piscina entry of a thread that hashes passwords: every export is a task. */
import { getPriority, setPriority } from 'node:os';
import { hashSync, verifySync } from '@node-rs/argon2';

/** OWASP's minimum. The package's names for the algorithms do not exist at run time: 2 is argon2id. */
const PARAMETERS = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** On a shared core a hashing thread gets a quarter of the time, and yields to other threads. */
const NICER_BY = 5;
const NICENESS_MAX = 19;
const CALLING_THREAD = 0;

// Linux has a priority for every thread; elsewhere this would be that of the whole process.
if (process.platform === 'linux') {
  const niceness = getPriority(CALLING_THREAD) + NICER_BY;
  setPriority(CALLING_THREAD, Math.min(niceness, NICENESS_MAX));
}

export const hash = (password: string) => hashSync(password, PARAMETERS);
export const verify = ({ known, given }: { known: string; given: string }) =>
  verifySync(known, given);
