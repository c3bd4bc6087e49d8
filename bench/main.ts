/** Answers questions about speed: `npm run bench` all of them, `npm run bench -- store` one. */
import { type Figure, formatFigure } from './figures.ts';
import { columns, writeResult } from './report.ts';

const QUESTIONS: Readonly<Record<string, () => Promise<{ run(): Promise<Figure[]> }>>> = {
  frames: () => import('./frames.ts'),
  store: () => import('./store.ts'),
  requests: () => import('./requests.ts'),
  kernel: () => import('./kernel.ts'),
};

const HELP = `npm run bench              all questions, one after the other
npm run bench -- <name> …   some of them: ${Object.keys(QUESTIONS).join(', ')}

Each measures beside a reference of the same run and writes bench/results/<name>.json.`;

if (process.argv.includes('--help')) {
  console.log(HELP);
  process.exit(0);
}
const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(QUESTIONS);
for (const name of chosen) {
  const question = QUESTIONS[name];
  if (!question) {
    console.error(`no bench is called ${name}: there are ${Object.keys(QUESTIONS).join(', ')}`);
    process.exit(2);
  }
  const figures = await (await question()).run();
  const rows = figures.map((figure) => [figure.name, formatFigure(figure)] as const);
  console.log(`\n${name}\n\n${columns(rows)}\n\nwritten to ${writeResult(name, { figures })}`);
}
