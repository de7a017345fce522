import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { DEMO_PASSWORD } from '../../sandbox/data.ts';
import { HAS_BROWSER, startBrowser } from '../support/browser.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { buildConsoleOnce, openConsole } from '../support/console-browser.ts';
import { createServiceDatabase, startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';
import { findFreePort } from '../support/service-process.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import type { TcpProxy } from '../support/tcp-proxy.ts';

// What people see when something is not there, not for them, or away for a while.

describe.skipIf(!HAS_BROWSER)('in a browser', () => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let running: InProcessService;
  let browser: Browser;

  const start = async (port = '0'): Promise<void> => {
    running = await startInProcess(proxy.url, { environment: { PORT: port } });
  };
  const open = async (login: string, at: string): Promise<Page> =>
    await openConsole(browser, at, { origin: running.origin, login, problems: [] });
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });
  const follow = async (page: Page, name: string): Promise<void> =>
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click();
  const outage = (page: Page, text: string) => page.getByRole('alert').getByText(text);

  beforeAll(async () => {
    buildConsoleOnce();
    database = await createServiceDatabase();
    proxy = await startTcpProxy(database.url);
    // It is closed and used again: outgoing connections must not take it meanwhile.
    await start(String(await findFreePort()));
    browser = await startBrowser();
  });
  afterEach(async () => {
    proxy.comeBack();
    await Promise.all(browser.contexts().map(async (context) => await context.close()));
  });
  afterAll(async () => {
    await browser.close();
    await running.stop();
    await proxy.close();
    await database.drop();
  });

  test.each([
    ['admin', '/no/such/page'],
    ['admin', '/payments/NO-SUCH-PAYMENT'],
    ['admin', '/billers/no-such-biller'],
    ['demo-admin', '/vendors/demo2'],
  ])('%s sees that %s is not found, and goes on', async (login, address) => {
    const page = await open(login, address);
    await heading(page, 'Not found').waitFor();
    await page.locator('#main code').getByText(address, { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Go to the home page' }).click();
    await heading(page, 'Hello').waitFor();
  });

  test.each([
    ['support', '/receivables'],
    ['finance', '/audit'],
    ['demo-viewer', '/cases'],
    ['demo-viewer', '/billers/kplc_prepaid'],
  ])('%s is told that %s is for other roles', async (login, address) => {
    const page = await open(login, address);
    await heading(page, 'Not permitted').waitFor();
    await page.locator('#main code').getByText(address, { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Go to the home page' }).click();
    await heading(page, 'Hello').waitFor();
  });

  test('a database that is away is announced, and the page is shown once it is back', async () => {
    const page = await open('admin', '/payments');
    await heading(page, 'Payments').waitFor();
    proxy.goDown();
    await follow(page, 'Vendors');
    await outage(page, 'cannot reach its database. What').waitFor();
    // A page that is opened meanwhile says the same, without anything around it.
    const other = await page.context().newPage();
    await other.goto(`${running.origin}/console/billers`);
    await heading(other, 'This page cannot be shown').waitFor();
    await outage(other, 'What you see may be out of date').waitFor();
    proxy.comeBack();
    await page.getByRole('cell', { name: 'demo2', exact: true }).waitFor();
    await outage(page, 'cannot reach its database. What').waitFor({ state: 'detached' });
    await heading(other, 'Billers').waitFor();
    await outage(other, 'out of date').waitFor({ state: 'detached' });
  });

  test('a service that is away is announced; pages and live figures come back with it', async () => {
    const home = await open('admin', '/');
    await home.getByText('Live', { exact: true }).waitFor();
    const page = await home.context().newPage();
    await page.goto(`${running.origin}/console/payments`);
    await heading(page, 'Payments').waitFor();
    const { port } = new URL(running.origin);
    await running.stop();
    await home.getByText('Connecting…').waitFor();
    // The code of this page was never loaded: the page that is open stays, instead of the browser’s error.
    await follow(page, 'Ledger');
    await outage(page, 'cannot be reached').waitFor();
    await heading(page, 'Payments').waitFor();
    await start(port);
    await heading(page, 'Trial balance').waitFor();
    await outage(page, 'cannot be reached').waitFor({ state: 'detached' });
    await home.getByText('Live', { exact: true }).waitFor();
  });

  test('without a network nothing waits to be sent later', async () => {
    const page = await open('admin', '/payments');
    await page.getByRole('button', { name: 'CSV' }).waitFor();
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'CSV' }).click();
    await outage(page, 'What you see may be out of date').waitFor();
    await page.context().setOffline(false);
    await outage(page, 'What you see may be out of date').waitFor({ state: 'detached' });
  });

  test('people whose session ended sign in again and get back to the page', async () => {
    const page = await open('admin', '/payments?status=FAILED');
    await heading(page, 'Payments').waitFor();
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'CSV' }).click();
    await page.getByText('Your session has ended.').waitFor();
    await page.getByLabel('E-mail address or name').fill('admin');
    await page.getByLabel('Password').fill(DEMO_PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await heading(page, 'Payments').waitFor();
    const { pathname, search } = new URL(page.url());
    expect(pathname + search).toBe('/console/payments?status=FAILED');
  });
});
