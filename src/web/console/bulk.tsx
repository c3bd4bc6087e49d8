import { useState } from 'preact/hooks';
import { Button } from '../common/button.tsx';
import { reasonOf } from '../common/request.ts';
import { settleAll } from '../common/settle-all.ts';
import { showToast } from '../common/toasts.tsx';
import { FLAGS, type Flag, switchFlag } from './flags.tsx';
import { count } from './parts.tsx';
import type { Car } from './types.ts';

/** Cars that are switched at a time. */
const AT_ONCE = 4;

interface BulkProps {
  cars: readonly Car[];
  onChange: (cars: readonly Car[]) => void;
}

/** Switches a flag of many cars. */
export function BulkSwitches({ cars, onChange }: BulkProps) {
  const [progress, setProgress] = useState<Progress>();
  const run = async (some: readonly Car[], flag: Flag, to: boolean) => {
    // While one run is under way, its undo is not offered yet.
    const switched = await switchAll(some, flag, to, setProgress);
    setProgress(undefined);
    onChange(switched.cars);
    tell(switched, to ? flag.on : flag.off, () => void run(switched.cars, flag, !to));
  };
  return (
    <>
      {FLAGS.flatMap((flag) =>
        ([true, false] as const).map((to) => (
          <Button
            size="small"
            key={`${flag.flag} ${to}`}
            disabled={progress !== undefined}
            onClick={() => run(cars, flag, to)}
          >
            {to ? flag.turnOn : flag.turnOff}
          </Button>
        )),
      )}
      <span class="soft small" role="status">
        {progress === undefined ? '' : `${progress.done} of ${count(progress.all, 'car')}…`}
      </span>
    </>
  );
}

interface Progress {
  done: number;
  all: number;
}

interface Switched {
  cars: readonly Car[];
  /** How many could not be switched, and the first reason. */
  failed: number;
  why: string;
}

/** Switches a flag of those cars that have it otherwise. */
async function switchAll(
  cars: readonly Car[],
  { flag }: Flag,
  to: boolean,
  tellProgress: (progress: Progress) => void,
): Promise<Switched> {
  const waiting = cars.filter((car) => car[flag] === !to);
  const all = waiting.length;
  const outcomes = await settleAll(
    waiting,
    AT_ONCE,
    (car) => switchFlag(car, flag, to),
    (done) => tellProgress({ done, all }),
  );
  const switched = outcomes.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  const failures = outcomes.filter((each) => each.status === 'rejected');
  const why = failures[0] === undefined ? '' : reasonOf(failures[0].reason);
  return { cars: switched, failed: failures.length, why };
}

/** Says how it went, and offers to undo it. */
function tell({ cars, failed, why }: Switched, what: string, undo: () => void): void {
  if (failed > 0) {
    const missed = `${count(failed, 'car')} of ${cars.length + failed} could not be switched.`;
    showToast(`${missed} ${why}`, { kind: 'bad' });
  }
  if (cars.length > 0) {
    const are = cars.length === 1 ? 'is' : 'are';
    const action = { words: 'Undo', run: undo };
    showToast(`${count(cars.length, 'car')} ${are} ${what}.`, { action });
  } else if (failed === 0) showToast(`All of them were ${what} already.`);
}
