import type { Outcome } from './manoeuvre.ts';
import { MANOEUVRES } from './manoeuvre-runs.ts';
import type { ProvePool } from './prove-pool.ts';

/** Each with its feature on and off. */
export async function runManoeuvres(pool: ProvePool): Promise<Outcome[]> {
  const ids = MANOEUVRES.map(({ id }) => id);
  const found: Outcome[] = [];
  let given = 0;
  await pool.run('runManoeuvre', {
    next: () => ids[given++],
    done: (outcome) => found.push(outcome),
    progress: () => `${found.length} of ${ids.length} manoeuvres`,
  });
  return found.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
}
