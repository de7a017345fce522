import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listAudit } from '../../src/parties/people/read-audit.ts';
import { HAS_BROWSER, startBrowser } from '../support/browser.ts';
import { buildConsoleOnce, openConsole } from '../support/console-browser.ts';
import { useService } from '../support/use-service.ts';

// A credit officer asks about a customer who has consented.

beforeAll(buildConsoleOnce);
const running = useService();
let browser: Browser;

beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(async () => {
  await browser.close();
});

test.skipIf(!HAS_BROWSER)(
  'a risk officer asks with consent and reads why the score is what it is',
  async () => {
    const problems: string[] = [];
    const { origin } = running;
    const page = await openConsole(browser, '/credit', { origin, login: 'risk', problems });
    await page.getByText('No enquiry matches.').waitFor();
    await page.getByRole('link', { name: 'Ask about a customer' }).click();
    await page.getByLabel('For the vendor').selectOption('demo');
    await page.getByLabel('Product').selectOption('generic-score');
    await page.getByLabel('National ID').fill('900000001');
    await page.getByLabel('First name').fill('Amani');
    await page.getByLabel('Second name').fill('Somebody');
    await page.getByLabel('Consent recorded as').fill('FORM-17');
    await page.getByLabel('Consented on').fill('2026-01-05');
    await page.getByLabel('Reason').fill('applied at the branch');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByText('The names do not agree with the documents').waitFor();

    // With corrected names it is a new enquiry.
    await page.getByLabel('Second name').fill('Wanjiru');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByRole('heading', { name: 'Amani Baraka Wanjiru' }).waitFor();
    await page.getByRole('heading', { name: 'What lowers this score most' }).waitFor();
    expect(await page.locator('main ul li').count()).toBeGreaterThan(0);
    await page.getByText('should not be used as the sole reason').waitFor();
    await page.getByText('FORM-17').waitFor();
    await page.getByRole('link', { name: 'Enquiries' }).first().click();
    await page.getByRole('row').getByText('Answered').first().waitFor();
    expect(await page.locator('main').innerText()).not.toMatch(/Amani|900000001/);
    const looks = await listAudit(running.service.pool, {
      action: 'credit-enquiry.show',
      limit: 5,
    });
    expect(looks).toMatchObject([{ login: 'risk', result: 'done' }]);
    expect(problems.filter((text) => !text.includes('422'))).toEqual([]);
  },
);
