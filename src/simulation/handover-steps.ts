import { ABORT, COPY, GO, HAND, type MovingWorlds, RESERVE } from '../cluster/handover.ts';
import type { LinkHandlers } from '../link/contract.ts';
import type { Claims } from '../store/contract.ts';
import { claimsWith, handoversWith, movingWith } from './changed-parts.ts';

/** What the two nodes of a handover do, in the order in which it happens; the last three where it fails. */
export const STEPS = [
  'reserve',
  'copy',
  'freeze',
  'hand out',
  'hand',
  'give',
  'go',
  'accept',
  'take in',
  'abort',
  'cancel',
  'thaw',
] as const;
const BY_MESSAGE: ReadonlyMap<string, Step> = new Map([
  [RESERVE, 'reserve'],
  [COPY, 'copy'],
  [HAND, 'hand'],
  [GO, 'go'],
  [ABORT, 'abort'],
]);

export type Step = (typeof STEPS)[number];

/** Gets the name of the node that is about to do a step. */
export type Strike = (node: string) => void;

/** Lets faults strike handovers: these are short, and faults by the clock alone would seldom meet one. */
export class HandoverSteps {
  readonly #strikes = new Map<Step, Strike[]>();

  /** Calls `strike` once, the next time that a node is about to do this. */
  strikeAt(step: Step, strike: Strike): void {
    const waiting = this.#strikes.get(step) ?? [];
    this.#strikes.set(step, waiting);
    waiting.push(strike);
  }

  /** Nothing strikes any more. */
  end(): void {
    this.#strikes.clear();
  }

  #begins(step: Step | undefined, node: string): void {
    if (step !== undefined) this.#strikes.get(step)?.shift()?.(node);
  }

  handlersOf(node: string, inner: LinkHandlers): LinkHandlers {
    return {
      ...inner,
      called: (from, kind, value) => {
        this.#begins(BY_MESSAGE.get(kind), node);
        return inner.called(from, kind, value);
      },
      noted: (from, kind, value) => {
        this.#begins(BY_MESSAGE.get(kind), node);
        inner.noted(from, kind, value);
      },
    };
  }

  claimsOf(node: string, inner: Claims): Claims {
    return claimsWith(
      inner,
      handoversWith(inner, (handovers) => ({
        give: (grant, token) => {
          this.#begins('give', node);
          return handovers.give(grant, token);
        },
        accept: (reservation) => {
          this.#begins('accept', node);
          return handovers.accept(reservation);
        },
        cancel: (reservation) => {
          this.#begins('cancel', node);
          return handovers.cancel(reservation);
        },
      })),
    );
  }

  movingOf(node: string, inner: MovingWorlds): MovingWorlds {
    return movingWith(inner, {
      freeze: (partition) => {
        this.#begins('freeze', node);
        return inner.freeze(partition);
      },
      handOut: (...asked) => {
        this.#begins('hand out', node);
        return inner.handOut(...asked);
      },
      takeIn: (...taken) => {
        this.#begins('take in', node);
        inner.takeIn(...taken);
      },
      thaw: (partition) => {
        this.#begins('thaw', node);
        return inner.thaw(partition);
      },
    });
  }
}
