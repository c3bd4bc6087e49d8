import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of the repository, with a slash at its end. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Results, from the folder of a repository. */
export const RESULTS = 'bench/results';

/** What is kept between runs on this machine: other commits with their installations, the factor. */
export const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'driving-twin');
