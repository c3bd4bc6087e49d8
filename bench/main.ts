/** Answers questions about speed: `npm run bench` all of them, `npm run bench -- store` one. */
import { type Figure, formatFigure, markdown } from './figures.ts';
import { columns, writeResult } from './report.ts';

type Question = () => Promise<{ run(options: string[]): Promise<Figure[]> }>;

const QUESTIONS: Readonly<Record<string, Question>> = {
  frames: () => import('./frames.ts'),
  store: () => import('./store.ts'),
  requests: () => import('./requests.ts'),
  dealer: () => import('./dealer.ts'),
  kernel: () => import('./kernel.ts'),
  driving: () => import('./driving.ts'),
  shard: () => import('./shard.ts'),
  native: () => import('./native.ts'),
  viewer: () => import('./viewer.ts'),
};
/** Looked at while one works on the code: they write no results. */
const LOOKS: Readonly<Record<string, Question>> = {
  'kernel --quick': () => import('./kernel-quick.ts'),
  'kernel --profile': () => import('./kernel-profile.ts'),
};

const HELP = `npm run bench              all questions, one after the other
npm run bench -- <name> …   some of them: ${Object.keys(QUESTIONS).join(', ')}

Each measures beside a reference of the same run and writes bench/results/<name>.json;
native needs wasm2c and gcc (apt-get install wabt gcc libc6-dev).

npm run bench -- kernel --quick     ns a car and tick, in a few seconds; writes nothing
npm run bench -- kernel --profile   ns by phase of a tick and by function; writes nothing

npm run bench -- dealer [--worlds 100000]   as many in the store that a node starts with

npm run bench -- viewer [--minutes 10]   how long the heap is looked at

npm run bench -- driving [--seed 1] [--km 500000] [--threads 2] [--city <name>]

--markdown prints the figures as rows of a Markdown table.`;

if (process.argv.includes('--help')) {
  console.log(HELP);
  process.exit(0);
}
const asMarkdown = process.argv.includes('--markdown');
const args = process.argv.slice(2).filter((arg) => arg !== '--markdown');
const look = LOOKS[args.join(' ')];
if (look) {
  const figures = await (await look()).run([]);
  console.log(shown(figures));
  process.exit(0);
}
const firstOption = args.findIndex((arg) => arg.startsWith('--'));
const names = firstOption < 0 ? args : args.slice(0, firstOption);
const options = firstOption < 0 ? [] : args.slice(firstOption);
const chosen = names.length > 0 ? names : Object.keys(QUESTIONS);
for (const name of chosen) {
  const question = QUESTIONS[name];
  if (!question) {
    console.error(`no bench is called ${name}: there are ${Object.keys(QUESTIONS).join(', ')}`);
    process.exit(2);
  }
  const figures = await (await question()).run(options);
  console.log(`\n${name}\n\n${shown(figures)}\n\nwritten to ${writeResult(name, { figures })}`);
}

function shown(figures: readonly Figure[]): string {
  if (asMarkdown) return markdown(figures);
  return columns(figures.map((figure) => [figure.name, formatFigure(figure)] as const));
}
