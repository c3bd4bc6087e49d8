/** What a black-box suite talks to: one of the nodes, or another one for each request. */
export type Choice = number | 'any';

export interface SuiteNodes {
  count: number;
  choice: Choice;
}

/**
 * Where black-box suites run on several nodes: `SUITE_NODES` says on how many, `SUITE_NODE` which of them
 * they talk to, from 0, or `any`. Undefined: on one, as usual.
 */
export const suiteNodes = readSuiteNodes();

function readSuiteNodes(): SuiteNodes | undefined {
  const { SUITE_NODES: count, SUITE_NODE: choice = '0' } = process.env;
  if (!count) return undefined;
  return { count: Number(count), choice: choice === 'any' ? 'any' : Number(choice) };
}
