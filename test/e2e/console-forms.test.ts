import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { enterQuarantine } from '../../src/payments/quarantine/enter.ts';
import { newId } from '../../src/platform/base/ids.ts';
import type { PeopleAnswer } from '../../src/staff/people.ts';
import type { PaymentList } from '../../src/staff/payments.ts';
import { DEMO_PASSWORD } from '../../sandbox/data.ts';
import { csvOf, rightLine } from '../support/credit-files.ts';
import { HAS_BROWSER } from '../support/browser.ts';
import { startConsole } from '../support/console-fixture.ts';
import type { ConsoleFixture } from '../support/console-fixture.ts';
import { signInAll } from '../support/console-client.ts';
import type { SignedIn } from '../support/console-client.ts';

// Forms and dialogs while something else changes: the file, the biller, the choice, what others do.

describe.skipIf(!HAS_BROWSER)('a form in a browser', () => {
  let fixture: ConsoleFixture;
  let as: SignedIn;

  beforeAll(async () => {
    fixture = await startConsole();
    as = await signInAll(fixture.running.origin, ['admin', 'operations']);
  });
  afterAll(async () => {
    await fixture.stop();
  });
  beforeEach(() => {
    fixture.problems.length = 0;
  });

  test('checks a changed file again when it is chosen again', async () => {
    const page = await fixture.open('demo-cashier', '/bulk');
    const file = path.join(fixture.folder, 'rent.csv');
    const choose = async (amount: string): Promise<void> => {
      await writeFile(file, `biller_name,account,amount\nkplc_prepaid,14234567890,${amount}\n`);
      const chooser = page.waitForEvent('filechooser');
      await page.getByLabel('File', { exact: true }).click();
      await (await chooser).setFiles(file);
    };
    await choose('500');
    await page.getByText('KES 500.00').waitFor();
    await choose('700');
    await page.getByText('KES 700.00').waitFor();
    expect(fixture.problems).toEqual([]);
  });

  const payForm = async (biller: string, account: string): Promise<Page> => {
    const page = await fixture.open('demo-cashier', '/pay');
    await page.getByLabel('Biller').selectOption(biller);
    await page.getByLabel(account).fill('14234567001');
    return page;
  };
  const phone = 'Phone number of the customer';
  const payButton = (page: Page) => page.getByRole('button', { name: 'Pay', exact: true });
  const untilEnabled = async (page: Page): Promise<void> => {
    await payButton(page).and(page.locator(':enabled')).waitFor();
  };

  test('does not send a phone number that the biller does not need', async () => {
    const page = await payForm('dstv', 'Smart card number');
    await page.getByLabel(phone).fill('12');
    await page.getByLabel('Amount in KES').fill('300');
    await page.getByText('phone must be a phone number').waitFor();
    await page.getByLabel('Biller').selectOption('kplc_prepaid');
    await untilEnabled(page);
  });

  test('says that the phone number of a payment is missing', async () => {
    const page = await payForm('dstv', 'Smart card number');
    await page.getByLabel('Amount in KES').fill('300');
    await page.getByText('dstv needs a phone number').waitFor();
    await page.getByLabel(phone).fill('0722000001');
    await untilEnabled(page);
    expect(fixture.problems).toEqual([]);
  });

  test('pays nothing for another vendor whose person signed in in another tab', async () => {
    await fixture.running.demo('demo2').call('fund', { time: String(Date.now()), currency: 'KES' });
    const page = await payForm('kplc_prepaid', 'Meter number');
    await page.getByLabel('Amount in KES').fill('300');
    await untilEnabled(page);
    await payButton(page).click();
    const other = await page.context().newPage();
    await other.goto(`${fixture.running.origin}/console/sign-in`);
    await other.getByLabel('E-mail address or name').fill('demo2-admin');
    await other.getByLabel('Password').fill(DEMO_PASSWORD);
    await other.getByRole('button', { name: 'Sign in' }).click();
    await other.locator('#main').waitFor();
    await page.getByRole('button', { name: 'Pay KES 300.00' }).click();
    await page.getByText('Your session has ended.').waitFor();
    expect((await as('admin').read<PaymentList>('/payments?vid=demo2')).payments).toEqual([]);
    await other.getByRole('link', { name: 'Payments' }).first().click();
    await other.getByRole('heading', { name: 'Payments' }).waitFor();
  });

  test('asks the biller about an account once, not at each digit of the phone', async () => {
    const page = await payForm('dstv', 'Smart card number');
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/pay/account')) asked.push(request.postData() ?? '');
    });
    const lookUp = page.getByRole('button', { name: 'Look the account up' });
    await lookUp.click();
    await page.getByText('Pay this amount').click();
    await page.getByLabel(phone).pressSequentially('0722000001');
    await untilEnabled(page);
    expect(asked).toHaveLength(1);
    await lookUp.click();
    await page.getByText('Pay this amount').waitFor();
    await expect.poll(() => asked.length).toBe(2);
    expect(asked[1]).toContain('0722000001');
  });

  test('shows the next person who signs in nothing that was read for the one before', async () => {
    const { running } = fixture;
    const asked = { biller_name: 'kplc_prepaid', amount: '100', account: '14234567777' };
    await running.demo().call('create', { ...asked, merchant_reference: 'before' });
    const page = await fixture.open('demo-admin', '/payments');
    await page.getByText('14234567777').waitFor();
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Today' }).click();
    await page.getByText('Your session has ended.').waitFor();
    // The answer is slow.
    await page.route('**/payments/search', () => undefined);
    await page.getByLabel('E-mail address or name').fill('demo2-admin');
    await page.getByLabel('Password').fill(DEMO_PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('#main').waitFor();
    await page.getByRole('button', { name: 'Any time' }).click();
    await page.getByText('Newest first').waitFor();
    expect(await page.getByText('14234567777').count()).toBe(0);
    await page.unrouteAll();
  });

  test('does not show a trial of what the form for a lender’s file said before', async () => {
    const page = await fixture.open('risk', '/credit/imports/new');
    let answers: Promise<void> = Promise.resolve();
    let answer = (): void => undefined;
    await page.route('**/credit/imports/trial?*', async (route) => {
      await answers;
      await route.continue();
    });
    const file = path.join(fixture.folder, 'loans.csv');
    await writeFile(file, csvOf([rightLine(1)]));
    const lender = page.getByLabel('Lender', { exact: true });
    const tried = page.getByRole('button', { name: 'Propose to import' });
    await lender.fill('FIRST_BANK');
    await page.getByLabel('As of').fill('2026-10-31');
    await page.getByLabel('File').setInputFiles(file);
    ({ promise: answers, resolve: answer } = Promise.withResolvers<void>());
    const asked = page.waitForResponse('**/credit/imports/trial?*');
    await page.getByRole('button', { name: 'See what would change' }).click();
    await page.getByText('Reading the file…').waitFor();
    await lender.fill('SECOND_BANK');
    answer();
    expect((await asked).status()).toBe(200);
    await page.getByRole('button', { name: 'See what would change' }).waitFor();
    expect(await tried.count()).toBe(0);
    await page.getByRole('button', { name: 'See what would change' }).click();
    await tried.waitFor();
    expect(fixture.problems).toEqual([]);
  });

  test('asks for a vendor in an invitation only if the chosen role needs one', async () => {
    const page = await fixture.open('admin', '/people');
    const dialog = page.getByRole('dialog');
    const invite = page.getByRole('button', { name: 'Invite a person' });
    await invite.click();
    await dialog.getByLabel('Role').selectOption('vendor_cashier');
    await dialog.getByLabel('Vendor', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await invite.click();
    await dialog.getByLabel('Role').waitFor();
    expect(await dialog.getByLabel('Role').inputValue()).toBe('support');
    expect(await dialog.getByLabel('Vendor', { exact: true }).count()).toBe(0);
  });

  const reason = { reason: 'Its key was stolen' };

  test('does not resume a vendor when a colleague was faster to suspend it', async () => {
    const page = await fixture.open('admin', '/vendors/demo2');
    await page.getByRole('button', { name: 'Suspend' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill(reason.reason);
    await as('admin').send('POST', '/vendors/demo2/suspend', reason);
    await page.getByText('Its requests are refused. Accepted payments continue.').waitFor();
    expect(await dialog.getByRole('heading').innerText()).toBe('Suspend Second Demo Vendor');
    await dialog.getByRole('button', { name: 'Suspend' }).click();
    await page.getByText('is suspended.').waitFor();
    const { body } = await as('admin').get('/vendors/demo2');
    expect(body).toMatchObject({ status: 'suspended' });
    await as('admin').send('POST', '/vendors/demo2/resume', reason);
  });

  test('keeps what a colleague has changed in a vendor’s settings meanwhile', async () => {
    const page = await fixture.open('admin', '/vendors/demo2');
    await page.getByRole('button', { name: 'Change settings' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Second Vendor');
    await dialog.getByLabel('Reason').fill('It was renamed');
    await as('admin').send('POST', '/vendors/demo2', { ...reason, signature: 'v2' });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The settings are saved.').waitFor();
    const { body } = await as('admin').get('/vendors/demo2');
    expect(body).toMatchObject({ name: 'Second Vendor', signature: 'v2' });
  });

  test('keeps what a colleague has changed of a person meanwhile', async () => {
    const page = await fixture.open('admin', '/people');
    await page.getByRole('button', { name: 'Change Selina Support' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Selina S. Support');
    await dialog.getByLabel('Reason').fill('She was renamed');
    await as('admin').send('POST', '/people/support', { ...reason, role: 'finance' });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('is changed.').waitFor();
    const { people } = await as('admin').read<PeopleAnswer>('/people');
    expect(people.find(({ login }) => login === 'support')).toMatchObject({
      ...{ name: 'Selina S. Support', role: 'finance' },
    });
  });

  test.each([
    ['payments', 'Newest first'],
    ['ledger', 'Our own books'],
    ['audit', 'session.start'],
  ])('shows the page of an address of /%s with other parameters', async (at, shown) => {
    const address = `/${at}?utm_source=mail&from=&vid=`;
    const page = await fixture.open('admin', address);
    await page.getByText(shown).first().waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    expect(fixture.problems).toEqual([]);
  });

  test('shows days of the service in filters, and keeps a time that was not changed', async () => {
    const page = await fixture.open('admin', '/');
    await page.getByRole('link', { name: 'Show the payments of today' }).click();
    await page.waitForURL('**/payments?from=*');
    const from = new URL(page.url()).searchParams.get('from');
    const days = new Intl.DateTimeFormat('sv-SE', { timeZone: fixture.timeZone });
    await page.getByText('More filters').click();
    const filters = page.getByRole('form', { name: 'Filters' });
    expect(await filters.getByLabel('From').inputValue()).toBe(days.format(new Date()));
    await filters.getByLabel('Biller').selectOption('dstv');
    await filters.getByRole('button', { name: 'Apply' }).click();
    await page.waitForURL('**biller=dstv**');
    expect(new URL(page.url()).searchParams.get('from')).toBe(from);
    await filters.getByLabel('From').fill('2026-11-01');
    await filters.getByRole('button', { name: 'Apply' }).click();
    await page.waitForURL('**from=2026-11-01**');
  });

  test('leaves a biller offline, with its reason, when a colleague was faster', async () => {
    const page = await fixture.open('operations', '/billers/zuku');
    await page.getByRole('button', { name: 'Take offline' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('Its operator is down');
    await as('operations').send('POST', '/billers/zuku/status', { status: 'OFFLINE', ...reason });
    await page.locator('#main').getByText('Offline', { exact: true }).first().waitFor();
    expect(await dialog.getByRole('heading').innerText()).toBe('Take Zuku offline');
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('Its operator is down');
  });

  test.each(['click', 'key'] as const)(
    'a second %s does not close the key of a new vendor, which is shown once',
    async (kind) => {
      const page = await fixture.open('admin', '/vendors');
      await page.getByRole('button', { name: 'Add a vendor' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Vendor ID').fill(`twice-${kind}`);
      await dialog.getByLabel('Name', { exact: true }).fill('Twice');
      await dialog.getByLabel('Reason').fill('It has signed');
      const add = dialog.getByRole('button', { name: 'Add', exact: true });
      const { x = 0, y = 0, width = 0, height = 0 } = (await add.boundingBox()) ?? {};
      const act = async (): Promise<void> => {
        if (kind === 'key') await page.keyboard.press('Enter');
        else await page.mouse.click(x + width / 2, y + height / 2);
      };
      await add.focus();
      await act();
      const secret = page.getByLabel('Shown this once');
      await secret.waitFor();
      await expect.poll(() => dialog.count()).toBe(1);
      await dialog.locator(':focus').waitFor();
      await act();
      await act();
      // Its own button closes it.
      await page.getByRole('button', { name: 'Close' }).click();
      await secret.waitFor({ state: 'detached' });
    },
  );

  test('does not confirm a proposal to end a quarantine that came meanwhile', async () => {
    await enterQuarantine(fixture.running.service.pool, {
      ...{ entryId: newId(), by: 'Asha', reason: 'restored' },
      ...{ lostFrom: new Date(Date.now() - 3_600_000), lostUntil: null },
    });
    const page = await fixture.open('admin', '/system');
    await page.getByRole('button', { name: 'Propose its end' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('The statements do not come');
    await as('operations').send('POST', '/quarantine/propose', reason);
    await page.getByText('operations proposes to end it').waitFor();
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('admin proposes to end it').waitFor();
  });
});
