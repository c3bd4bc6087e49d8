/** Answers questions about speed: `npm run bench` all of them, `npm run bench -- store` one. */
import { AGAINST_HELP, runAgainst, splitAgainst } from './against/against.ts';
import { benchReadings } from './against/readings.ts';
import { formatFactor } from './common/factor.ts';
import { type Figure, formatFigure, markdown } from './common/figures.ts';
import { runEntryPoint } from './common/options.ts';
import { columns, resultName, writeResult } from './common/report.ts';
import { UsageError } from './common/usage-error.ts';

type Question = () => Promise<{ run(options: string[]): Promise<Figure[]> }>;

const QUESTIONS: Readonly<Record<string, Question>> = {
  frames: () => import('./frames.ts'),
  store: () => import('./store.ts'),
  requests: () => import('./requests.ts'),
  dealer: () => import('./dealer.ts'),
  link: () => import('./link.ts'),
  cluster: () => import('./cluster.ts'),
  scale: () => import('./scale.ts'),
  simulate: () => import('./simulate.ts'),
  kernel: () => import('./kernel.ts'),
  driving: () => import('./driving.ts'),
  shard: () => import('./shard.ts'),
  native: () => import('./native.ts'),
  sumo: () => import('./sumo.ts'),
  client: () => import('./client.ts'),
  viewer: () => import('./viewer.ts'),
  visits: () => import('./visits.ts'),
  debt: () => import('./debt.ts'),
  prices: () => import('./prices/main.ts'),
};
/** Questions that write no result file of figures. */
const UNWRITTEN: Readonly<Record<string, Question>> = {
  factor: () => import('./factor.ts'),
  trace: () => import('./trace.ts'),
  'kernel --quick': () => import('./kernel-quick.ts'),
  'kernel --profile': () => import('./kernel-profile.ts'),
  'kernel --count': () => import('./kernel-count.ts'),
};

const HELP = `npm run bench              all questions, one after the other
npm run bench -- <name> …   some of them: ${Object.keys(QUESTIONS).join(', ')}

Each measures a reference in the same run and writes bench/results/<name>.json, with
options <name>-<options>.json;
native needs wasm2c and gcc (apt-get install wabt gcc libc6-dev), sumo needs sumo, cluster and
scale need redis-server.

npm run bench -- factor             how much slower this machine is than the one that the targets
                                    were set on; later reports show it
npm run bench -- prices             what an address pays by; exit code 1 if an estimate is off by
                                    more than a factor of 2
npm run bench -- kernel --quick     ns for a car-tick, in a few seconds; writes nothing
npm run bench -- kernel --profile   ns for each phase of a tick and each function; writes nothing
npm run bench -- kernel --count     what a car-tick executes and misses, of worlds 20 s and 90 s old, in a
                                    few minutes; needs cachegrind (apt-get install valgrind); writes nothing
npm run bench -- trace --city grid --seed 5 --tick 1234 --car 3 [--out trace.svg]
                                    draws a world around a tick
npm run bench -- dealer [--worlds 100000]   worlds in the store that a node starts with
npm run bench -- viewer [--minutes 10] [--beside <folder> [--rounds 7]]   how long the heap is sampled;
                                    another build of the pages, to compare the cost of a frame with
npm run bench -- visits [--visits 20] [--seed 1] [--together 4]   first visits of each city, on a
                                    desktop and a phone; the seed of the first, and visits at a time
npm run bench -- cluster [--rounds 7] [--seconds 4] [--worlds 100]   rounds of each kind and their
                                    length; worlds whose frames are relayed
npm run bench -- scale [--worlds 3000] [--watched 100] [--seconds 20]   worlds that are made, and of
                                    which are watched; how long nodes are at rest
npm run bench -- simulate [--seeds 500] [--workers 2]
npm run bench -- driving [--seed 1] [--km 500000] [--threads 2] [--city <name>]

--markdown prints the figures as rows of a Markdown table.

${AGAINST_HELP}`;

await runEntryPoint(HELP, async (all) => {
  const asMarkdown = all.includes('--markdown');
  const { against, rest } = splitAgainst(all.filter((arg) => arg !== '--markdown'));
  const firstOption = rest.findIndex((arg) => arg.startsWith('--'));
  const names = firstOption < 0 ? rest : rest.slice(0, firstOption);
  const options = firstOption < 0 ? [] : rest.slice(firstOption);
  const unwritten = UNWRITTEN[rest.join(' ')] ?? UNWRITTEN[names.join(' ')];
  const unknown = names.find((name) => !(name in QUESTIONS));
  if (unknown !== undefined && !unwritten) {
    throw new UsageError(`no bench is called ${unknown}`);
  }
  if (unknown !== undefined && against) throw new UsageError(`${unknown} cannot be compared`);
  if (unwritten && !against) return show(await (await unwritten()).run(options), asMarkdown);
  for (const name of names.length > 0 ? names : Object.keys(QUESTIONS)) {
    if (against) {
      const question = { script: 'bench', name, args: options } as const;
      const code = await runAgainst(against, question, benchReadings, asMarkdown);
      process.exitCode = Math.max(Number(process.exitCode ?? 0), code);
      continue;
    }
    const figures = (await (await QUESTIONS[name]?.())?.run(options)) ?? [];
    console.log(`\n${name}, ${formatFactor()}\n`);
    show(figures, asMarkdown);
    console.log(`\nwritten to ${writeResult(resultName(name, options), { figures })}`);
  }
});

function show(figures: readonly Figure[], asMarkdown: boolean): void {
  const rows = figures.map((figure) => [figure.name, formatFigure(figure)] as const);
  console.log(asMarkdown ? markdown(figures) : columns(rows));
}
