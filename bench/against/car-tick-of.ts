import { carTickIn, WORLD_COUNT_MAX } from '../car-ticks.ts';
import { ask } from './npm-run.ts';
import { benchReadings } from './readings.ts';
import type { Slices } from './slices.ts';

/** Processor time of a car and tick in 5,000 worlds, ns, by the bench of a tree. */
export async function carTickNsOf(folder: string, slices?: Slices): Promise<number> {
  const name = carTickIn(WORLD_COUNT_MAX);
  const question = { script: 'bench', name: 'kernel', args: ['--quick'] } as const;
  const output = await ask(folder, question, slices);
  const readings = benchReadings(output);
  // The row below the name: processor time, which a busy machine spoils less.
  const reading = readings[readings.findIndex((each) => each.name === name) + 1];
  if (reading?.unit !== 'ns') throw new Error(`${folder} printed no "${name}"`);
  return reading.value;
}
