import { useState } from 'preact/hooks';
import { Button } from '../common/button.tsx';
import { showToast } from '../common/toasts.tsx';
import { FLAGS, type Flag, switchFlag } from './flags.tsx';
import { count } from './parts.tsx';
import type { Car } from './types.ts';

/** Cars that are switched at a time. */
const AT_ONCE = 4;

interface BulkProps {
  cars: readonly Car[];
  onChange: (car: Car) => void;
}

/** Switches a flag of many cars. */
export function BulkSwitches({ cars, onChange }: BulkProps) {
  const [done, setDone] = useState<number>();
  const run = async (flag: Flag, to: boolean) => {
    setDone(0);
    await switchAll(cars, flag, to, (car) => {
      setDone((last = 0) => last + 1);
      if (car !== undefined) onChange(car);
    });
    setDone(undefined);
  };
  const isBusy = done !== undefined;
  return (
    <>
      {FLAGS.flatMap((flag) =>
        ([true, false] as const).map((to) => (
          <Button
            size="small"
            key={`${flag.flag} ${to}`}
            disabled={isBusy}
            onClick={() => run(flag, to)}
          >
            {to ? flag.turnOn : flag.turnOff}
          </Button>
        )),
      )}
      <span class="soft small" role="status">
        {isBusy ? `${done} of ${count(cars.length, 'car')}…` : ''}
      </span>
    </>
  );
}

/**
 * Switches a flag of those cars that have it otherwise, says how it went, and offers to undo it.
 * @param each called after each car, with the car where that worked
 */
async function switchAll(
  cars: readonly Car[],
  flag: Flag,
  to: boolean,
  each: (car?: Car) => void,
): Promise<void> {
  const waiting = cars.filter((car) => car[flag.flag] === !to);
  const switched: Car[] = [];
  let failure = '';
  const work = async () => {
    for (let car = waiting.shift(); car !== undefined; car = waiting.shift()) {
      try {
        const now = await switchFlag(car, flag.flag, to);
        switched.push(now);
        each(now);
      } catch (error) {
        failure ||= error instanceof Error ? error.message : String(error);
        each();
      }
    }
  };
  const all = waiting.length;
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const undo = { words: 'Undo', run: () => void switchAll(switched, flag, !to, each) };
  const what = to ? flag.on : flag.off;
  if (failure !== '') {
    const missed = `${count(all - switched.length, 'car')} of ${all} could not be switched.`;
    showToast(`${missed} ${failure}`, { kind: 'bad' });
  }
  if (switched.length > 0) {
    const are = switched.length === 1 ? 'is' : 'are';
    showToast(`${count(switched.length, 'car')} ${are} ${what}.`, { action: undo });
  } else if (failure === '') showToast(`All of them were ${what} already.`);
}
