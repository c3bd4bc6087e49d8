/** Answers questions about speed: `npm run bench` all of them, `npm run bench -- store` one. */
import { type Figure, formatFigure } from './figures.ts';
import { columns, writeResult } from './report.ts';

interface Question {
  /** Throws where it does not know an option. */
  run(options: string[]): Promise<Figure[]>;
}

const QUESTIONS: Readonly<Record<string, () => Promise<Question>>> = {
  frames: () => import('./frames.ts'),
  store: () => import('./store.ts'),
  requests: () => import('./requests.ts'),
  kernel: () => import('./kernel.ts'),
  driving: () => import('./driving.ts'),
};

const HELP = `npm run bench              all questions, one after the other
npm run bench -- <name> …   some of them: ${Object.keys(QUESTIONS).join(', ')}
npm run bench -- driving [--seed 1] [--km 500000] [--threads 2] [--city <name>]

Each measures beside a reference of the same run and writes bench/results/<name>.json.`;

if (process.argv.includes('--help')) {
  console.log(HELP);
  process.exit(0);
}
const words = process.argv.slice(2);
const firstOption = words.findIndex((word) => word.startsWith('--'));
const names = firstOption < 0 ? words : words.slice(0, firstOption);
const options = firstOption < 0 ? [] : words.slice(firstOption);
const chosen = names.length > 0 ? names : Object.keys(QUESTIONS);
for (const name of chosen) {
  const question = QUESTIONS[name];
  if (!question) {
    console.error(`no bench is called ${name}: there are ${Object.keys(QUESTIONS).join(', ')}`);
    process.exit(2);
  }
  const figures = await (await question()).run(options);
  const rows = figures.map((figure) => [figure.name, formatFigure(figure)] as const);
  console.log(`\n${name}\n\n${columns(rows)}\n\nwritten to ${writeResult(name, { figures })}`);
}
