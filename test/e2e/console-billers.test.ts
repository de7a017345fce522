import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMO_PASSWORD } from '../../sandbox/data.ts';
import { listAudit } from '../../src/parties/people/read-audit.ts';
import { closeBreaker, openBreaker } from '../../src/payments/billers/routes-store.ts';
import { BROWSER_TIMEOUT_MS, HAS_BROWSER, startBrowser } from '../support/browser.ts';
import { createServiceDatabase, startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';

describe.skipIf(!HAS_BROWSER)('in a browser', () => {
  let running: InProcessService;
  let browser: Browser;

  beforeAll(async () => {
    running = await startInProcess((await createServiceDatabase()).url);
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await running.stop();
  });

  test('an operator’s outage is seen, the biller taken offline and back', async () => {
    const { pool } = running.service;
    const page = await browser.newPage();
    page.setDefaultTimeout(BROWSER_TIMEOUT_MS);
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(`${running.origin}/console/`);
    await page.getByLabel('E-mail address or name').fill('operations');
    await page.getByLabel('Password').fill(DEMO_PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('All billers are online.').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();

    const route = { billerCode: 'dstv', operatorCode: 'multichoice' };
    await openBreaker(pool, {
      ...route,
      cooldownMs: 600_000,
      reason: '20 calls without an answer',
    });
    // Nobody reloads the page.
    await page.getByText('Offline: DStv.').waitFor();
    await page.getByRole('link', { name: 'DStv' }).click();
    await page.getByRole('heading', { name: 'DStv' }).waitFor();
    await page.getByText('Circuit breaker open').waitFor();
    await page.getByText('20 calls without an answer').first().waitFor();

    await page.getByRole('button', { name: 'Take offline' }).click();
    const dialog = page.getByRole('dialog', { name: 'Take DStv offline' });
    await dialog.getByLabel('For how long').selectOption('1 hour');
    await dialog.getByLabel('Reason').fill('MultiChoice repairs its network');
    await dialog.getByRole('button', { name: 'Take offline' }).click();
    await page.getByText('Offline: MultiChoice repairs its network.').waitFor();
    await page.getByText('It goes online again automatically on').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('DStv is set online.').waitFor();
    await page.getByText('DStv is offline.').waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Take offline' }).click();
    await dialog.getByLabel('Reason').fill('MultiChoice repairs its network');
    await dialog.getByRole('button', { name: 'Take offline' }).click();
    await page.getByText('Offline: MultiChoice repairs its network.').waitFor();

    await closeBreaker(pool, route);
    await page.getByRole('button', { name: 'Set online' }).click();
    await page.getByText('This cannot be undone.').waitFor();
    await page.getByLabel('Reason').fill('It answers again');
    await page.getByRole('dialog').getByRole('button', { name: 'Set online' }).click();
    await page.getByText('DStv is set online.').waitFor();
    await page.getByRole('button', { name: 'Take offline' }).waitFor();

    const noted = await listAudit(pool, { target: 'dstv', limit: 10 });
    expect(noted).toMatchObject([
      {
        action: 'biller.set-status',
        login: 'operations',
        reason: 'It answers again',
        result: 'done',
        before: { set_status: 'OFFLINE', offline_reason: 'MultiChoice repairs its network' },
        after: { set_status: 'ONLINE', offline_reason: null, offline_until: null },
      },
      {
        action: 'biller.set-status',
        before: { set_status: 'ONLINE' },
        after: { set_status: 'OFFLINE' },
      },
      { action: 'biller.set-status', reason: 'Undone: MultiChoice repairs its network' },
      {
        action: 'biller.set-status',
        before: { set_status: 'ONLINE' },
        after: { set_status: 'OFFLINE' },
      },
    ]);
    expect(problems).toEqual([]);
  });
});
