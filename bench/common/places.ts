import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of the repository, with a slash at its end. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Folder of results, relative to that. */
export const RESULTS = 'bench/results';

/** Kept between runs on this machine: the factor, and other commits with their installations. */
export const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'driving-twin');
