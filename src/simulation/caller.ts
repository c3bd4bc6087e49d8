import type { Chance } from './chance.ts';
import type { Macrotasks } from './macrotasks.ts';
import type { NodeSlot } from './node-slot.ts';
import type { Observer } from './observer.ts';
import type { RunSettings } from './settings.ts';
import type { Answer, Request, SimulatedFront } from './simulated-front.ts';
import type { SimulatedNode } from './simulated-node.ts';
import type { Trace } from './trace.ts';

/** A client waits no longer for an answer. */
const PATIENCE_MS = 10_000;

export interface CallerParts {
  settings: RunSettings;
  macrotasks: Macrotasks;
  observer: Observer;
  chance: Chance;
  trace: Trace;
  failed: (error: unknown) => void;
}

/** What a client has a node do. */
export type Use<T> = (front: SimulatedFront, process: SimulatedNode) => Promise<T>;

/** How clients reach nodes. */
export class Caller {
  readonly #parts: CallerParts;

  constructor(parts: CallerParts) {
    this.#parts = parts;
  }

  later(delayMs: number, run: () => unknown): void {
    const { macrotasks, failed } = this.#parts;
    const runAll = async () => run();
    macrotasks.add(macrotasks.nowMs + delayMs, () => void runAll().catch(failed));
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.later(ms, () => resolve()));
  }

  /** How long a message between a client and a node takes. */
  wayMs(): number {
    const { chance, settings } = this.#parts;
    return chance.between(0.05, settings.delayMsMax);
  }

  /**
   * Has a node do something. Undefined: it does not serve, or there is no answer.
   * @param unwanted gets an answer for which the client has not waited
   */
  call<T>(
    slot: NodeSlot,
    use: Use<T>,
    unwanted: (answer: T) => void = () => {},
  ): Promise<T | undefined> {
    const { process } = slot;
    if (process === undefined) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      let isAnswered = false;
      let isGivenUp = false;
      const answerLater = (answer: T | undefined) => {
        forget();
        this.later(this.wayMs(), () => {
          if (isGivenUp && answer !== undefined) unwanted(answer);
          isAnswered = true;
          resolve(answer);
        });
      };
      const forget = process.onGone(() => answerLater(undefined));
      this.later(PATIENCE_MS, () => {
        isGivenUp = !isAnswered;
        resolve(undefined);
      });
      process.main.add(this.wayMs(), () => {
        const { front } = process;
        if (front === undefined) answerLater(undefined);
        else {
          use(front, process).then(answerLater, (error: unknown) => {
            this.#parts.trace.say('refused', String(error));
            answerLater(undefined);
          });
        }
      });
    });
  }

  /** Asks a node; undefined: it is not known whether it did anything. */
  async request(slot: NodeSlot, request: Request): Promise<Answer | undefined> {
    const { counts } = this.#parts.observer;
    const isAsked = slot.process?.front !== undefined;
    const answer = await this.call(slot, (front) => front.answer(request));
    this.#parts.trace.say('answer', slot.name, request.id, answer?.status ?? 'none');
    if (answer === undefined) {
      if (isAsked) counts.unknown++;
      return undefined;
    }
    const { status, body } = answer;
    if (status < 400) return answer;
    const text = Buffer.from(body).toString();
    this.#parts.observer.answeredWith(request.id, status, text);
    this.#parts.trace.say('refused', status, text);
    if (/may have been/.test(text)) counts.unknown++;
    else counts.refused++;
    return answer;
  }
}
