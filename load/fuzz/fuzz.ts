import { Dice } from '../../src/testing/rigs/dice.ts';
import { type Allowed, allowedEffects, answersIn, checkAnswers } from './answers.ts';
import { bodyInput } from './body-inputs.ts';
import { frameInput } from './frame-inputs.ts';
import { httpInput } from './http-inputs.ts';
import { type Input, wordOf } from './input.ts';
import { type Outcome, Sender, type Target } from './target.ts';

const BATCH_INPUTS = 50;
/** Inputs of one seed before those of the next would begin. */
const INPUTS_MAX = 1e7;

export interface FuzzOptions {
  seed: number;
  inputs: number;
  kinds: readonly Kind[];
}

export interface FuzzResult {
  /** Answers by status, over all inputs. */
  statuses: Record<number, number>;
  /** Operations that accepted a request that was made for them. */
  accepted: Set<string>;
  /** What accepted requests did. */
  effects: number;
  /** What an input did that no input may do. */
  faults: { input: string; fault: string }[];
}

/** What can be wrong about an input. */
export const KINDS = { http: httpInput, frames: frameInput, bodies: bodyInput } as const;
export type Kind = keyof typeof KINDS;

/** Input number `index` of a seed; the kinds take turns. */
export function inputAt({ seed, kinds }: Omit<FuzzOptions, 'inputs'>, index: number): Input {
  const kind = kinds[index % kinds.length] as Kind;
  return KINDS[kind](new Dice(seed * INPUTS_MAX + index));
}

/** Sends the inputs of a seed. */
export async function fuzz(
  target: Target,
  { inputs, ...chosen }: FuzzOptions,
  done: (count: number) => void = () => {},
): Promise<FuzzResult> {
  const all = Array.from({ length: Math.ceil(inputs / BATCH_INPUTS) }, (_, batch) => {
    const from = batch * BATCH_INPUTS;
    const length = Math.min(BATCH_INPUTS, inputs - from);
    return () => Array.from({ length }, (_, i) => inputAt(chosen, from + i));
  });
  const run = await FuzzRun.on(target);
  let count = 0;
  for (const batch of all) {
    const batchInputs = batch();
    await run.send(batchInputs);
    count += batchInputs.length;
    done(count);
    if (run.result.faults.length > 0) break;
  }
  run.close();
  return run.result;
}

/** Sends one input. */
export async function replay(
  target: Target,
  input: Input,
): Promise<FuzzResult & { answer: string }> {
  const run = await FuzzRun.on(target);
  const [outcome] = await run.send([input]);
  run.close();
  return { ...run.result, answer: outcome?.received.toString('latin1') ?? '' };
}

class FuzzRun {
  readonly result: FuzzResult = { statuses: {}, accepted: new Set(), effects: 0, faults: [] };
  readonly #target: Target;
  readonly #sender: Sender;
  #effects: number;
  /** Requests of the last batch that may still have an effect. */
  #unanswered = 0;

  static async on(target: Target): Promise<FuzzRun> {
    return new FuzzRun(target, await Sender.to(target), await target.effects());
  }

  private constructor(target: Target, sender: Sender, effects: number) {
    this.#target = target;
    this.#sender = sender;
    this.#effects = effects;
  }

  close(): void {
    this.#sender.close();
  }

  /** Sends inputs at once and judges what became of them. */
  async send(inputs: readonly Input[]): Promise<Outcome[]> {
    const words = inputs.map(wordOf).join(' ');
    const outcomes = await this.#sender.send(inputs).catch((error) => {
      this.#note(words, String(error));
      return [];
    });
    let allowed = this.#unanswered;
    this.#unanswered = 0;
    for (const [i, outcome] of outcomes.entries()) {
      const { accepted, unanswered } = this.#judge(inputs[i] as Input, outcome);
      allowed += accepted + unanswered;
      this.#unanswered += unanswered;
    }
    const effects = await this.#target.effects().catch((error) => {
      this.#note(words, String(error));
      return this.#effects;
    });
    const added = effects - this.#effects;
    this.#effects = effects;
    this.result.effects += added;
    if (added > allowed) await this.#findCulprit(inputs, `${added} effects instead of ${allowed}`);
    const [fault] = this.#target.faults();
    if (fault !== undefined) this.#note(words, fault);
    return outcomes;
  }

  #judge(input: Input, { received, isClosed }: Outcome): Allowed {
    if (!isClosed) this.#note(wordOf(input), 'its connection stays open after the client has gone');
    try {
      const answers = answersIn(received, input.parts.join('').includes('HEAD'));
      for (const { status } of answers) {
        this.result.statuses[status] = (this.result.statuses[status] ?? 0) + 1;
      }
      checkAnswers(input, this.#target.published[input.service], answers);
      const [answer] = answers;
      if (input.operation && answer && answer.status < 400) {
        this.result.accepted.add(input.operation);
      }
      return allowedEffects(input, answers);
    } catch (error) {
      this.#note(wordOf(input), String(error));
      return { accepted: 0, unanswered: 0 };
    }
  }

  /** Which of several inputs had an effect that it must not have: sends them one by one. */
  async #findCulprit(inputs: readonly Input[], fault: string): Promise<void> {
    if (inputs.length === 1) return this.#note(wordOf(inputs[0] as Input), fault);
    const before = this.result.faults.length;
    for (const input of inputs) await this.send([input]);
    if (this.result.faults.length === before) this.#note(inputs.map(wordOf).join(' '), fault);
  }

  #note(input: string, fault: string): void {
    this.result.faults.push({ input, fault });
  }
}
