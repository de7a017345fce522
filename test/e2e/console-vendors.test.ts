import { randomUUID } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listAudit } from '../../src/parties/people/read-audit.ts';
import { setWebhook } from '../../src/payments/events/administer.ts';
import { HAS_BROWSER, startBrowser } from '../support/browser.ts';
import { openConsole } from '../support/console-browser.ts';
import { createServiceDatabase, startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';
import { until } from '../support/until.ts';
import { VendorClient } from '../support/vendor-client.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import type { WebhookReceiver } from '../support/webhook-receiver.ts';

function fileOfPayments(): string {
  const wrong: Readonly<Record<number, string>> = {
    2: 'kplc_prepaid,14234569901,1,row-2',
    3: 'nobody,14234569901,100,row-3',
    500: 'kplc_prepaid,abc,100,row-500',
  };
  const rows = Array.from({ length: 500 }, (_, index) => {
    const row = index + 1;
    return wrong[row] ?? `kplc_prepaid,1423456${1000 + row},50,row-${row}`;
  });
  return ['biller_name,account,amount,merchant_reference', ...rows].join('\n');
}

describe.skipIf(!HAS_BROWSER)('in a browser', () => {
  let running: InProcessService;
  let receiver: WebhookReceiver;
  let browser: Browser;

  beforeAll(async () => {
    running = await startInProcess((await createServiceDatabase()).url, {
      environment: { ROLES: 'api,jobs' },
    });
    receiver = await startWebhookReceiver();
    browser = await startBrowser();
    await running.demo().call('fund', { time: String(Date.now()), currency: 'KES' });
  });
  afterAll(async () => {
    await browser.close();
    await running.stop();
    await receiver.close();
  });

  const balanceStatus = async (key: string): Promise<number> =>
    (await new VendorClient(running.origin, { vid: 'demo', key }).call('balance', {})).status;

  test('a vendor’s person pays, uploads a file, rotates a key and replays an event', async () => {
    const problems: string[] = [];
    const by = { origin: running.origin, login: 'demo-admin', problems };
    const page = await openConsole(browser, '/pay', by);

    await page.getByLabel('Biller').selectOption('Kenya Power Prepaid');
    await page.getByLabel('Meter number').fill('12');
    await page.getByText('must be a number of 5 to 14 digits').waitFor();
    await page.getByLabel('Meter number').fill('14234569901');
    await page.getByLabel('Amount in KES').fill('150');
    const pay = page.getByRole('button', { name: 'Pay', exact: true });
    await pay.click();
    await page.getByRole('button', { name: 'Pay KES 150.00' }).dblclick();
    await page.getByText('The payment is accepted.').waitFor();
    await page.getByText('14234569901').first().waitFor();

    await page.getByRole('link', { name: 'Files of payments' }).first().click();
    const file = {
      name: 'november rent.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(fileOfPayments()),
    };
    await page.getByLabel('File', { exact: true }).setInputFiles(file);
    await page.getByText('The minimum amount of kplc_prepaid is 50.00').waitFor();
    await page.getByText('more rows are right and not shown').waitFor();
    await page.getByRole('button', { name: 'Submit the file' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Submit' }).click();
    await page.getByRole('heading', { name: 'november-rent' }).waitFor();
    await page.getByText('Some refused').waitFor();
    await page.getByText('must be a number of 5 to 14 digits').waitFor();

    await page.getByRole('link', { name: 'Account' }).first().click();
    await page.getByText('KES 75,000.00').first().waitFor();

    await page.getByRole('link', { name: 'Integration' }).first().click();
    await page.getByRole('button', { name: 'New security key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('The former one stays valid').selectOption('1 hour');
    await dialog.getByLabel('Reason').fill('Every quarter');
    await dialog.getByRole('button', { name: 'Create' }).click();
    const fresh = await page.getByLabel('Shown this once').inputValue();
    await page.getByRole('button', { name: 'Close' }).first().click();
    await until('the new key is known', async () => (await balanceStatus(fresh)) === 200);
    expect(await balanceStatus('demo-security-key')).toBe(200);
    await page.getByRole('button', { name: 'End it now' }).click();
    await dialog.getByLabel('Reason').fill('It is replaced everywhere');
    await dialog.getByRole('button', { name: 'End it now' }).click();
    await page.getByText('It has ended.').waitFor();
    await until(
      'the former key to end',
      async () => (await balanceStatus('demo-security-key')) === 401,
    );
    expect(await balanceStatus(fresh)).toBe(200);

    const { pool } = running.service;
    const vendor = { vendorId: 1, vid: 'demo' };
    await setWebhook(pool, vendor, {
      url: receiver.url,
      allowsPrivate: true,
      sealing: async () => running.sealing,
    });
    await pool.query(
      `select announce_event(bucket_of(1), 1, $1, 'float.low', now(), '{"float": 10}')`,
      [randomUUID()],
    );
    await until('the event arrives', () => receiver.calls.length === 1);
    await page.getByRole('cell', { name: 'Delivered' }).waitFor();
    await page.getByRole('button', { name: /^Send float.low/ }).click();
    await dialog.getByLabel('Reason').fill('We lost it');
    await dialog.getByRole('button', { name: 'Send again' }).click();
    await until('the event arrives again', () => receiver.calls.length === 2);
    const ids = receiver.calls.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(1);

    await page.getByRole('button', { name: 'Switch off' }).click();
    await dialog.getByLabel('Reason').fill('The receiver moves');
    await dialog.getByRole('button', { name: 'Switch off' }).click();
    await page.getByText('The webhook is off.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The webhook is on.').waitFor();
    await page.getByRole('button', { name: 'Switch off' }).waitFor();
    expect(problems).toEqual([]);
  });

  test('a suspension is undone, or the page says that it was not', async () => {
    const { pool } = running.service;
    const problems: string[] = [];
    const by = { origin: running.origin, login: 'admin', problems };
    const page = await openConsole(browser, '/vendors/demo2', by);
    const dialog = page.getByRole('dialog');
    const suspend = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Suspend' }).click();
      await dialog.getByLabel('Reason').fill('Its key was stolen');
      await dialog.getByRole('button', { name: 'Suspend' }).click();
      await page.getByText('is suspended.').waitFor();
    };
    await suspend();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('is active again.').waitFor();
    const noted = await listAudit(pool, { target: 'demo2', limit: 10 });
    expect(noted).toMatchObject([
      { action: 'vendor.resume', reason: 'Undone: Its key was stolen' },
      { action: 'vendor.suspend', reason: 'Its key was stolen' },
    ]);

    await suspend();
    await page.route('**/resume', async (route) => await route.abort());
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The service cannot be reached', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    expect((await listAudit(pool, { target: 'demo2', limit: 10 })).length).toBe(3);
  });
});
