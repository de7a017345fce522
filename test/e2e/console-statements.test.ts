import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readCsvLine } from '../../src/platform/base/csv.ts';
import { HAS_BROWSER } from '../support/browser.ts';
import { startConsole } from '../support/console-fixture.ts';
import type { ConsoleFixture } from '../support/console-fixture.ts';
import { addOwingVendor } from '../support/owing-vendor.ts';
import { readXlsx } from '../support/read-xlsx.ts';

// An accountant reads a vendor's statement of this month, on the screen and as files, and follows what the
// vendor owes to its payment and its case.

let fixture: ConsoleFixture;
let owed = '';

beforeAll(async () => {
  fixture = await startConsole();
  owed = await addOwingVendor(fixture.running, 'duka', 10_000n);
});
afterAll(async () => {
  await fixture.stop();
});

async function download(page: Page, name: string): Promise<Buffer> {
  const starts = page.waitForEvent('download');
  await page.getByRole('link', { name, exact: true }).click();
  return await readFile(await (await starts).path());
}

const cents = (text: string): number => Math.round(Number(text.replaceAll(/[^\d.-]/g, '')) * 100);

test.skipIf(!HAS_BROWSER)('a statement is the same on the screen and in both files', async () => {
  const page = await fixture.open('finance', '/vendors/duka');
  await page.getByRole('link', { name: 'Statement', exact: true }).click();
  await page.getByRole('heading', { name: 'Statement of duka' }).waitFor();
  await page.locator('tbody tr').first().waitFor();
  const summary = await page.locator('main section li').allInnerTexts();
  const amounts = summary.map((text) => cents(text.split('\n')[1] ?? ''));
  const closing = amounts.pop() ?? 0;
  expect(amounts.length).toBeGreaterThan(1);
  expect(amounts.reduce((sum, amount) => sum + amount, 0)).toBe(closing);

  const rows: string[][] = [];
  for (const row of await page.locator('tbody tr').all()) {
    rows.push(await row.locator('td').allInnerTexts());
  }
  const shown = rows.map((row) => row.slice(3).map(cents));
  const csv = (await download(page, 'CSV')).toString('utf8').trimEnd().split('\r\n');
  const written = csv.map((line) => readCsvLine(line).values);
  const sheet = await readXlsx(await download(page, 'Excel'));
  for (const file of [written, sheet]) {
    const titles = file[0] ?? [];
    const lines = file
      .slice(2, -1)
      .map((line) =>
        ['Amount', 'Change', 'Balance after', 'Float after'].map((title) =>
          cents(line[titles.indexOf(title)] ?? ''),
        ),
      );
    expect(lines).toEqual(shown);
    expect(cents(file.at(-1)?.[titles.indexOf('Balance after')] ?? '')).toBe(closing);
  }
  expect(await page.locator('tbody').innerText()).toContain(owed);
  expect(fixture.problems).toEqual([]);
});

test.skipIf(!HAS_BROWSER)('receivables lead to their payment and their case', async () => {
  const page = await fixture.open('finance', '/receivables');
  const receivables = page.url();
  await page.getByRole('link', { name: 'duka' }).waitFor();
  await page.getByRole('link', { name: owed }).click();
  await page.getByRole('heading', { name: 'KES 100.00' }).waitFor();
  // Loaded anew: a page that is left is still shown for a moment, and has links of the same names.
  await page.goto(receivables);
  await page.getByRole('link', { name: 'to collect' }).click();
  await page.waitForURL(/\/cases\//);
  await page.getByRole('heading', { name: 'Facts' }).waitFor();
  await page.locator(`main a[href$="/payments/${owed}"]`, { hasText: 'KES 100.00' }).waitFor();
  expect(fixture.problems).toEqual([]);
});

test.skipIf(!HAS_BROWSER)(
  'a vendor’s own people have the same statement, and print it',
  async () => {
    const page = await fixture.open('demo-viewer', '/account');
    await page.getByRole('link', { name: 'Statement', exact: true }).click();
    await page.getByRole('heading', { name: 'Statement of demo' }).waitFor();
    await page.evaluate(`window.print = () => document.body.setAttribute('data-printed', 'yes')`);
    await page.getByRole('button', { name: 'Print' }).click();
    await page.locator('body[data-printed]').waitFor();
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('button', { name: 'Print' }).isVisible()).toBe(false);
    expect(await page.locator('nav').first().isVisible()).toBe(false);
    expect(await page.locator('tbody tr').first().isVisible()).toBe(true);
    expect(fixture.problems).toEqual([]);
  },
);
