import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/** WCAG 2.2 A and AA. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** Those of them that depend on colours. */
const RULES_OF_COLOURS = ['color-contrast', 'link-in-text-block'];

const OPTIONS = {
  resultTypes: ['violations'],
  // Only the rule about sound that starts by itself needs it, and no page has sound.
  preload: false,
};

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * What axe finds on a page and calls serious or critical.
 * @param only.within a selector of the part to look at; default: the whole page.
 * @param only.colours for a page that was looked at in other colours.
 */
export async function findSeriousViolations(
  page: Page,
  only: { readonly within?: string | undefined; readonly colours?: boolean } = {},
): Promise<string[]> {
  const isLoaded: boolean = await page.evaluate(`typeof globalThis.axe === 'object'`);
  if (!isLoaded) await page.evaluate(axe);
  const part = only.within === undefined ? 'document' : JSON.stringify(only.within);
  const options = { ...OPTIONS, runOnly: only.colours === true ? RULES_OF_COLOURS : RULES };
  const run = `axe.run(${part}, ${JSON.stringify(options)})`;
  const results: AxeResults = await page.evaluate(run);
  return results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}
