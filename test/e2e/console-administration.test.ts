import { afterAll, beforeAll, expect, test } from 'vitest';
import { HAS_BROWSER } from '../support/browser.ts';
import { startConsole } from '../support/console-fixture.ts';
import type { ConsoleFixture } from '../support/console-fixture.ts';

let fixture: ConsoleFixture;

beforeAll(async () => {
  fixture = await startConsole();
});
afterAll(async () => {
  await fixture.stop();
});

test.skipIf(!HAS_BROWSER)(
  'a token is made, shown once and revoked, and the token works only until then',
  async () => {
    const page = await fixture.open('admin', '/people');
    await page.getByRole('link', { name: 'Tokens of programs' }).click();
    await page.getByRole('button', { name: 'Make a token' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('nightly-report');
    await dialog.getByLabel('At most the rights of').selectOption({ label: 'Finance' });
    await dialog.getByRole('button', { name: 'Make it' }).click();
    const secret = await dialog.getByLabel('Shown this once').inputValue();
    const status = async (): Promise<number> => {
      const headers = { authorization: `Bearer ${secret}` };
      return (await fetch(`${fixture.running.origin}/admin/v1/billers`, { headers })).status;
    };
    expect(await status()).toBe(200);

    await page.reload();
    await page.getByText('nightly-report').waitFor();
    expect(await page.content()).not.toContain(secret);
    await page.getByRole('button', { name: 'Revoke nightly-report' }).click();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Ended', { exact: true }).waitFor();
    expect(await status()).toBe(401);
    expect(fixture.problems).toEqual([]);
  },
);

test.skipIf(!HAS_BROWSER)('a fee is set, shown in words, and ended', async () => {
  const page = await fixture.open('finance', '/billers');
  await page.getByRole('link', { name: 'Prices' }).click();
  await page.getByRole('button', { name: 'Set a fee' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Biller').selectOption('kplc_prepaid');
  await dialog.getByLabel('Amount of each payment in KES').fill('11.60');
  await dialog.getByLabel('VAT of the fee in per cent').fill('16');
  await dialog.getByLabel('The taxes are').selectOption({ label: 'included in the fee' });
  await dialog.getByLabel('Reason').fill('the list of prices of March');
  await dialog.getByRole('button', { name: 'Propose' }).click();
  await page.getByText('KES 11.60, with 16 % VAT').waitFor();
  await page.getByRole('button', { name: 'End the fee of Kenya Power Prepaid' }).click();
  await dialog.getByLabel('Reason').fill('no fee any more');
  await dialog.getByRole('button', { name: 'Propose' }).click();
  await page.getByRole('cell', { name: 'none', exact: true }).waitFor();
  expect(fixture.problems).toEqual([]);
});

test.skipIf(!HAS_BROWSER)('a phone prefix is set and removed', async () => {
  const page = await fixture.open('admin', '/prefixes');
  await page.getByRole('button', { name: 'Set a prefix' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Prefix').fill('0199');
  await dialog.getByLabel('Biller').selectOption('safaricom');
  await dialog.getByLabel('Reason').fill('a new range');
  await dialog.getByRole('button', { name: 'Set' }).click();
  await page.getByRole('button', { name: 'Remove 0199' }).click();
  await dialog.getByLabel('Reason').fill('given back');
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('button', { name: 'Remove 0199' }).waitFor({ state: 'detached' });
  expect(fixture.problems).toEqual([]);
});

test.skipIf(!HAS_BROWSER)(
  'a job is found by its name for people, with its progress and its result',
  async () => {
    const page = await fixture.open('admin', '/system');
    await page.evaluate(
      `fetch('api/ledger/check', { method: 'POST', body: '{"heads":[]}',
        headers: { 'content-type': 'application/json', 'x-malipo-console': '1' } })`,
    );
    await page.getByRole('link', { name: 'Jobs' }).click();
    await page.getByRole('link', { name: 'Check of the ledger' }).click();
    await page.getByRole('heading', { name: 'Check of the ledger Done' }).waitFor();
    await page.getByText('Violations').waitFor();
    await page.getByText(/^\d+ steps$/).waitFor();
    expect(fixture.problems).toEqual([]);
  },
);
