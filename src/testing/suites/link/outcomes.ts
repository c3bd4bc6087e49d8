import { expect } from 'vitest';
import type { LinkStage, StageNode } from './link-stage.ts';

/** What a test of the suite works with: two nodes, each of which has dialled the other. */
export type Current = () => { stage: LinkStage; a: StageNode; b: StageNode };

/** What something rejects with. */
export async function failure(stage: LinkStage, outcome: Promise<unknown>) {
  const error = await stage.settled(
    outcome.then(
      () => undefined,
      (reason: unknown) => reason,
    ),
  );
  expect(error).toBeInstanceOf(Error);
  const { isSent, isOverloaded, message } = error as Error & {
    isSent?: boolean;
    isOverloaded?: boolean;
  };
  return { isSent, isOverloaded, message };
}
