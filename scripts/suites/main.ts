import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type FileResult, readResults, tableOf } from './results.ts';

const HELP = `npm run suites -- [options] [files]

Runs the black-box suites of the twin and of the dealer platform on nodes that share one Redis: once
against each of them, and once against another one for each request. It prints a table, and the messages
of what has failed. Exit code 0: all tests of all files have passed. Files: all by default; or parts of
their paths, such as "dealer" or "twin/stream".

  --nodes <2..8>     how many nodes; 3 by default
  --node <list>      which of them: numbers from 0, or any; by default each, and any
  --workers <1..16>  files at the same time; 1 by default
  --help

Files that start and kill nodes of their own are left out: nothing in them depends on these options, and
npm test runs them. They are listed below the table.
`;

/** With why nothing would be another in them. */
const OWN_NODES: Record<string, string> = {
  'src/testing/suites/dealer/kill.test.ts': 'kills a process of its own',
  'src/testing/suites/dealer/outages.test.ts': 'makes the store of its node fail',
  'src/testing/suites/twin/viewer-nodes.test.ts': 'opens two front ends of its own',
  'src/testing/suites/twin/viewer-states.test.ts': 'looks at a process of its own',
  'src/testing/suites/twin/viewer.test.ts': 'kills processes of its own',
};

const OPTIONS = {
  nodes: { type: 'string', default: '3' },
  node: { type: 'string' },
  workers: { type: 'string', default: '1' },
  help: { type: 'boolean', default: false },
} as const;
const NODES_MAX = 8;
const WORKERS_MAX = 16;

interface Asked {
  count: number;
  choices: string[];
  workers: number;
  files: string[];
}

/** Throws Error with a message for the user. */
function readArguments(): Asked | 'help' {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
  if (values.help) return 'help';
  const count = wholeOf('nodes', values.nodes, 2, NODES_MAX);
  const each = [...Array.from({ length: count }, (_, i) => String(i)), 'any'];
  const choices = values.node?.split(',') ?? each;
  const wrong = choices.find((choice) => !each.includes(choice));
  if (wrong !== undefined) throw new Error(`--node: there is no node ${wrong}`);
  const files = globSync('src/testing/suites/{twin,dealer}/*.test.ts')
    .filter((file) => !(file in OWN_NODES))
    .filter((file) => positionals.length === 0 || positionals.some((part) => file.includes(part)))
    .toSorted();
  if (files.length === 0)
    throw new Error(`no file has "${positionals.join('" or "')}" in its path`);
  const workers = wholeOf('workers', values.workers, 1, WORKERS_MAX);
  return { count, choices, workers, files };
}

function wholeOf(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new Error(`--${name}: use a whole number from ${min} to ${max}`);
}

/** Runs files against one node, or against any. */
async function runAgainst(
  choice: string,
  { count, files, workers }: Asked,
  outputFile: string,
): Promise<FileResult[]> {
  const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${outputFile}`];
  const vitest = spawn(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      ...args,
      '--project=suites',
      `--maxWorkers=${workers}`,
      ...files,
    ],
    {
      env: { ...process.env, SUITE_NODES: String(count), SUITE_NODE: choice },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  await once(vitest, 'exit');
  if (!existsSync(outputFile)) throw new Error('vitest has ended without a result');
  return readResults(readFileSync(outputFile, 'utf8'), files);
}

async function run(asked: Asked): Promise<boolean> {
  const missing = Object.keys(OWN_NODES).find((file) => !existsSync(file));
  if (missing !== undefined) throw new Error(`there is no ${missing} any more`);
  const dir = mkdtempSync(join(tmpdir(), 'suites-'));
  try {
    const results = new Map<string, FileResult[]>();
    for (const choice of asked.choices) {
      results.set(choice, await runAgainst(choice, asked, join(dir, `${choice}.json`)));
    }
    process.stdout.write(`\n${asked.count} nodes on one Redis\n\n${tableOf(results)}\n`);
    process.stdout.write('\nOn nodes of their own, in npm test:\n');
    for (const [file, why] of Object.entries(OWN_NODES))
      process.stdout.write(`  ${file}: ${why}\n`);
    return [...results.values()].flat().every(({ isWhole }) => isWhole);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

async function main(): Promise<void> {
  try {
    const asked = readArguments();
    if (asked === 'help') process.stdout.write(HELP);
    else if (!(await run(asked))) process.exitCode = 1;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
}

await main();
