import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Command } from 'commander';
import type { Browser } from 'playwright-core';
import { startBrowser } from '../test/support/browser.ts';
import { openConsole } from '../test/support/console-browser.ts';

/**
 * `npm run console:pictures -- URL`: the pictures of `docs/guide/console.md`, taken from the console of
 * a sandbox that runs at the URL and has some payments.
 */

const FOLDER = path.resolve(import.meta.dirname, '../docs/guide/images/console');
const QUALITY = 60;

const PAGES: Readonly<Record<string, readonly [name: string, at: string][]>> = {
  admin: [
    ['home', '/'],
    ['payments', '/payments'],
    ['payment', '/payments tbody a'],
    ['cases', '/cases'],
    ['case', '/cases tbody a'],
    ['approvals', '/approvals'],
    ['reconciliation', '/reconciliation'],
    ['vendors', '/vendors'],
    ['vendor', '/vendors/savanna-stores'],
    ['vendor-statement', '/vendors/savanna-stores/statement'],
    ['billers', '/billers'],
    ['biller', '/billers/safaricom'],
    ['operators', '/operators'],
    ['operator', '/operators/kplc'],
    ['operator-statement', '/operators/kplc/statement'],
    ['ledger', '/ledger'],
    ['ledger-account', '/ledger/vendors/fees'],
    ['journals', '/journals'],
    ['margin', '/margin'],
    ['receivables', '/receivables'],
    ['vat', '/vat'],
    ['top-ups', '/top-ups'],
    ['people', '/people'],
    ['audit', '/audit'],
    ['system', '/system'],
    ['passkeys', '/passkeys'],
  ],
  risk: [
    ['credit', '/credit'],
    ['credit-ask', '/credit/new'],
    ['credit-report', '/credit tbody a'],
    ['credit-files', '/credit/imports'],
    ['credit-file', '/credit/imports tbody a'],
    ['credit-upload', '/credit/imports/new'],
    ['credit-people', '/credit/cases'],
    ['credit-case', "/credit/cases a[href*='/credit/cases/']"],
    ['credit-dispute', "/credit/cases a[href*='/credit/disputes/']"],
    ['credit-proposal', "/credit/cases a[href*='/credit/proposals/']"],
    ['credit-rules', '/credit/rules'],
    ['credit-scorecards', '/credit/scorecards'],
    ['credit-scorecard', '/credit/scorecards/malipo-generic@2'],
    ['credit-monitoring', '/credit/monitoring'],
  ],
  'demo-admin': [
    ['vendor-home', '/'],
    ['pay', '/pay'],
    ['bulk', '/bulk'],
    ['account', '/account'],
    ['integration', '/integration'],
    ['requests', '/requests'],
  ],
};

const command = new Command('console:pictures')
  .description('Take the pictures of the guide to the console.')
  .argument('<url>', 'of a running sandbox')
  .option('--only <names>', 'of these pages, such as vat,ledger')
  .parse();
const [origin = ''] = command.args;
const only = command.opts<{ only?: string }>().only?.split(',');

await mkdir(FOLDER, { recursive: true });
const browser = await startBrowser();
try {
  for (const [login, all] of Object.entries(PAGES)) {
    const pages = all.filter(([name]) => only?.includes(name) ?? true);
    if (pages.length > 0) await takeAll(browser, login, pages);
  }
} finally {
  await browser.close();
}

async function takeAll(
  opened: Browser,
  login: string,
  pages: readonly [name: string, at: string][],
): Promise<void> {
  const page = await openConsole(opened, '/', { origin, login, problems: [] });
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: 'light' });
  for (const [name, at] of pages) {
    // A path, and perhaps the link to follow there.
    const [to = '', ...link] = at.split(' ');
    await page.goto(`${origin}/console${to}`);
    if (link.length > 0) {
      const title = await page.locator('main h1').first().textContent();
      await page
        .locator(`main ${link.join(' ')}`)
        .first()
        .click();
      const other = page.locator('main h1').filter({ hasNotText: title ?? '' });
      await other.first().waitFor();
    }
    await page.locator('main h1').first().waitFor();
    await page.locator('main').getByText('Loading…').first().waitFor({ state: 'detached' });
    await page.evaluate('document.fonts.ready');
    const file = path.join(FOLDER, `${name}.jpg`);
    await page.screenshot({ path: file, type: 'jpeg', quality: QUALITY });
  }
  await page.context().close();
}
