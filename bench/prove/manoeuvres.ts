import type { Manoeuvre, ManoeuvreRun } from './manoeuvre.ts';
import { MANOEUVRES, type ManoeuvreJob } from './manoeuvre-runs.ts';
import type { ProvePool } from './prove-pool.ts';

/** Both runs of one. */
export type Outcome = Pick<
  Manoeuvre,
  'id' | 'group' | 'label' | 'feature' | 'passesWith' | 'failsWithout' | 'isDrawn'
> & {
  on: ManoeuvreRun;
  off: ManoeuvreRun;
};

/** Each with its feature on and off. */
export async function runManoeuvres(pool: ProvePool): Promise<Outcome[]> {
  const jobs = MANOEUVRES.flatMap(({ id }) => [true, false].map((isOn) => ({ id, isOn })));
  const found = new Map<string, ManoeuvreRun>();
  let given = 0;
  const key = ({ id, isOn }: ManoeuvreJob): string => `${id} ${isOn ? 'on' : 'off'}`;
  await pool.run('runManoeuvre', {
    next: () => jobs[given++],
    done: (done) => found.set(key(done), done.run),
    progress: () => `${found.size} of ${jobs.length} runs`,
  });
  return MANOEUVRES.map(({ run, ...manoeuvre }) => {
    const { id } = manoeuvre;
    const [on, off] = [found.get(key({ id, isOn: true })), found.get(key({ id, isOn: false }))];
    if (!on || !off) throw new Error(`${id} was not driven`);
    return { ...manoeuvre, on, off };
  });
}
