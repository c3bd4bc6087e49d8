import { CAR_COUNT, F_ESC } from '../../../assembly/layout.ts';
import type { Slab } from '../../kernel/kernel.ts';
import { CAR_TYPES } from '../../twin/fleet.ts';
import { type IcePass, shareOf, tallyIce, tallyInterventions } from './ice-tally.ts';
import { cities, makeKernel } from './kernel.ts';

/**
 * Prints what happens to cars on the ice: `node src/testing/rigs/ice-report.ts [worlds] [minutes]`.
 */

const TICKS_PER_MINUTE = 3000;
const [worlds = 2, minutes = 15] = process.argv.slice(2).map(Number);
const seeds = Array.from({ length: worlds }, (_, i) => 500 + i);
const ticks = minutes * TICKS_PER_MINUTE;

const kernel = makeKernel(1);
const loseEsc = (slab: Slab): void => {
  for (let car = 0; car < CAR_COUNT; car++) kernel.apply(slab, 0, car, F_ESC, 0);
};

function describe(passes: readonly IcePass[]): string {
  const percent = (is: (pass: IcePass) => boolean) => `${(100 * shareOf(passes, is)).toFixed(0)} %`;
  const offsetM = Math.max(...passes.map((pass) => pass.offsetM));
  return [
    `${passes.length} passes`,
    `interventions ${percent((pass) => pass.hasIntervened)}`,
    `left lane ${percent((pass) => pass.hasLeftLane)}`,
    `spun ${percent((pass) => pass.hasSpun)}`,
    `left or spun ${percent((pass) => pass.hasLeftLane || pass.hasSpun)}`,
    `contacts ${percent((pass) => pass.hasCrashed)}`,
    `greatest offset ${offsetM.toFixed(2)} m`,
  ].join(', ');
}

for (const [index, city] of cities.cities.entries()) {
  for (const [name, prepare] of [['with', undefined] as const, ['without', loseEsc] as const]) {
    const passes = tallyIce(kernel, city, index, seeds, ticks, prepare);
    for (const drive of ['front', 'rear']) {
      const own = passes.filter(({ type }) => CAR_TYPES[type]?.drive === drive);
      console.log(`${city.name} ${name} stability control, ${drive}: ${describe(own)}`);
    }
  }
  const { kilometres, evading, onIce, onWet, onDry } = tallyInterventions(
    kernel,
    index,
    seeds,
    ticks,
  );
  const perThousand = (1000 * onDry) / kilometres;
  console.log(
    `${city.name}: ${kilometres.toFixed(0)} km, ${onIce} interventions on ice, ${evading} in evading, ` +
      `${onWet} on wet road, ${onDry} elsewhere (${perThousand.toFixed(2)} per 1,000 km)`,
  );
}
