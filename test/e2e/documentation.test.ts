import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { BROWSER_TIMEOUT_MS, HAS_BROWSER, startBrowser } from '../support/browser.ts';
import { findSeriousViolations } from '../support/accessibility.ts';
import { buildDocumentation } from '../support/console-browser.ts';
import { startPrefixProxy } from '../support/prefix-proxy.ts';
import { SandboxFixture } from '../support/sandbox.ts';
import type { Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

const WIDE = 1280;
const WIDTHS = [390, 768, WIDE];
/** What a page has of its own. */
const CONTENT = '.VPContent';

const fixture = new SandboxFixture();
let sandbox: Sandbox;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let docs: string;
const faults: string[] = [];

beforeAll(async () => {
  if (!HAS_BROWSER) return;
  buildDocumentation();
  [sandbox, browser] = await Promise.all([fixture.start(), startBrowser()]);
  docs = `${sandbox.origin}/docs/`;
  context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  context.setDefaultTimeout(BROWSER_TIMEOUT_MS);
  page = await openPage();
  // Building takes most of it.
}, 400_000);
afterAll(async () => {
  if (HAS_BROWSER) await browser.close();
  await fixture.cleanUp();
});

async function openPage(): Promise<Page> {
  const opened = await context.newPage();
  opened.on('pageerror', (error) => faults.push(error.message));
  opened.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
  });
  return opened;
}

interface Styled {
  readonly tagName: string;
  readonly className: string;
  readonly parentElement: { readonly tagName: string };
  setAttribute(name: string, value: string): void;
}

const NEW_KIND = 'data-new-kind';

/** In the browser: marks elements of other kinds than these, which may have other colours; returns their kinds. */
const markNewKinds = (all: unknown[], [mark = '', ...known]: readonly string[]): string[] => {
  const before = new Set(known);
  const found = new Set<string>();
  for (const element of all as readonly Styled[]) {
    const kind = `${element.parentElement.tagName} ${element.tagName} ${element.className}`;
    if (before.has(kind)) continue;
    found.add(kind);
    element.setAttribute(mark, '');
  }
  return [...found];
};

/** The addresses that a page links to, without anchors. */
async function linksOf(selector: string): Promise<string[]> {
  const links = await page
    .locator(selector)
    .evaluateAll((all) =>
      all.map((each) => (each as unknown as { href: string }).href.split('#', 1)[0] ?? ''),
    );
  return [...new Set(links)].filter((link) => link.startsWith(sandbox.origin));
}

/** Serious violations of the page; about colours only where there are elements of a new kind, which is added. */
async function violationsOf(within: string | undefined, kinds: Set<string>): Promise<string[]> {
  const added = await page.locator('.vp-doc *').evaluateAll(markNewKinds, [NEW_KIND, ...kinds]);
  for (const kind of added) kinds.add(kind);
  if (within === undefined) return await findSeriousViolations(page);
  const violations = await findSeriousViolations(page, { within, rules: 'not about colours' });
  if (added.length === 0) return violations;
  const rules = 'about colours';
  return [
    ...violations,
    ...(await findSeriousViolations(page, { within: `[${NEW_KIND}]`, rules })),
  ];
}

describe.skipIf(!HAS_BROWSER)('the documentation', () => {
  test('every page fits three widths, has no serious fault for axe and no dead link', async () => {
    await page.goto(docs);
    const pages = await linksOf('.VPSidebar a[href]');
    expect(pages.length).toBeGreaterThan(50);
    const links = new Set(pages);
    const kinds = new Set<string>();
    for (const [index, address] of pages.entries()) {
      const answer = await page.goto(address);
      expect([address, answer?.status()]).toEqual([address, 200]);
      // In turns up and down, so that it is resized twice for each page.
      for (const width of index % 2 === 0 ? WIDTHS : WIDTHS.toReversed()) {
        await page.setViewportSize({ width, height: 900 });
        const needed = await page.evaluate('document.documentElement.scrollWidth');
        expect({ address, needed }).toEqual({ address, needed: width });
      }
      // What is around the content is the same on every page.
      const violations = await violationsOf(index === 0 ? undefined : CONTENT, kinds);
      expect({ address, violations }).toEqual({ address, violations: [] });
      for (const link of await linksOf('.vp-doc a[href]')) links.add(link);
    }
    await page.setViewportSize({ width: WIDE, height: 900 });
    for (const link of links) {
      // Of another program, or only in the sandbox’s text.
      const { status } = await fetch(link);
      expect([link, status]).toEqual([link, 200]);
    }
  }, 600_000);

  test.each(['likely_duplicate', 'signature'])(
    'searching for “%s” finds its page',
    async (words) => {
      await page.goto(docs);
      // The search remembers the last words, and shows their results until it has searched again.
      await page.evaluate('sessionStorage.clear()');
      await page.getByRole('button', { name: 'Search' }).first().click();
      await page.locator('#localsearch-input').fill(words);
      const results = page.locator('.VPLocalSearchBox .result');
      await results.first().waitFor();
      await results.first().click();
      await page.waitForURL(/\/docs\/.+\.html/);
      // The search takes an underscore for a space.
      const found = (await page.locator('.vp-doc').innerText()).toLowerCase().replaceAll('_', ' ');
      expect(found).toContain(words.replaceAll('_', ' '));
    },
  );

  test('samples are tabs with all five languages, also in Swahili', async () => {
    for (const address of ['guide/first-payment.html', 'sw/first-payment.html']) {
      await page.goto(`${docs}${address}`);
      const pay = page.locator('.vp-code-group', { hasText: 'pay.php order-1' });
      expect(await pay.locator('.tabs label').allInnerTexts()).toEqual([
        'curl',
        'PHP',
        'TypeScript',
        'Python',
        'Java',
      ]);
    }
  });

  test('the language of samples is remembered on other pages and at the next visit', async () => {
    await page.goto(`${docs}guide/integrate-in-an-afternoon.html`);
    await untilTrue(IS_ALIVE);
    const chosen = page.locator('.vp-code-group input:checked + label');
    await page.locator('.vp-code-group label', { hasText: 'Python' }).first().click();
    const groups = await page.locator('.vp-code-group').count();
    const all = Array.from({ length: groups }, () => 'Python');
    expect(await chosen.allInnerTexts()).toEqual(all);
    await page.locator('.VPSidebar a', { hasText: 'Webhooks' }).click();
    await page.waitForURL(/webhooks/);
    await page.goBack();
    // Samples of the page before, in the same language, may still be there.
    await page.locator('h1', { hasText: 'Integrate in an afternoon' }).waitFor();
    // The page chooses the language after it has been drawn.
    const isRestored = `document.querySelector('.vp-code-group input:checked + label')?.textContent === 'Python'`;
    await untilTrue(isRestored);
    expect(await chosen.allInnerTexts()).toEqual(all);
    await page.reload();
    await untilTrue(isRestored);
    expect(await chosen.allInnerTexts()).toEqual(all);
  });

  test('light and dark, remembered', async () => {
    await page.goto(docs);
    await untilTrue(IS_ALIVE);
    const isDark = async (): Promise<unknown> =>
      await page.evaluate(`document.documentElement.classList.contains('dark')`);
    expect(await isDark()).toBe(false);
    await page.locator('.VPSwitchAppearance:visible').first().click();
    expect(await isDark()).toBe(true);
    await page.reload();
    await untilTrue(IS_ALIVE);
    expect(await isDark()).toBe(true);
    expect(await findSeriousViolations(page)).toEqual([]);
    await page.locator('.VPSwitchAppearance:visible').first().click();
  });

  test('leads to the interactive reference and back', async () => {
    await page.goto(docs);
    await page.getByRole('link', { name: 'API reference' }).first().click();
    await page.waitForSelector('body[data-ready]');
    await page.getByRole('link', { name: 'Guides' }).click();
    await page.waitForURL(docs);
  });

  test('works behind a proxy that adds a prefix', async () => {
    const proxy = await startPrefixProxy('/bills', () => sandbox.origin);
    const prefixed = `http://127.0.0.1:${proxy.port}/bills/docs`;
    await page.goto(prefixed);
    await page.locator('.VPSidebar a', { hasText: 'Webhooks' }).click();
    await page.waitForURL(`${prefixed}/guide/webhooks.html`);
    await page.reload();
    expect(await page.locator('h1').first().innerText()).toContain('Webhooks');
    await page.goto('about:blank');
    await proxy.close();
  });

  test('no errors are reported by the browser', () => {
    expect(faults).toEqual([]);
  });
});

// Not `waitForFunction`: the policy of the site forbids it to evaluate text.
async function untilTrue(expression: string): Promise<void> {
  await until(expression, async () => (await page.evaluate(expression)) === true);
}

/** The page’s script runs: before that a click has no effect, or none that lasts. */
const IS_ALIVE = `document.querySelector('#app')?.__vue_app__ !== undefined`;
