import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import contract from '../../openapi.json' with { type: 'json' };
import { HAS_BROWSER, startBrowser } from '../support/browser.ts';
import { SandboxFixture } from '../support/sandbox.ts';
import type { Sandbox } from '../support/sandbox.ts';

const OPERATIONS = Object.values(contract.paths).map((methods) =>
  'get' in methods ? methods.get.operationId : methods.post.operationId,
);

const fixture = new SandboxFixture();
let sandbox: Sandbox;
let browser: Browser;
beforeAll(async () => {
  if (!HAS_BROWSER) return;
  [sandbox, browser] = await Promise.all([fixture.start(), startBrowser()]);
});
afterAll(async () => {
  if (HAS_BROWSER) await browser.close();
  await fixture.cleanUp();
});

/** The page at this width, and whatever it complains about. */
async function openPage(width: number, height: number): Promise<{ page: Page; faults: string[] }> {
  const page = await browser.newPage({ viewport: { width, height } });
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
  });
  await page.goto(`${sandbox.origin}/docs`);
  await page.waitForSelector('body[data-ready]');
  return { page, faults };
}

/** Presses Send and returns the status of the answer that is shown, with its text. */
async function send(page: Page, id: string): Promise<{ status: string | null; text: string }> {
  const section = page.locator(`section#${id}`);
  const isNew = page.waitForResponse((answer) => answer.url().includes(`${sandbox.origin}/`));
  await section.getByRole('button', { name: 'Send', exact: true }).click();
  await isNew;
  const answer = section.locator('.answer');
  const shown = answer.locator('pre');
  await shown.waitFor();
  return { status: await answer.getAttribute('data-status'), text: await shown.innerText() };
}

describe.skipIf(!HAS_BROWSER).each([
  [1280, 900],
  [390, 844],
])('the reference at %i pixels', (width, height) => {
  let page: Page;
  let faults: string[];
  beforeAll(async () => {
    ({ page, faults } = await openPage(width, height));
  });
  afterAll(async () => await page.close());

  test('shows every operation once', async () => {
    const links = page.locator('nav [data-operation]');
    const shown = (await links.all()).map(
      async (link) => await link.getAttribute('data-operation'),
    );
    expect(new Set(await Promise.all(shown))).toEqual(new Set(OPERATIONS));
    expect(shown).toHaveLength(OPERATIONS.length);
    expect(await page.locator('section.operation').count()).toBe(OPERATIONS.length);
  });

  test('nothing is wider than the screen, and every Send is on it', async () => {
    await page.evaluate(
      'document.querySelectorAll("details").forEach((each) => (each.open = true))',
    );
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    for (const button of await page.getByRole('button', { name: 'Send', exact: true }).all()) {
      const box = await button.boundingBox();
      expect(box?.x).toBeGreaterThanOrEqual(0);
      expect((box?.x ?? 0) + (box?.width ?? Infinity)).toBeLessThanOrEqual(width);
    }
  });

  test.each(OPERATIONS)('Send on %s is answered with 200', async (id) => {
    const { status, text } = await send(page, id);
    expect({ status, text }).toMatchObject({ status: '200' });
  });

  test('it loads and sends without a complaint of the browser', () => {
    expect(faults).toEqual([]);
  });
});
