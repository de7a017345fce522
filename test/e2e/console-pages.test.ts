import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findSeriousViolations } from '../support/accessibility.ts';
import { HAS_BROWSER } from '../support/browser.ts';
import { startConsole } from '../support/console-fixture.ts';
import type { ConsoleFixture } from '../support/console-fixture.ts';
import { oweDetails } from '../support/owed-details.ts';
import { until } from '../support/until.ts';

// Every page in the navigation, the pages that its header links to, and the first one of its list: readable by a screen reader, in
// both themes, and no wider than a phone.

const WIDE = { width: 1280, height: 800 };
const TELEPHONE = { width: 390, height: 844 };
const LOGINS = ['admin', 'finance', 'risk', 'demo-admin'];

describe.skipIf(!HAS_BROWSER)('every page', () => {
  let fixture: ConsoleFixture;
  /** Paths that somebody has looked at. Other roles see fewer actions there, or more, and nothing else. */
  const known = new Set<string>();

  beforeAll(async () => {
    fixture = await startConsole();
    const vendor = fixture.running.demo();
    const pay = async (account: string): Promise<string> =>
      await vendor.accepted({
        biller_name: 'kplc_prepaid',
        amount: '100.00',
        account,
        merchant_reference: account,
      });
    const paid = await pay('14200019901');
    await pay('14200029902');
    await pay('14200039909');
    await until('a payment is paid', async () => {
      return (await vendor.payment(paid)).transaction_status === 'SUCCESS';
    });
    await oweDetails(fixture.running.service.pool, paid);
  });
  afterAll(async () => {
    await fixture.stop();
  });

  test.each(LOGINS)(
    '%s has no serious violation of WCAG, and fits on a phone',
    async (login) => {
      const page = await fixture.open(login);
      await page.emulateMedia({ reducedMotion: 'reduce' });
      await settled(page);
      const found: string[] = [];
      const seen = new Set<string>();
      const menu = await linksIn(page, 'nav');
      expect(menu.length).toBeGreaterThan(1);
      for (const path of menu) {
        await look(page, path, found);
        seen.add(path);
        const first = (await linksIn(page, 'main tbody')).find((link) => !seen.has(link));
        const linked = [...(await linksIn(page, 'main header')), first ?? path];
        for (const link of linked.filter((each) => !seen.has(each))) {
          await look(page, link, found);
          seen.add(link);
        }
      }
      expect(found).toEqual([]);
      expect(fixture.problems).toEqual([]);
    },
    300_000,
  );

  /** Adds the problems of the page at the path. A page that is known is only looked at on a phone. */
  async function look(page: Page, path: string, found: string[]): Promise<void> {
    const isKnown = known.has(path);
    known.add(path);
    await page.setViewportSize(isKnown ? TELEPHONE : WIDE);
    await page.goto(`${fixture.running.origin}${path}`);
    await settled(page);
    await page.evaluate(SHOWN_AGAIN);
    if (!isKnown) {
      found.push(...(await findSeriousViolations(page)).map((text) => `${path}: ${text}`));
      await page.setViewportSize(TELEPHONE);
    }
    found.push(...(await findSeriousViolations(page)).map((text) => `${path}, telephone: ${text}`));
    const wide: string[] = await page.evaluate(TOO_WIDE);
    found.push(...wide.map((text) => `${path}, telephone: ${text}`));
    if (isKnown) return;
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.evaluate(SHOWN_AGAIN);
    const dark = await findSeriousViolations(page, { rules: 'about colours' });
    found.push(...dark.map((text) => `${path}, dark: ${text}`));
    await page.emulateMedia({ colorScheme: 'light' });
  }
});

/** In the browser: hidden and shown, because Chromium does not change the colour of every element at once. */
const SHOWN_AGAIN = `for (const display of ['none', '']) {
  document.documentElement.style.display = display;
  document.documentElement.offsetHeight;
}`;

/** In the browser: what is wider than the screen, or scrolls sideways. */
const TOO_WIDE = `[document.documentElement, ...document.querySelectorAll('#main *')]
  .filter((one) => one === document.documentElement || /auto|scroll/.test(getComputedStyle(one).overflowX))
  .filter((one) => one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1)
  .map((one) => (one.ariaLabel ?? one.tagName) + ' is ' + one.scrollWidth + ' pixels wide')`;

/** Waits until nothing is loading and no placeholder is left. */
async function settled(page: Page): Promise<void> {
  await page.locator('#main').waitFor();
  await page.locator('#main').getByText('Loading…').first().waitFor({ state: 'detached' });
}

/** Paths of the pages that are linked there, each once. */
async function linksIn(page: Page, place: string): Promise<string[]> {
  const links = await page
    .locator(`${place} a[href^="/console/"]:not([download])`)
    .evaluateAll((found) => found.map((link) => link.getAttribute('href') ?? ''));
  return [...new Set(links.map((link) => link.replace(/[?#].*/, '')))];
}
