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
/** Light, dark, and as on a telephone. */
const VIEWS = [
  { name: 'light', width: 1280, height: 800, colorScheme: 'light' },
  { name: 'dark', width: 1280, height: 800, colorScheme: 'dark' },
  { name: 'phone', width: 390, height: 844, colorScheme: 'light' },
] as const;
const QUALITY = 62;

const PAGES: Readonly<Record<string, readonly [name: string, at: string][]>> = {
  admin: [
    ['home', '/'],
    ['payments', '/payments'],
    ['payment', '/payments tbody a'],
    ['cases', '/cases'],
    ['approvals', '/approvals'],
    ['reconciliation', '/reconciliation'],
    ['vendors', '/vendors'],
    ['vendor', '/vendors/demo'],
    ['billers', '/billers'],
    ['biller', '/billers/safaricom'],
    ['operators', '/operators'],
    ['operator', '/operators/kplc'],
    ['ledger', '/ledger'],
    ['journals', '/journals'],
    ['margin', '/margin'],
    ['top-ups', '/top-ups'],
    ['people', '/people'],
    ['audit', '/audit'],
    ['system', '/system'],
  ],
  risk: [['credit', '/credit']],
  'demo-admin': [
    ['vendor-home', '/'],
    ['pay', '/pay'],
    ['bulk', '/bulk'],
    ['account', '/account'],
    ['integration', '/integration'],
    ['requests', '/requests'],
  ],
};

const [origin = ''] = new Command('console:pictures')
  .description('Take the pictures of the guide to the console.')
  .argument('<url>', 'of a running sandbox')
  .parse().args;

await mkdir(FOLDER, { recursive: true });
const browser = await startBrowser();
try {
  for (const [login, pages] of Object.entries(PAGES)) await takeAll(browser, login, pages);
} finally {
  await browser.close();
}

async function takeAll(
  opened: Browser,
  login: string,
  pages: readonly [name: string, at: string][],
): Promise<void> {
  const page = await openConsole(opened, '/', { origin, login, problems: [] });
  await page.emulateMedia({ reducedMotion: 'reduce' });
  for (const [name, at] of pages) {
    // A path, and perhaps the link to follow there.
    const [to = '', ...link] = at.split(' ');
    await page.goto(`${origin}/console${to}`);
    if (link.length > 0)
      await page
        .locator(`main ${link.join(' ')}`)
        .first()
        .click();
    for (const { name: view, width, height, colorScheme } of VIEWS) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      await page.locator('main').getByText('Loading…').first().waitFor({ state: 'detached' });
      await page.evaluate('document.fonts.ready');
      const file = path.join(FOLDER, `${name}-${view}.jpg`);
      await page.screenshot({ path: file, type: 'jpeg', quality: QUALITY });
    }
  }
  await page.context().close();
}
