import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const OPTIONS = {
  /** WCAG 2.2 A and AA. */
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
  resultTypes: ['violations'],
  // Only the rule about sound that starts by itself needs it, and no page has sound.
  preload: false,
};

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * What axe finds on a page and calls serious or critical.
 * @param within a selector of the part to look at; default: the whole page.
 */
export async function findSeriousViolations(page: Page, within?: string): Promise<string[]> {
  const isLoaded: boolean = await page.evaluate(`typeof globalThis.axe === 'object'`);
  if (!isLoaded) await page.evaluate(axe);
  const part = within === undefined ? 'document' : JSON.stringify(within);
  const run = `axe.run(${part}, ${JSON.stringify(OPTIONS)})`;
  const results: AxeResults = await page.evaluate(run);
  return results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}
