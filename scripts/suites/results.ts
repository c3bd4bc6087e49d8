import { relative } from 'node:path';

/** What became of the tests of a file. */
export interface FileResult {
  file: string;
  passed: number;
  failures: string[];
  /** Some tests have passed, none has failed and none was skipped. */
  isWhole: boolean;
}

/** What Vitest writes as JSON, as far as it is read here. */
interface Report {
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] | null }[];
  }[];
}

/**
 * Reads the JSON report of Vitest.
 * @param files that should be in it, relative to the working directory
 */
export function readResults(json: string, files: readonly string[]): FileResult[] {
  const { testResults } = JSON.parse(json) as Report;
  return files.map((file) => {
    const found = testResults.find(({ name }) => relative('.', name) === file);
    const tests = found?.assertionResults ?? [];
    const passed = tests.filter(({ status }) => status === 'passed').length;
    const others = tests.filter(({ status }) => status !== 'passed');
    const failures = others.map(
      ({ fullName, status, failureMessages }) =>
        `${fullName}: ${failureMessages?.[0]?.split('\n')[0] ?? status}`,
    );
    if (found?.message) failures.unshift(found.message.split('\n')[0] ?? '');
    if (tests.length === 0) failures.push('no test has run');
    return { file, passed, failures, isWhole: failures.length === 0 && found?.status === 'passed' };
  });
}

/** A line for each file, a column for each node, then the failures. */
export function tableOf(results: ReadonlyMap<string, readonly FileResult[]>): string {
  const choices = [...results.keys()];
  const files = results.get(choices[0] ?? '')?.map(({ file }) => file) ?? [];
  const cellOf = ({ passed, failures, isWhole }: FileResult) =>
    isWhole ? `${passed}` : `${passed}, ${failures.length} FAILED`;
  const rows = files.map((file, i) => [
    file,
    ...choices.map((choice) => cellOf(results.get(choice)?.[i] as FileResult)),
  ]);
  const sums = choices.map((choice) => {
    const all = results.get(choice) ?? [];
    const failed = all.flatMap(({ failures }) => failures).length;
    const passed = all.reduce((sum, each) => sum + each.passed, 0);
    return failed === 0 ? `${passed}` : `${passed}, ${failed} FAILED`;
  });
  const heads = choices.map((choice) => (choice === 'any' ? 'any node' : `node ${choice}`));
  const table = aligned([['passed tests', ...heads], ...rows, ['all', ...sums]]);
  const failures = [...results].flatMap(([choice, all]) =>
    all.flatMap(({ file, failures }) => failures.map((text) => `${file} at ${choice}: ${text}`)),
  );
  return [...table, ...(failures.length > 0 ? ['', ...failures] : [])].join('\n');
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0))) ?? [];
  return rows.map(([first = '', ...cells]) =>
    [
      first.padEnd(widths[0] ?? 0),
      ...cells.map((cell, i) => cell.padStart(widths[i + 1] ?? 0)),
    ].join('  '),
  );
}
