import type { Crew } from './crew.ts';
import type { Group, Manoeuvre, ManoeuvreRun } from './manoeuvre.ts';
import { BRAKING_GROUPS, BRAKING_MANOEUVRES } from './manoeuvres-braking.ts';
import { ESC_GROUPS, ESC_MANOEUVRES } from './manoeuvres-esc.ts';
import { JUNCTION_GROUPS, JUNCTION_MANOEUVRES } from './manoeuvres-junction.ts';

export const GROUPS: readonly Group[] = [...BRAKING_GROUPS, ...JUNCTION_GROUPS, ...ESC_GROUPS];
export const MANOEUVRES: readonly Manoeuvre[] = [
  ...BRAKING_MANOEUVRES,
  ...JUNCTION_MANOEUVRES,
  ...ESC_MANOEUVRES,
];

export interface ManoeuvreJob {
  id: string;
  isOn: boolean;
}

export interface ManoeuvreDone extends ManoeuvreJob {
  run: ManoeuvreRun;
}

export function runManoeuvre({ id, isOn }: ManoeuvreJob): ManoeuvreDone {
  const manoeuvre = MANOEUVRES.find((each) => each.id === id);
  if (!manoeuvre) throw new RangeError(`there is no manoeuvre "${id}"`);
  return { id, isOn, run: manoeuvre.run(isOn) };
}

/** Both runs of one. */
export type Outcome = Pick<
  Manoeuvre,
  'id' | 'group' | 'label' | 'feature' | 'passesWith' | 'failsWithout' | 'isDrawn'
> & {
  on: ManoeuvreRun;
  off: ManoeuvreRun;
};

/** Each with its feature on and off. */
export async function runManoeuvres(crew: Crew): Promise<Outcome[]> {
  const jobs = MANOEUVRES.flatMap(({ id }) => [true, false].map((isOn) => ({ id, isOn })));
  const found = new Map<string, ManoeuvreRun>();
  let given = 0;
  const key = ({ id, isOn }: ManoeuvreJob): string => `${id} ${isOn ? 'on' : 'off'}`;
  await crew.work({
    kind: 'manoeuvre',
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
