import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { HAS_BROWSER } from '../support/browser.ts';
import { startConsole } from '../support/console-fixture.ts';
import type { ConsoleFixture } from '../support/console-fixture.ts';
import { oweDetails } from '../support/owed-details.ts';
import { until } from '../support/until.ts';

// How support handles a customer's payment, in a browser, with the sandbox's operators.

/** The operator never reports a result for this account. */
const SILENT = '14234569909';
/** Paid at once. */
const OWING = '14234569901';
const COUNT = 60;

describe.skipIf(!HAS_BROWSER)('payments in a browser', () => {
  let fixture: ConsoleFixture;
  let silent = '';

  beforeAll(async () => {
    fixture = await startConsole();
    const vendor = fixture.running.demo();
    const create = async (account: string, phone: string, amount: string): Promise<string> => {
      const given = { biller_name: 'kplc_prepaid', amount, account, phone };
      const created = await vendor.call('create', { ...given, merchant_reference: account });
      return String(created.body.msg['ipay_reference']);
    };
    for (let number = 0; number < COUNT; number += 1) {
      await create(`142345${String(number).padStart(3, '0')}`, '0711000001', '100');
    }
    const declined = await create('14234569902', '0722000002', '250');
    silent = await create(SILENT, '0722000001', '1450');
    await until('it is sent', async () => {
      const { transaction_status: status } = await vendor.payment(silent);
      return status === 'PENDING';
    });
    // A list that is open does not change by itself.
    await until('the other is declined', async () => {
      const { transaction_status: status } = await vendor.payment(declined);
      return status === 'FAILED';
    });
  });
  afterAll(async () => {
    await fixture.stop();
  });
  beforeEach(() => {
    fixture.problems.length = 0;
  });

  test('support finds a customer’s payment by phone and explains it', async () => {
    const page = await fixture.open('support', '/');
    await page.locator('#main').click();
    await page.keyboard.press('/');
    await page.keyboard.type('0722 000 001 today');
    await page.keyboard.press('Enter');
    await page.getByText('phone or account 254722000001').waitFor();
    // The phone number is in no URL, and the search is there again after a look at a payment.
    expect(page.url()).toMatch(/\/payments$/);
    await page.getByRole('link', { name: SILENT }).click();
    await page.getByRole('heading', { name: 'KES 1,450.00' }).waitFor();
    await page.goBack();
    await page.getByText('phone or account 254722000001').waitFor();
    await page.reload();
    await page.getByText('phone or account 254722000001').waitFor();
    await page.getByRole('link', { name: SILENT }).click();
    await page.getByRole('heading', { name: 'KES 1,450.00' }).waitFor();
    await page.getByText('Sent, result unknown.').waitFor();
    await page.getByText('paying again could pay the bill twice').waitFor();
    await page.getByText('Attempt 1 sent to kplc').waitFor();
    await page.getByText('Next: the operator is asked').waitFor();
    await page.getByRole('button', { name: 'Ask the operator now' }).click();
    await page.getByLabel('Reason').fill('The customer waits');
    await page.getByRole('button', { name: 'Ask now' }).click();
    await page.getByText('The operator is being asked.').waitFor();
    expect(fixture.problems).toEqual([]);
  });

  test('a search text is in the address only if it has no personal data', async () => {
    const page = await fixture.open('support', '/payments?search=0722000001&biller=kplc_prepaid');
    await page.waitForURL((url) => url.search === '?biller=kplc_prepaid');
    await page.getByText('phone or account 254722000001').waitFor();
    await page.getByLabel('Search payments').fill('demo today');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('search') === 'demo today');
    await page.getByText('vendor demo').waitFor();
    await page.getByRole('button', { name: 'Failed' }).click();
    await page.waitForURL(
      ({ searchParams }) =>
        searchParams.get('search') === 'demo today' && searchParams.get('status') === 'FAILED',
    );
    expect(fixture.problems).toEqual([]);
  });

  test('a list is paged, filtered, and exported as it is shown', async () => {
    const page = await fixture.open('support', '/payments?biller=kplc_prepaid');
    await page.getByText('50 shown, there are older ones').waitFor();
    const first = await page.locator('tbody a').first().textContent();
    await page.getByRole('button', { name: 'Older' }).click();
    await page.getByText('Page 2').waitFor();
    await page.getByText(`${COUNT + 2 - 50} shown`).waitFor();
    await page.getByRole('button', { name: 'Newer' }).click();
    await page.getByText('50 shown, there are older ones').waitFor();
    expect(await page.locator('tbody a').first().textContent()).toBe(first);

    await page.getByRole('button', { name: 'Failed' }).click();
    await page.getByText('1 shown').waitFor();
    await page.getByText('Columns').click();
    await page.getByLabel('Vendor', { exact: true }).first().uncheck();
    const titles = await page.locator('thead th').allTextContents();
    expect(titles).toEqual(['Created', 'Biller', 'Account', 'KES', 'Status']);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    const file = await (await download).path();
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\r\n');
    expect(lines).toEqual([
      '\ufeffCreated,Biller,Account,Amount,Status',
      expect.stringMatching(/^[\d-]+ [\d:]+,kplc_prepaid,14234569902,250.00,FAILED$/),
    ]);
    expect(fixture.problems).toEqual([]);
  });

  test('an unknown result is resolved by two people; the second approves what is shown', async () => {
    const support = await fixture.open('support', `/payments/${silent}`);
    await support.getByRole('button', { name: 'Resolve with evidence' }).click();
    await support.getByLabel('Reason').fill('No answer for a day');
    await support.getByRole('button', { name: 'Open the case' }).click();
    await support.getByRole('heading', { name: 'Nobody reports the result' }).waitFor();
    await support.getByRole('button', { name: 'Propose a resolution' }).click();
    await support.getByLabel('Resolution', { exact: true }).selectOption({ label: 'It was paid' });
    await support.getByLabel('Operator’s reference of the payment').fill('KPLC-778');
    await support.getByLabel('Reason').fill('On the portal, checked with Wanjiku');
    await support.getByRole('button', { name: 'Propose', exact: true }).click();
    await support.getByText('another person has to approve it.').first().waitFor();
    expect(await support.getByRole('button', { name: 'Approve' }).count()).toBe(0);

    const finance = await fixture.open(
      'finance',
      new URL(support.url()).pathname.slice('/console'.length),
    );
    await finance.getByRole('button', { name: 'Look at it' }).click();
    await finance.getByText('Settled as paid').waitFor();
    await finance.getByRole('button', { name: 'Approve', exact: true }).click();
    await finance.getByText('approved by finance').waitFor();
    await finance.getByRole('link', { name: 'KES 1,450.00' }).click();
    await finance.getByText('The bill is paid.').waitFor();
    await finance.getByText('Two people resolved it with evidence.').waitFor();
    expect(fixture.problems).toEqual([]);
  });

  test('support sees whose details are owed, on a telephone too', async () => {
    const page = await fixture.open('support', '/payments');
    await page.getByRole('link', { name: 'Details that operators owe' }).click();
    await page.getByRole('heading', { name: 'Details that are owed' }).waitFor();
    await page.getByText('No operator owes details.').waitFor();
    const paid = await fixture.running.demo().accepted({
      ...{ biller_name: 'kplc_prepaid', amount: '900', account: OWING, merchant_reference: OWING },
    });
    await until('it is paid', async () => {
      const { transaction_status: status } = await fixture.running.demo().payment(paid);
      return status === 'SUCCESS';
    });
    await oweDetails(fixture.running.service.pool, paid);
    await page.reload();
    const row = page.getByRole('row').filter({ hasText: OWING });
    await row.getByText('paid, details follow').waitFor();
    expect(await row.innerText()).toMatch(/demo[^]*900\.00/);
    await page.setViewportSize({ width: 390, height: 844 });
    await row.getByText('paid, details follow').waitFor({ state: 'hidden' });
    await row.getByRole('link', { name: OWING }).click();
    await page.getByText('kplc owes details').waitFor();
    expect(fixture.problems).toEqual([]);
  });
});
