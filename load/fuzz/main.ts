/**
 * Sends inputs that break HTTP, WebSocket and the documents in a few places to a node of its own:
 * `npm run fuzz -- [options]`.
 */
import { describeOptions, parseOptions, runEntryPoint } from '../../bench/common/options.ts';
import { progress } from '../../bench/common/progress.ts';
import { UsageError } from '../../bench/common/usage-error.ts';
import { type FuzzResult, fuzz, KINDS, type Kind, replay } from './fuzz.ts';
import { inputOf } from './input.ts';
import { startNodeTarget } from './node-target.ts';

const options = {
  inputs: {
    fallback: 100_000,
    min: 1,
    max: 10_000_000,
    help: 'connections with bytes of all kinds',
  },
  seed: { fallback: 1, min: 0, max: 1_000_000, help: 'equal seeds send equal inputs' },
  only: {
    fallback: Object.keys(KINDS),
    choices: Object.keys(KINDS),
    help: 'a kind of input; more than once: several',
  },
  replay: { fallback: '', help: 'sends one input again, as a failed run prints it' },
} as const;

const HELP = `npm run fuzz -- [options]\n\n${describeOptions(options)}`;

function report({ statuses, effects, faults }: FuzzResult, seed: number): void {
  const answers = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
  console.log(`answers: ${answers.join(', ') || 'none'}; accepted changes: ${effects}`);
  for (const { input, fault } of faults) console.error(`FAULT ${fault}\n  input ${input}`);
  if (faults.length === 0) return;
  console.error(`seed ${seed}; send an input again with --replay <input>`);
  process.exitCode = 1;
}

await runEntryPoint(HELP, async (args) => {
  const { inputs, seed, only, replay: word } = parseOptions(options, args);
  const input = inputOf(word);
  if (word !== '' && input === undefined) throw new UsageError('--replay takes a printed input');
  const target = await startNodeTarget();
  let sent = 0;
  const stopProgress = progress(() => `${sent} of ${inputs} inputs`);
  try {
    if (input === undefined) {
      const count = (done: number) => {
        sent = done;
      };
      report(await fuzz(target, { seed, inputs, kinds: only as Kind[] }, count), seed);
    } else {
      const { answer, ...result } = await replay(target, input);
      console.log(answer || 'no answer');
      report(result, seed);
    }
  } finally {
    stopProgress();
    await target.stop();
  }
});
