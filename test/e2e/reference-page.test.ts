import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { findSeriousViolations } from '../support/accessibility.ts';
import { BROWSER_TIMEOUT_MS, HAS_BROWSER, startBrowser } from '../support/browser.ts';
import { CONTRACT_OPERATIONS } from '../support/contract-operations.ts';
import { SandboxFixture } from '../support/sandbox.ts';
import { RESOURCES, SelfServiceClient } from '../support/self-service-client.ts';
import type { Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

const OPERATIONS = CONTRACT_OPERATIONS.map(({ id }) => id);
const SHOWN = [...OPERATIONS, ...RESOURCES.map(({ id }) => id)];

/** What the answer to one operation gives to another one. */
type Filled = readonly [into: string, from: string, pattern: RegExp];
/**
 * Below `/v1`, in an order in which each has what it needs: an event needs a webhook and then a payment,
 * and only a key that was replaced can be ended.
 */
const SELF_SERVICE: readonly (readonly [id: string, filled?: Filled])[] = [
  ['setWebhook'],
  ['fund'],
  ['createTransaction'],
  ['getPayment'],
  ['listPayments'],
  ['exportPayments'],
  ['getBalance'],
  ['getStatement'],
  ['exportStatement'],
  ['listInvoices'],
  ['listEvents'],
  ['getEvent', ['event_id', 'listEvents', /"event_id": "([^"]+)"/]],
  ['replayEvent', ['event_id', 'listEvents', /"event_id": "([^"]+)"/]],
  ['replayEvents'],
  ['getWebhook'],
  ['disableWebhook'],
  ['enableWebhook'],
  ['testWebhook'],
  ['rotateWebhookSecret'],
  ['retireWebhookSecret', ['key_id', 'getWebhook', /"key_id": "([^"]+)"/]],
  ['removeWebhook'],
  ['listRequests'],
  ['describeBillers'],
  ['describeBiller'],
  ['listEnquiries'],
  ['listKeys'],
  ['rotateKey'],
  ['retireKey', ['key_id', 'listKeys', /"key_id": "([^"]+)"/]],
];

/** The sandbox charges no fees, so there is no invoice to ask for. */
const OF_AN_INVOICE = ['getInvoice', 'exportInvoicePdf', 'exportInvoiceCsv'];

const fixture = new SandboxFixture();
let sandbox: Sandbox;
let browser: Browser;
/** Of the vendor that tries the self-service: `rotateKey` replaces it. */
let vendorKey = 'demo2-security-key';
beforeAll(async () => {
  if (!HAS_BROWSER) return;
  [sandbox, browser] = await Promise.all([fixture.start(), startBrowser()]);
});
afterAll(async () => {
  if (HAS_BROWSER) await browser.close();
  await fixture.cleanUp();
});

/** The payment of the vendor that tries the self-service is final. */
async function untilAnEvent(): Promise<void> {
  const vendor = new SelfServiceClient(sandbox.origin, { vid: 'demo2', key: vendorKey });
  await until('an event arrives', async () => (await vendor.ask('listEvents')).items.length > 0);
}

/** The page at this width, and the problems that it logs. */
async function openPage(
  width: number,
  height: number,
  address = `${sandbox.origin}/docs/api`,
): Promise<{ page: Page; faults: string[] }> {
  const page = await browser.newPage({ viewport: { width, height } });
  page.setDefaultTimeout(BROWSER_TIMEOUT_MS);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
  });
  await page.goto(address);
  await page.waitForSelector('body[data-ready]');
  return { page, faults };
}

/** Presses Send and returns the status of the answer that is shown, with its text. */
async function send(page: Page, id: string): Promise<{ status: string | null; text: string }> {
  const section = page.locator(`section#${id}`);
  await section.getByRole('button', { name: 'Send', exact: true }).click();
  const answer = section.locator('.answer');
  const shown = answer.locator('pre, p.failed');
  await shown.waitFor();
  return { status: await answer.getAttribute('data-status'), text: await shown.innerText() };
}

// Runs before the others, so that nothing has been funded.
describe.skipIf(!HAS_BROWSER)('an operation that needs others', () => {
  test.each(['transactionStatus', 'createTransaction', 'bulkStatus', 'bulkResult'])(
    '%s is answered with 200 on a page that was just loaded',
    async (id) => {
      const { page, faults } = await openPage(1280, 900);
      const { status, text } = await send(page, id);
      expect({ status, text }, text).toMatchObject({ status: '200' });
      expect(faults).toEqual([]);
      await page.close();
    },
  );
});

// The page has two layouts: a wide one, and one for screens below 832 pixels.
const WIDE = 1280;
const TABLET = 768;
const TELEPHONE = 390;

describe.skipIf(!HAS_BROWSER)('the reference', () => {
  let page: Page;
  let faults: string[];
  beforeAll(async () => {
    ({ page, faults } = await openPage(WIDE, 900));
    await send(page, 'fund');
  });
  afterAll(async () => await page.close());

  test('shows every operation once', async () => {
    const links = page.locator('nav [data-operation]');
    const shown = (await links.all()).map(
      async (link) => await link.getAttribute('data-operation'),
    );
    expect(new Set(await Promise.all(shown))).toEqual(new Set(SHOWN));
    expect(shown).toHaveLength(SHOWN.length);
    expect(await page.locator('section.operation').count()).toBe(SHOWN.length);
  });

  test.each(OPERATIONS)('Send on %s is answered with 200 again, and in each form', async (id) => {
    const section = page.locator(`section#${id}`);
    const forms = await section.getByLabel('Sent as').locator('option').allInnerTexts();
    const statuses = [(await send(page, id)).status];
    for (const form of forms) {
      await section.getByLabel('Sent as').selectOption(form);
      // Times have seconds.
      await page.clock.setFixedTime(Date.now() + 1_000 * statuses.length);
      statuses.push((await send(page, id)).status);
    }
    await page.clock.resume();
    expect(statuses).toEqual(statuses.map(() => '200'));
  });

  test('axe finds no serious fault, also in the answers', async () => {
    expect(await findSeriousViolations(page)).toEqual([]);
  });

  test.each([WIDE, TABLET, TELEPHONE])(
    'nothing is wider than a screen of %i pixels, and every Send is on it',
    async (width) => {
      await page.setViewportSize({ width, height: 900 });
      await page.evaluate(
        'document.querySelectorAll("details").forEach((each) => (each.open = true))',
      );
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      for (const button of await page.getByRole('button', { name: 'Send', exact: true }).all()) {
        const box = await button.boundingBox();
        expect(box?.x).toBeGreaterThanOrEqual(0);
        expect((box?.x ?? 0) + (box?.width ?? Infinity)).toBeLessThanOrEqual(width);
      }
    },
  );

  test('Send on every operation below /v1 is answered with 200 on a telephone', async () => {
    const tried = [...SELF_SERVICE.map(([id]) => id), ...OF_AN_INVOICE];
    expect(tried).toEqual(expect.arrayContaining(RESOURCES.map(({ id }) => id)));
    await page.getByLabel('Vendor (vid)').fill('demo2');
    await page.getByLabel('Security key', { exact: true }).fill(vendorKey);
    const answers = new Map<string, string>();
    for (const [id, filled] of SELF_SERVICE) {
      if (filled !== undefined) {
        const [into, from, pattern] = filled;
        const value = pattern.exec(answers.get(from) ?? '')?.[1] ?? '';
        await page.locator(`#${id}-${into}`).fill(value);
      }
      const { status, text } = await send(page, id);
      expect({ id, status, text }).toMatchObject({ id, status: '200' });
      answers.set(id, text);
      if (id === 'createTransaction') {
        await untilAnEvent();
        // Not only delivered ones: the address of the example does not exist.
        await page.locator('#listEvents-state').selectOption('');
      }
      if (id === 'rotateKey') {
        vendorKey = /"secret": "([^"]+)"/.exec(text)?.[1] ?? '';
        await page.getByLabel('Security key', { exact: true }).fill(vendorKey);
      }
    }
  });

  test('axe finds no serious fault on a telephone', async () => {
    // Colours do not depend on the width.
    const rules = 'not about colours';
    expect(await findSeriousViolations(page, { rules })).toEqual([]);
  });

  test('it loads and sends without browser errors', () => {
    expect(faults).toEqual([]);
  });
});

describe.skipIf(!HAS_BROWSER)('the reference page', () => {
  let page: Page;
  let faults: string[];
  beforeAll(async () => {
    ({ page, faults } = await openPage(1280, 900));
    await send(page, 'fund');
  });
  afterAll(async () => await page.close());
  const input = (id: string, name: string) => page.locator(`#${id}-${name}`);

  test('fills the references of a payment and of a batch into the forms that need them', async () => {
    const created = await send(page, 'createTransaction');
    const reference = await input('transactionStatus', 'reference').inputValue();
    expect(created.text).toContain(`"ipay_reference": "${reference}"`);
    await send(page, 'bulkCreate');
    const batch = await input('bulkCreate', 'batch_reference').inputValue();
    for (const id of ['bulkStatus', 'bulkResult']) {
      expect(await input(id, 'batch_reference').inputValue()).toBe(batch);
      expect((await send(page, id)).text).toContain(batch);
    }
  });

  test('computes the SHA-256 of a file that is changed, and sends it in each form', async () => {
    const section = page.locator('section#bulkCreate');
    const forms = await section.getByLabel('Sent as').locator('option').allInnerTexts();
    expect(forms).toHaveLength(3);
    for (const [index, form] of forms.entries()) {
      await section.getByLabel('Sent as').selectOption(form);
      await section.getByRole('button', { name: 'New batch_reference' }).click();
      const file = `{"biller_name":"safaricom","account":"254722000001","amount":"5","merchant_reference":"é ${index}"}\n`;
      const csv = `biller_name,account,amount,merchant_reference\nsafaricom,254722000001,5,é ${index}\n`;
      const text = form.includes('JSON lines') ? file : csv;
      await section.getByLabel('File', { exact: true }).fill(text);
      const { status, text: answer } = await send(page, 'bulkCreate');
      const digest = createHash('sha256').update(text).digest('hex');
      expect([form, status, answer]).toEqual([form, '200', expect.stringContaining(digest)]);
    }
  });

  test('sends what GET answers by POST in each form, too', async () => {
    const section = page.locator('section#balance');
    const forms = await section.getByLabel('Sent as').locator('option').allInnerTexts();
    expect(forms).toHaveLength(4);
    for (const form of forms) {
      await section.getByLabel('Sent as').selectOption(form);
      expect([form, (await send(page, 'balance')).status]).toEqual([form, '200']);
    }
  });

  test('signs with a key that is entered, and the key never leaves the browser', async () => {
    const bare = await browser.newPage();
    bare.setDefaultTimeout(BROWSER_TIMEOUT_MS);
    // As in production, where the page knows no key.
    await bare.route(
      '**/docs/api/settings.json',
      async (route) => await route.fulfill({ json: { keys: {} } }),
    );
    const sent: string[] = [];
    bare.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
    await bare.goto(`${sandbox.origin}/docs/api/`);
    await bare.waitForSelector('body[data-ready]');
    expect(await bare.getByLabel('Security key', { exact: true }).inputValue()).toBe('');
    await bare.getByLabel('Vendor (vid)').fill('demo2');
    expect((await send(bare, 'balance')).status).toBe('400');
    await bare.getByLabel('Security key', { exact: true }).fill(vendorKey);
    expect((await send(bare, 'balance')).status).toBe('200');
    expect(sent.join('\n')).toContain('vid=demo2');
    expect(sent.join('\n')).not.toContain(vendorKey);
    expect(await bare.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
    await bare.close();
  });

  test('finds operations by words', async () => {
    await page.getByLabel('Find an operation').fill('progress bulk');
    await page.getByText(`1 of ${SHOWN.length} operations`).waitFor();
    expect(await page.locator('section.operation:visible').count()).toBe(1);
    expect(await page.locator('nav li:visible').allInnerTexts()).toEqual([
      'Progress of a bulk create',
    ]);
    await page.getByLabel('Find an operation').fill('');
    expect(await page.locator('section.operation:visible').count()).toBe(SHOWN.length);
  });

  test('works with the keyboard alone', async () => {
    const before = await page.locator('section#phoneLookup .answer').innerText();
    await input('phoneLookup', 'prefix').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('section#phoneLookup .answer pre').waitFor();
    expect(before).toBe('');
  });

  test('works behind a proxy that adds a prefix', async () => {
    const proxy = createServer((request, response) => {
      const { method = 'GET', headers, url = '' } = request;
      if (!url.startsWith('/bills/')) {
        response.writeHead(404).end();
        return;
      }
      const to = new URL(url.slice('/bills'.length), sandbox.origin);
      const onward = forward(to, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      request.pipe(onward);
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const origin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const opened = await openPage(390, 844, `${origin}/bills/docs/api`);
    for (const id of ['listBillers', 'fund', 'bulkCreate']) {
      expect([id, (await send(opened.page, id)).status]).toEqual([id, '200']);
    }
    expect(opened.faults).toEqual([]);
    await opened.page.close();
    proxy.closeAllConnections();
    proxy.close();
  });

  test('no errors are reported by the browser', () => {
    expect(faults).toEqual([]);
  });
});
