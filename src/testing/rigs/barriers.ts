import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const GRAVE = ['serious', 'critical'];

/** What axe-core finds on a page that is serious or critical. */
export async function barriers(page: Page): Promise<string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe.source);
  const { passes, violations } = (await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'] })`,
  )) as axe.AxeResults;
  // It did look, at colours too.
  expect(passes.map(({ id }) => id)).toContain('color-contrast');
  return violations
    .filter(({ impact }) => GRAVE.includes(impact ?? ''))
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
