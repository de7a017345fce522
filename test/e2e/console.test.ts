import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { Secret, TOTP } from 'otpauth';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMO_PASSWORD } from '../../sandbox/data.ts';
import { addPerson } from '../../src/parties/people/administer.ts';
import { createLink } from '../../src/parties/people/links.ts';
import { BROWSER_TIMEOUT_MS, HAS_BROWSER, startBrowser } from '../support/browser.ts';
import { BUILT_CONSOLE, buildConsoleOnce } from '../support/console-browser.ts';
import { useService } from '../support/use-service.ts';
import { peopleDepsOf } from '../support/people-deps.ts';

const MAX_SCRIPT_BYTES = 170 * 1024;

beforeAll(buildConsoleOnce);
const running = useService();
let reference = '';

beforeAll(async () => {
  const vendor = running.demo();
  await vendor.call('fund', { time: String(Date.now()), currency: 'KES' });
  const created = await vendor.call('create', {
    biller_name: 'kplc_prepaid',
    amount: '1450',
    account: '14234569901',
    phone: '0722000001',
    merchant_reference: 'order-1',
  });
  reference = String(created.body.msg['ipay_reference']);
});

test('opening the first page loads at most 170 KB of compressed JavaScript', () => {
  const page = readFileSync(path.join(BUILT_CONSOLE, 'index.html'), 'utf8');
  const first = [...page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+\.js)"/g)].map(
    ([, file]) => file,
  );
  expect(first.length).toBeGreaterThan(0);
  const shell = readdirSync(path.join(BUILT_CONSOLE, 'assets')).filter((file) =>
    /^Shell-.*\.js$/.test(file),
  );
  const files = [...new Set([...first, ...shell.map((file) => `assets/${file}`)])];
  const bytes = files.map(
    (file) => gzipSync(readFileSync(path.join(BUILT_CONSOLE, String(file)))).length,
  );
  expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(MAX_SCRIPT_BYTES);
});

describe.skipIf(!HAS_BROWSER)('in a browser', () => {
  let browser: Browser;
  const problems: string[] = [];

  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
  });

  async function open(at: string): Promise<Page> {
    const context = await browser.newContext();
    context.setDefaultTimeout(BROWSER_TIMEOUT_MS);
    const page = await context.newPage();
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      // At first nobody is signed in; the page learns this from a 401 of the service.
      if (message.type() === 'error' && !message.text().includes('401')) {
        problems.push(message.text());
      }
    });
    await page.goto(`${running.origin}/console${at}`);
    return page;
  }

  async function signIn(page: Page, login: string): Promise<void> {
    await page.getByLabel('E-mail address or name').fill(login);
    await page.getByLabel('Password').fill(DEMO_PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  test('support finds a customer’s payment by phone, and sees what happened', async () => {
    const page = await open('/');
    await signIn(page, 'support');
    await page.getByRole('searchbox').fill('0722 000 001');
    await page.getByRole('searchbox').press('Enter');
    await page.getByRole('link', { name: '14234569901' }).click();
    await page.getByRole('heading', { name: 'KES 1,450.00' }).waitFor();
    await page.getByText('Queued').waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console/payments/${reference}`);
    // The address can be opened again.
    await page.reload();
    await page.getByRole('heading', { name: 'KES 1,450.00' }).waitFor();
    expect(problems).toEqual([]);
  });

  test('people who open an address without a session sign in and get to its page', async () => {
    const page = await open(`/payments/${reference}`);
    await signIn(page, 'demo-viewer');
    await page.getByRole('heading', { name: 'KES 1,450.00' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console/payments/${reference}`);
    const stranger = await open(`/payments/${reference}`);
    await signIn(stranger, 'demo2-admin');
    await stranger.getByRole('heading', { name: 'Not found' }).waitFor();
  });

  test('keys lead to the search and to pages, and theme and language are remembered', async () => {
    const page = await open('/payments');
    await signIn(page, 'operations');
    await page.getByRole('heading', { name: 'Payments', exact: true }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('g p ?');
    expect(await page.getByRole('searchbox').inputValue()).toBe('g p ?');
    await page.getByRole('link', { name: 'Skip to the content' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: /^\d{11}$/ }).click();
    await page.getByRole('heading', { name: 'KES 1,450.00' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    await page.getByRole('heading', { name: 'Payments' }).waitFor();

    const person = page.getByRole('button', { name: 'Otieno Operations' });
    const place = await person.boundingBox();
    await person.click();
    await page.getByRole('menuitemradio', { name: 'Dark' }).waitFor();
    // If it moved while it is pressed, a slow click would end beside it and close the menu.
    expect(await person.boundingBox()).toEqual(place);
    await page.getByRole('menuitemradio', { name: 'Dark' }).click();
    await page.getByRole('menuitemradio', { name: 'Kiswahili' }).click();
    await page.reload();
    await page.locator('html[data-theme="dark"][lang="sw"]').waitFor();
    await page.getByRole('heading', { name: 'Malipo' }).waitFor();
  });

  test('people who follow a one-time link set a password and a code, and see the console', async () => {
    problems.length = 0;
    const deps = await peopleDepsOf(running);
    await addPerson(deps, { login: 'new', name: 'Nafula', role: 'support' }, new Date());
    const page = await open(
      `/welcome#${await createLink(deps, 'new', { madeBy: null, now: new Date() })}`,
    );
    await page.getByRole('heading', { name: 'Welcome, Nafula' }).waitFor();
    await page.getByRole('img', { name: 'QR code of the key' }).waitFor();
    const secret = (await page.locator('code').textContent())?.replaceAll(' ', '') ?? '';
    await page.getByLabel('New password').fill('too short');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The password must have at least 12 characters').waitFor();
    await page.getByLabel('New password').fill('a good long password');
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
    await page.getByLabel('Code from the app').fill(code);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Hello, Nafula' }).waitFor();
    expect(problems.filter((text) => !text.includes('400'))).toEqual([]);
  });
});
