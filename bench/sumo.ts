/**
 * Cars of this kernel beside vehicles of SUMO, a traffic simulator, on one core each: SUMO's are points on
 * a lane with more traffic rules, ours have tyres, sensors and functions.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Dice } from '../src/testing/rigs/dice.ts';
import { carTickNsOf } from './against/car-tick-of.ts';
import { commitOf, keptTree } from './against/kept-tree.ts';
import { outputOf } from './against/npm-run.ts';
import { Slices } from './against/slices.ts';
import { FACTOR_COMMIT } from './common/factor.ts';
import { compared, type Figure, figure } from './common/figures.ts';
import { inFreshDir } from './common/fresh-dir.ts';
import { ROOT } from './common/places.ts';
import { progress } from './common/progress.ts';
import { median } from './common/report.ts';
import { UsageError } from './common/usage-error.ts';

const RUNS = 5;
const SIDE = 5;
const VEHICLES = 20;
const STEP_S = 0.1;
const SIMULATED_S = 7200;
/** More than a vehicle drives in that time. */
const ROUNDS_OF_BLOCK = 150;
const COLUMNS = 'ABCDE';
/** How much more of SUMO's speed the kernel has to reach than at the reference commit. */
const GAIN_MIN = 1.33;

export function run(): Promise<Figure[]> {
  return inFreshDir(async (dir) => {
    makeGrid(dir);
    const before = await keptTree(commitOf(FACTOR_COMMIT));
    const rates = { sumo: [] as number[], now: [] as number[], before: [] as number[] };
    const stopProgress = progress(() => `${rates.before.length} of ${RUNS} rounds`);
    for (let round = 0; round < RUNS; round += 1) {
      // All meet the same speeds of the machine.
      const slices = new Slices();
      const [sumo, now, old] = await Promise.all([
        sumoRate(dir, slices),
        carTickNsOf(ROOT, slices),
        carTickNsOf(before, slices),
      ]);
      rates.sumo.push(sumo);
      rates.now.push(1e9 / now);
      rates.before.push(1e9 / old);
    }
    stopProgress();
    const sumo = { name: 'SUMO', value: median(rates.sumo) };
    const now = compared('car-ticks in processor time', median(rates.now), '/s', sumo);
    const old = compared(`  commit ${FACTOR_COMMIT}`, median(rates.before), '/s', sumo);
    return [
      figure('vehicle updates of SUMO in processor time', sumo.value, '/s'),
      now,
      old,
      figure(
        `the ratio to SUMO beside that of ${FACTOR_COMMIT}`,
        (now.ratio ?? 0) / (old.ratio ?? 1),
        '×',
        { atLeast: GAIN_MIN },
      ),
    ];
  });
}

/** A grid of streets with lights, in which each vehicle drives round a block for ever. */
function makeGrid(dir: string): void {
  const grid = [
    '--grid',
    '--grid.number',
    String(SIDE),
    '--default-junction-type',
    'traffic_light',
  ];
  try {
    execFileSync('netgenerate', [...grid, '-o', join(dir, 'net.xml')], { stdio: 'ignore' });
  } catch {
    throw new UsageError('SUMO is missing: apt-get install sumo');
  }
  const dice = new Dice(1);
  const vehicles = Array.from({ length: VEHICLES }, (_, id) => {
    const edges = edgesOfBlock(dice).join(' ');
    return `<vehicle id="${id}" depart="0"><route edges="${edges}" repeat="${ROUNDS_OF_BLOCK}"/></vehicle>`;
  });
  writeFileSync(join(dir, 'routes.xml'), `<routes>${vehicles.join('\n')}</routes>`);
}

/** The streets round a rectangle of the grid, one after the other, in either direction. */
function edgesOfBlock(dice: Dice): string[] {
  const [west, south] = [dice.below(SIDE - 1), dice.below(SIDE - 1)];
  const east = west + 1 + dice.below(SIDE - 1 - west);
  const north = south + 1 + dice.below(SIDE - 1 - south);
  const corners: string[] = [];
  for (let x = west; x < east; x += 1) corners.push(`${COLUMNS[x]}${south}`);
  for (let y = south; y < north; y += 1) corners.push(`${COLUMNS[east]}${y}`);
  for (let x = east; x > west; x -= 1) corners.push(`${COLUMNS[x]}${north}`);
  for (let y = north; y > south; y -= 1) corners.push(`${COLUMNS[west]}${y}`);
  if (dice.below(2) === 1) corners.reverse();
  return corners.map((corner, i) => `${corner}${corners[(i + 1) % corners.length]}`);
}

/** Vehicle updates a second of processor time. */
async function sumoRate(dir: string, slices: Slices): Promise<number> {
  const args = `-n ${join(dir, 'net.xml')} -r ${join(dir, 'routes.xml')} --step-length ${STEP_S}`;
  const quiet = '--no-step-log --no-warnings --duration-log.disable';
  const command = `sumo ${args} --end ${SIMULATED_S} ${quiet} >&2 && times`;
  const stdout = await outputOf('sh', ['-c', command], {}, slices);
  // Times of the shell and, in the second line, of what it ran.
  const seconds = [...(stdout.split('\n')[1] ?? '').matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, min, s]) => sum + 60 * Number(min) + Number(s),
    0,
  );
  return (VEHICLES * (SIMULATED_S / STEP_S)) / seconds;
}
