/**
 * Proves that one hostile client is not felt by others: `npm run attack -- [options]`. Every case has
 * a node of its own, with its limits on, and healthy users beside the attack.
 */
import { formatMs } from '../../bench/common/latencies.ts';
import { describeOptions, parseOptions, runEntryPoint } from '../../bench/common/options.ts';
import { columns, textTable, writeResult } from '../../bench/common/report.ts';
import { formatMiB } from '../usage-meter.ts';
import { formatAchievement } from './achievement.ts';
import { CASES, describeCases } from './attacks.ts';
import { runCase } from './case.ts';
import { faultsOf, type Outcome } from './verdict.ts';

const NAMES = Object.keys(CASES);

const options = {
  only: { fallback: [] as string[], choices: NAMES, help: 'a case; more than once: several' },
  seconds: {
    fallback: 10,
    min: 1,
    max: 600,
    help: 'how long each attack lasts once it is prepared',
  },
  rest: { fallback: 30, min: 0, max: 600, help: 'seconds after it, in which memory must return' },
  niceness: { fallback: 19, min: 0, max: 19, help: 'of the hostile processes' },
  'memory-mib': { fallback: 0, min: 0, max: 1_048_576, help: 'memory of the node; 0: no limit' },
  json: { fallback: false, help: 'also write bench/results/attack.json' },
} as const;

/** `only` would list all names twice. */
const { only, ...others } = options;
const HELP = [
  'npm run attack -- [options]',
  describeOptions({ only: { fallback: [], help: only.help }, ...others }),
  `Cases:\n${describeCases()}`,
  `The machine has to be set up as docs/operating.md tells ("Connections"), by
sysctl -w net.ipv4.tcp_rmem="4096 131072 393216"; else "continuation" is felt.`,
].join('\n\n');

const HEAD = [
  ...['', 'gap p99', 'max', 'elsewhere', 'GET p99', 'max', 'elsewhere'],
  ...['failed', 'before', 'peak', 'after', ''],
];

function rowOf(name: string, outcome: Outcome): string[] {
  const { undisturbed, met, machine, rssBytes } = outcome;
  const { streams, reads } = met;
  const beside = (before: number, during: number) => `${formatMs(before)} → ${formatMs(during)}`;
  const failed = Object.values(met.failed).reduce((sum, count) => sum + count, 0);
  return [
    name,
    beside(undisturbed.streams.p99Ms, streams.p99Ms),
    formatMs(streams.maxMs),
    formatMs(machine.gapP99Ms),
    beside(undisturbed.reads.p99Ms, reads.p99Ms),
    formatMs(reads.maxMs),
    formatMs(machine.readP99Ms),
    `${failed} of ${met.answered + failed}`,
    formatMiB(rssBytes.before),
    formatMiB(rssBytes.peak),
    rssBytes.after === undefined ? 'ended' : formatMiB(rssBytes.after),
    faultsOf(outcome).length === 0 ? 'not felt' : 'FELT',
  ];
}

/** Prints what was measured, and returns how many attacks were felt. */
function printOutcomes(all: readonly [name: string, outcome: Outcome][]): number {
  const rows = all.map(([name, outcome]) => rowOf(name, outcome));
  const achieved = all.map(
    ([name, outcome]) => [name, formatAchievement(outcome.achieved)] as const,
  );
  console.log(`\n${textTable(HEAD, rows)}\n\n${columns(achieved)}\n`);
  const felt = all.flatMap(([name, outcome]) => {
    const faults = faultsOf(outcome);
    return faults.length > 0 ? [[name, faults.join('; ')] as const] : [];
  });
  if (felt.length > 0) console.log(`FELT:\n${columns(felt)}`);
  return felt.length;
}

await runEntryPoint(HELP, async (args) => {
  const { seconds, niceness, json, ...chosen } = parseOptions(options, args);
  const names = NAMES.filter((name) => chosen.only.length === 0 || chosen.only.includes(name));
  const outcomes: Record<string, Outcome> = {};
  const unmeasured: [name: string, cause: string][] = [];
  const caseOptions = {
    seconds,
    restSeconds: chosen.rest,
    niceness,
    limitMib: chosen['memory-mib'],
  };
  for (const [i, name] of names.entries()) {
    console.log(`${i + 1} of ${names.length}: ${name}`);
    try {
      const outcome = await runCase(name, caseOptions);
      outcomes[name] = outcome;
      console.log(`        ${faultsOf(outcome).join('; ') || 'not felt'}`);
    } catch (error) {
      // The others shall be measured nevertheless.
      unmeasured.push([name, String(error)]);
      console.log(`        NOT MEASURED: ${error}`);
    }
  }
  const felt = printOutcomes(Object.entries(outcomes));
  if (unmeasured.length > 0) console.log(`NOT MEASURED:\n${columns(unmeasured)}`);
  if (felt + unmeasured.length > 0) process.exitCode = 1;
  if (json) console.log(`written to ${writeResult('attack', outcomes)}`);
});
