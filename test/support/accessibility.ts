import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/** WCAG 2.2 A and AA. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** Those of them that depend on colours. */
const RULES_OF_COLOURS = ['color-contrast', 'link-in-text-block'];

const CHOSEN: Readonly<Record<Rules, object>> = {
  all: { runOnly: RULES },
  'about colours': { runOnly: RULES_OF_COLOURS },
  'not about colours': {
    runOnly: RULES,
    rules: Object.fromEntries(RULES_OF_COLOURS.map((rule) => [rule, { enabled: false }])),
  },
};

const OPTIONS = {
  resultTypes: ['violations'],
  // Nobody reads them.
  selectors: false,
  // Only the rule about sound that starts by itself needs it, and no page has sound.
  preload: false,
};

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Those about colours take most of the time. */
type Rules = 'all' | 'about colours' | 'not about colours';

/**
 * What axe finds on a page and calls serious or critical.
 * @param options.within a selector of the part to look at; default: the whole page.
 * @param options.rules default: all.
 */
export async function findSeriousViolations(
  page: Page,
  { within, rules = 'all' }: { readonly within?: string | undefined; readonly rules?: Rules } = {},
): Promise<string[]> {
  const isLoaded: boolean = await page.evaluate(`typeof globalThis.axe === 'object'`);
  if (!isLoaded) await page.evaluate(axe);
  const part = within === undefined ? 'document' : JSON.stringify(within);
  const run = `axe.run(${part}, ${JSON.stringify({ ...OPTIONS, ...CHOSEN[rules] })})`;
  const results: AxeResults = await page.evaluate(run);
  return results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}
