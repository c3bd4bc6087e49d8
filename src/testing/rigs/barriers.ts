import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Half as long as what the module says its source is: each page has to read it. */
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** Rules of axe-core whose verdict depends on the theme. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/**
 * All that axe-core finds on a page, by the rules of WCAG and by those of good practice.
 * @param rules 'colours': only what another theme may change
 */
export async function barriers(page: Page, rules: 'all' | 'colours' = 'all'): Promise<string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(AXE);
  const runOnly = rules === 'colours' ? COLOUR_RULES : undefined;
  const options = JSON.stringify({ resultTypes: ['violations'], runOnly });
  const found = await page.evaluate(`axe.run(document, ${options})`);
  const { passes, violations } = found as axe.AxeResults;
  // It did look, at colours too.
  expect(passes.map(({ id }) => id)).toContain('color-contrast');
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
