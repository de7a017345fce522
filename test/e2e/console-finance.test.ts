import { afterAll, beforeAll, expect, test } from 'vitest';
import { setFeePrice } from '../../src/payments/billers/administer-prices.ts';
import { HAS_BROWSER } from '../support/browser.ts';
import { startConsole } from '../support/console-fixture.ts';
import type { ConsoleFixture } from '../support/console-fixture.ts';
import { until } from '../support/until.ts';

// An accountant follows a fee from the trial balance to the payment and back, and pays out a vendor.

let fixture: ConsoleFixture;
let reference = '';

beforeAll(async () => {
  fixture = await startConsole();
  const { pool } = fixture.running.service;
  const formula = {
    tiers: [{ fromCents: 0n, flatCents: 1_160n, bps: 0 }],
    minimumCents: null,
    maximumCents: null,
    vatBps: 1_600,
    vatIncluded: true,
  };
  const key = { billerCode: 'kplc_prepaid', vendorId: null };
  await setFeePrice(pool, key, formula, { validFrom: null, setBy: 'Asha' });
  const vendor = fixture.running.demo();
  // The price counts once the process has read it.
  let number = 0;
  await until('a payment with a fee is created', async () => {
    number += 1;
    reference = await vendor.accepted({
      biller_name: 'kplc_prepaid',
      amount: '100.00',
      account: `1420001${String(number).padStart(3, '0')}1`,
      merchant_reference: `fee-${number}`,
    });
    const read = await pool.query('select from payments where fee_cents > 0 limit 1');
    return read.rowCount === 1;
  });
  await until('its final result arrives', async () => {
    return (await vendor.payment(reference)).transaction_status === 'SUCCESS';
  });
});
afterAll(async () => {
  await fixture.stop();
});

test.skipIf(!HAS_BROWSER)(
  'a fee is followed to its payment and back, and a vendor is paid out',
  async () => {
    const page = await fixture.open('finance', '/ledger');
    await page.getByRole('link', { name: 'fees', exact: true }).click();
    await page.getByRole('heading', { name: 'fees' }).waitFor();
    await page.getByRole('link', { name: reference }).click();
    await page.getByRole('link', { name: 'fees', exact: true }).click();
    await page.getByRole('heading', { name: 'fees' }).waitFor();
    expect(await page.locator('tbody').innerText()).toContain(reference);

    await page.goto(`${fixture.running.origin}/console/journals`);
    await page.getByRole('button', { name: 'Propose a payout' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Vendor').fill('demo2');
    await dialog.getByLabel('Amount in KES').fill('2000');
    await dialog.getByLabel('Bank account').fill('KCB 110000001');
    await dialog.getByLabel('Evidence').fill('order of 3 March');
    await dialog.getByLabel('Reason').fill('the vendor asked');
    await dialog.getByRole('button', { name: 'Propose' }).click();
    await page.getByText('To approve', { exact: true }).waitFor();

    const second = await fixture.open('admin', '/journals');
    await second.getByRole('button', { name: 'demo2' }).click();
    const decision = second.getByRole('dialog');
    await decision.getByText(/demo2: held\s+bank:main/).waitFor();
    await decision.getByRole('button', { name: 'Approve' }).click();
    await second.getByRole('button', { name: 'Enter the transfer' }).click();
    await decision.getByLabel('Reference of the bank').fill('FT26061XYZ');
    await decision.getByRole('button', { name: 'Book it' }).click();
    await second.getByRole('button', { name: 'FT26061XYZ' }).waitFor();
    await second.getByText('Booked', { exact: true }).first().waitFor();

    await page.goto(`${fixture.running.origin}/console/ledger`);
    await page.getByRole('link', { name: 'bank:main', exact: true }).waitFor();
    const totals = await page.locator('tfoot td:visible').allInnerTexts();
    expect(totals.at(-1)).toBe(totals.at(-2));
    expect(fixture.problems).toEqual([]);
  },
);
