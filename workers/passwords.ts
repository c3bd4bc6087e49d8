/** The Piscina entry of a thread that hashes passwords: every export is a task. */
import './low-priority.ts';
import { hashSync, verifySync } from '@node-rs/argon2';

/** OWASP's minimum. The package's names for the algorithms do not exist at run time: 2 is argon2id. */
const PARAMETERS = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export const hash = (password: string) => hashSync(password, PARAMETERS);
export const verify = ({ known, given }: { known: string; given: string }) =>
  verifySync(known, given);
