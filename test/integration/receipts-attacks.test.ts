import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openKeys } from '../../src/parties/keys.ts';
import { createSecretPaths } from '../../src/connectors/secret-path.ts';
import { openLedgerMac } from '../../src/parties/ledger-key.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import {
  addAccount,
  removeAccount,
  setSource,
  setSourceKey,
} from '../../src/payments/receipts/administer.ts';
import { requireReceipt } from '../../src/payments/receipts/assign.ts';
import type { ReportedPayment } from '../../src/connectors/source.ts';
import { pullSource } from '../../src/payments/receipts/pull.ts';
import { keyHolders, openSource } from '../../src/payments/receipts/sources.ts';
import type { OpenSource } from '../../src/payments/receipts/sources.ts';
import { findSource } from '../../src/payments/receipts/sources-store.ts';
import type { ReceiptDeps } from '../../src/payments/receipts/take.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { createServiceDatabase, startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';
import { addDarajaSource, DARAJA_KEY, SHORT_CODE, SOURCE } from '../support/money-in.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import type { TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';
import type { VendorClient } from '../support/vendor-client.ts';

// Attacks on the receiver of confirmations, with and without knowledge of its URL. Two processes behind a
// proxy serve it, one of them through a database connection that can be broken.

const ALLOWED = '196.201.214.200';
const OTHER_SOURCE = 'otherbill';
const OTHER_SHORT_CODE = '600200';

let database: TestDatabase;
let network: TcpProxy;
let running: InProcessService;
let second: InProcessService;
let direct: InProcessService;
let source: OpenSource;
let deps: ReceiptDeps;

beforeAll(async () => {
  database = await createServiceDatabase();
  network = await startTcpProxy(database.url);
  const environment = { STRANGER_REQUESTS_PER_SECOND: '0' };
  const proxied = { environment: { ...environment, TRUSTED_PROXIES: '127.0.0.1' } };
  running = await startInProcess(database.url, proxied);
  const { pool } = running.service;
  const { sealing } = running;
  const addresses = [ALLOWED, '196.201.212.0/24', '2001:db8:1::/48'];
  // Nothing listens there: the provider is not queried.
  const origin = 'http://127.0.0.1:9';
  const settings = { addresses, confirm_from: '50000', minimum: '10', maximum: '70000' };
  await addDarajaSource(pool, { origin, sealing, settings });
  await setSource(pool, OTHER_SOURCE, {
    name: 'Another pay bill',
    kind: 'daraja',
    collector: 'mpesa-in',
    settings: { base_url: origin, short_code: OTHER_SHORT_CODE, addresses },
  });
  await setSourceKey(pool, OTHER_SOURCE, { secret: DARAJA_KEY, sealing });
  second = await startInProcess(network.url, proxied);
  direct = await startInProcess(database.url, { environment });
  const { masterKeys } = sealing;
  const log = pino({ level: 'silent' });
  deps = { pool, ledgerMac: await openLedgerMac(pool, masterKeys), log };
  source = await open(SOURCE);
  for (const { origin: at } of [running, second]) {
    await until('the source is known', async () => (await post({}, { at })).status === 200);
  }
});
afterAll(async () => {
  await Promise.all([running, second, direct].map(async (service) => await service.stop()));
  await source.provider.close();
  await network.close();
  await database.drop();
});

async function open(sourceCode: string): Promise<OpenSource> {
  const { pool } = running.service;
  const { masterKeys } = running.sealing;
  const row = await findSource(pool, sourceCode);
  const by = {
    pool,
    masterKeys,
    callbackBase: 'http://localhost/receipts',
    log: pino({ level: 'silent' }),
  };
  const opened = row && (await openSource(by, row));
  if (opened === undefined) throw new Error(`source ${sourceCode} cannot be opened`);
  return opened;
}

interface PostOptions {
  readonly at?: string;
  readonly url?: string;
  /** As the proxy reports it. */
  readonly from?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Posts to the confirmation URL, by default from an address of the provider. */
async function post(content: unknown, options: PostOptions = {}) {
  const { at = running.origin, url = source.provider.urls.confirmation, from = ALLOWED } = options;
  const body =
    typeof content === 'string'
      ? content
      : Buffer.isBuffer(content)
        ? new Uint8Array(content)
        : JSON.stringify(content);
  const answer = await fetch(at + new URL(url).pathname, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': from, ...options.headers },
    body,
  });
  const text = await answer.text();
  return { status: answer.status, text };
}

let receipts = 0;

function confirmation(change: Readonly<Record<string, unknown>> = {}) {
  receipts += 1;
  return {
    TransactionType: 'Pay Bill',
    TransID: `AT${String(receipts).padStart(8, '0')}`,
    TransTime: '20260105101530',
    TransAmount: '500.00',
    BusinessShortCode: SHORT_CODE,
    BillRefNumber: '',
    ...change,
  };
}

let accounts = 0;

async function newVendor(): Promise<{ readonly vendor: VendorClient; readonly account: string }> {
  const vendor = await running.addVendor();
  accounts += 1;
  const account = `W${accounts}`;
  await addAccount(deps, { sourceCode: SOURCE, account, vid: vendor.vid, by: 'Asha' });
  return { vendor, account };
}

let fundings = 1_767_603_600;

/** What was collected since the last call. */
async function collected(vendor: VendorClient): Promise<number> {
  fundings += 1;
  const answer = await vendor.call('fund', { currency: 'KES', time: String(fundings) });
  return (answer.body.msg as { amount: number }).amount;
}

async function stateOf(receipt: string): Promise<string> {
  return (await requireReceipt(running.service.pool, { receipt })).state;
}

async function countCases(receipt: string): Promise<number> {
  const found = await running.service.pool.query(
    `select from cases where facts ->> 'receipt' = $1`,
    [receipt],
  );
  return found.rowCount ?? 0;
}

async function countReceipts(): Promise<number> {
  return (await running.service.pool.query('select from receipts')).rowCount ?? 0;
}

async function isKept(body: Buffer): Promise<boolean> {
  const found = await running.service.pool.query(
    `select from unread_messages where body = $1 and state = 'open'`,
    [body],
  );
  return found.rowCount === 1;
}

/** One pull that lists these payments. */
async function pull(payments: readonly ReportedPayment[]): Promise<number> {
  const listing = async ({ offset }: { readonly offset: number }) =>
    offset === 0 ? { payments, unreadable: [] } : { payments: [], unreadable: [] };
  const fake = { ...source, provider: { ...source.provider, pull: listing } };
  const { signal } = new AbortController();
  return await pullSource(deps, fake, { now: new Date(), pulledUntil: null, signal });
}

function listed(change: Partial<ReportedPayment> & { readonly receipt: string }): ReportedPayment {
  const paidAt = new Date('2026-01-05T10:15:30+03:00');
  return { amountCents: 50_000n, paidAt, account: null, payer: null, isReversal: false, ...change };
}

describe('the address', () => {
  test.each([
    ALLOWED,
    '196.201.212.7',
    `::ffff:${ALLOWED}`,
    '::ffff:c4c9:d6c8',
    '2001:db8:1::7',
    // The client's own entries come first; the last one is what the proxy saw.
    `203.0.113.9, ${ALLOWED}`,
    // Some proxies report the port as well.
    `${ALLOWED}:443`,
    `203.0.113.9:5000, ${ALLOWED}:65535, 127.0.0.1:8000`,
    '[2001:db8:1::7]:443',
    '[2001:db8:1::7]',
  ])('%s may report', async (from) => {
    expect((await post(confirmation(), { from })).status).toBe(200);
  });

  test.each([
    '196.201.214.201',
    '196.201.213.7',
    '::ffff:203.0.113.9',
    '2001:db8:2::7',
    `${ALLOWED}, 203.0.113.9`,
    `${ALLOWED}:443, 203.0.113.9:443`,
    `[${ALLOWED}]:443`,
    `${ALLOWED}:`,
    '[2001:db8:2::7]:443',
    '127.0.0.1',
    '0',
    'localhost',
    '',
  ])('“%s” may not', async (from) => {
    const content = confirmation();
    expect(await post(content, { from })).toEqual({ status: 401, text: '{"status":"refused"}' });
    await expect(stateOf(content.TransID)).rejects.toThrow('no receipt');
  });

  test('the address is the connection’s own where no proxy is trusted, whatever the headers say', async () => {
    const headers = {
      forwarded: `for=${ALLOWED}`,
      'x-real-ip': ALLOWED,
      'true-client-ip': ALLOWED,
    };
    const content = confirmation();
    expect((await post(content, { at: direct.origin, headers })).status).toBe(401);
    expect((await post(content, { from: '', headers })).status).toBe(401);
  });
});

test('nothing is reported at the URL of another source, of another kind, or a changed one', async () => {
  const { confirmation: url, validation } = source.provider.urls;
  const other = await open(OTHER_SOURCE);
  await other.provider.close();
  const foreign = new URL(other.provider.urls.confirmation).pathname.split(OTHER_SOURCE)[1];
  for (const wrong of [
    validation.replace('/validate/', '/confirm/'),
    `${url}0`,
    `${url}/`,
    url.toUpperCase(),
    url.replace(/[0-9a-f]{32}$/, ''),
    url.replace(/[0-9a-f]{32}$/, '0'.repeat(32)),
    `http://localhost/receipts/${SOURCE}${foreign}`,
    url.replace(SOURCE, '__proto__'),
    url.replace(SOURCE, '%2e%2e'),
  ]) {
    expect([401, 404], wrong).toContain((await post(confirmation(), { url: wrong })).status);
  }
});

test('a URL that was registered with an empty part reports, through a proxy that merges slashes too', async () => {
  const { vendor, account } = await newVendor();
  const { confirmation: url } = source.provider.urls;
  expect(new URL(url).pathname).not.toContain('//');
  await post(confirmation({ BillRefNumber: account }));
  const former = url.replace('/confirm/', '/confirm//');
  await post(confirmation({ BillRefNumber: account }), { url: former });
  expect(await collected(vendor)).toBe(1_000);
});

test('100 equal confirmations at once at two processes credit once', async () => {
  const { vendor, account } = await newVendor();
  const content = confirmation({ BillRefNumber: account });
  const answers = await Promise.all(
    Array.from({ length: 100 }, async (_, index) =>
      post(content, { at: index % 2 === 0 ? running.origin : second.origin }),
    ),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await collected(vendor)).toBe(500);
});

test('100 different confirmations of one receipt at once credit one of them, and open one case', async () => {
  const { vendor, account } = await newVendor();
  const content = confirmation({ BillRefNumber: account });
  await Promise.all(
    Array.from({ length: 100 }, async (_, index) =>
      post(
        { ...content, TransAmount: String(500 + index) },
        { at: index % 2 === 0 ? running.origin : second.origin },
      ),
    ),
  );
  const credited = await collected(vendor);
  expect(credited).toBeGreaterThanOrEqual(500);
  expect(credited).toBeLessThan(600);
  expect(await countCases(content.TransID)).toBe(1);
});

test('the same receipt at another short code of ours is the same receipt', async () => {
  const { vendor, account } = await newVendor();
  const stranger = await running.addVendor();
  // At that source, the account number belongs to another vendor.
  await addAccount(deps, { sourceCode: OTHER_SOURCE, account, vid: stranger.vid, by: 'Asha' });
  const other = await open(OTHER_SOURCE);
  await other.provider.close();
  const content = confirmation({ BillRefNumber: account });
  await post(content);
  const again = { ...content, BusinessShortCode: OTHER_SHORT_CODE };
  expect((await post(again, { url: other.provider.urls.confirmation })).status).toBe(200);
  expect(await collected(vendor)).toBe(500);
  expect(await collected(stranger)).toBe(0);
  // A short code that is not that of the URL: it is kept for people.
  expect((await post({ ...again, TransID: 'ATWRONG001' })).status).toBe(200);
  await expect(stateOf('ATWRONG001')).rejects.toThrow('no receipt');
});

test.each([
  ['"TransAmount":"5000"', 'amount'],
  ['"BillRefNumber":"OTHER"', 'account'],
  ['"FirstName":"A","FirstName":"B"', 'name that decides nothing'],
])(
  'a confirmation with a repeated name (%s) credits nothing and waits for people',
  async (member) => {
    const { vendor, account } = await newVendor();
    const content = confirmation({ BillRefNumber: account });
    const text = JSON.stringify(content).replace('{', `{${member},`);
    for (const body of [text, text, `${JSON.stringify(content).slice(0, -1)},${member}}`]) {
      expect(await post(body)).toMatchObject({ status: 200 });
    }
    expect(await collected(vendor)).toBe(0);
    expect(await stateOf(content.TransID)).toBe('unconfirmed');
    expect(await countCases(content.TransID)).toBe(1);
    // Another confirmation of the amount that was kept does not end that.
    const { TransAmount } = JSON.parse(text) as { TransAmount: string };
    await post({ ...content, TransAmount });
    expect(await collected(vendor)).toBe(0);
    const validated = await post(text, { url: source.provider.urls.validation });
    expect(JSON.parse(validated.text)).toMatchObject({ ResultCode: 'C2B00016' });
  },
);

test('pulls with the same amount credit a receipt whose confirmation had a repeated name', async () => {
  const { vendor, account } = await newVendor();
  const content = confirmation({ BillRefNumber: account });
  await post(JSON.stringify(content).replace('{', '{"TransAmount":"5000",'));
  await pull([listed({ receipt: content.TransID, account })]);
  expect(await collected(vendor)).toBe(500);
});

test('replays after months credit nothing, with their own time or a new one', async () => {
  const { vendor, account } = await newVendor();
  const content = confirmation({ BillRefNumber: account, TransTime: '20250105101530' });
  await post(content);
  expect(await collected(vendor)).toBe(500);
  await post(content);
  expect(await countCases(content.TransID)).toBe(0);
  await post({ ...content, TransTime: '20260105101530' });
  await post({ ...content, TransTime: '20260105101530' });
  expect(await collected(vendor)).toBe(0);
  expect(await countCases(content.TransID)).toBe(1);
});

test('a large amount is not credited by confirmations alone, in whatever order its account is reported', async () => {
  const { vendor, account } = await newVendor();
  const content = confirmation({ TransAmount: '60000' });
  await post(content);
  await post({ ...content, BillRefNumber: account });
  await post({ ...content, BillRefNumber: account });
  expect(await stateOf(content.TransID)).toBe('unmatched');
  expect(await collected(vendor)).toBe(0);
  await pull([listed({ receipt: content.TransID, amountCents: 6_000_000n, account })]);
  expect(await collected(vendor)).toBe(60_000);
});

test('a pull that does not list account numbers confirms a large amount', async () => {
  const { vendor, account } = await newVendor();
  const content = confirmation({ TransAmount: '60000', BillRefNumber: account });
  await post(content);
  expect(await stateOf(content.TransID)).toBe('unconfirmed');
  await pull([listed({ receipt: content.TransID, amountCents: 6_000_000n })]);
  expect(await collected(vendor)).toBe(60_000);
});

test('a reversal that comes before the payment keeps it from being credited', async () => {
  const { vendor, account } = await newVendor();
  const content = confirmation({ BillRefNumber: account });
  await post({ ...content, TransactionType: 'Pay Bill Reversal' });
  await post(content);
  await pull([listed({ receipt: content.TransID, account })]);
  expect(await stateOf(content.TransID)).toBe('unmatched');
  expect(await collected(vendor)).toBe(0);
  expect(await countCases(content.TransID)).toBe(1);
});

test('a pull takes a reversal that another page than its payment lists, and the pages after it', async () => {
  const { vendor, account } = await newVendor();
  const paid = listed({ receipt: 'ATPAGES001', account });
  const pages = [
    [paid],
    [{ ...paid, isReversal: true }],
    [listed({ receipt: 'ATPAGES002', account })],
  ];
  // The last page is repeated, as by a provider that knows no rows behind its end.
  const listing = async ({ offset }: { readonly offset: number }) => ({
    payments: pages[Math.min(offset, 2)] ?? [],
    unreadable: [],
  });
  const fake = { ...source, provider: { ...source.provider, pull: listing } };
  const { signal } = new AbortController();
  await pullSource(deps, fake, { now: new Date(), pulledUntil: null, signal });
  expect(await countCases('ATPAGES001')).toBe(1);
  expect(await collected(vendor)).toBe(1_000);
});

test('a payment from before its account number was given to another vendor waits for people', async () => {
  const { vendor, account } = await newVendor();
  const large = confirmation({ TransAmount: '60000', BillRefNumber: account });
  await post(large);
  const { vendor: other } = await newVendor();
  const change = { sourceCode: SOURCE, account, by: 'Asha' };
  await removeAccount(deps, change);
  await addAccount(deps, { ...change, vid: other.vid });
  // Its confirmation was lost, or a second channel had to list it.
  await pull([
    listed({ receipt: 'ATFORMER01', account }),
    listed({ receipt: large.TransID, amountCents: 6_000_000n, account }),
    // The customer may still answer a prompt of the first vendor.
    listed({ receipt: 'ATFORMER02', account, paidAt: new Date(Date.now() + 1_000) }),
    listed({ receipt: 'ATFORMER03', account, paidAt: new Date(Date.now() + 2 * 3_600_000) }),
  ]);
  expect(await stateOf('ATFORMER01')).toBe('unmatched');
  expect(await stateOf('ATFORMER02')).toBe('unmatched');
  expect(await stateOf(large.TransID)).toBe('unconfirmed');
  expect(await collected(vendor)).toBe(0);
  expect(await collected(other)).toBe(500);
});

test('a receipt that was reversed while it waited for the pull is not credited', async () => {
  const { vendor, account } = await newVendor();
  const content = confirmation({ TransAmount: '60000', BillRefNumber: account });
  await post(content);
  await post({ ...content, TransactionType: 'Pay Bill Reversal' });
  await pull([listed({ receipt: content.TransID, amountCents: 6_000_000n, account })]);
  expect(await stateOf(content.TransID)).toBe('unconfirmed');
  expect(await collected(vendor)).toBe(0);
});

test('a pull with a row that cannot be read, or a receipt that cannot be taken, credits the others', async () => {
  const { vendor, account } = await newVendor();
  const { pool } = running.service;
  // The state after a change by SQL.
  const changed = confirmation({ BillRefNumber: account });
  await post(changed);
  const change = `update receipts set state = $3, account = $2 where receipt = $1`;
  await pool.query(change, [changed.TransID, 'OTHER', 'claimed']);
  const payments = [
    listed({ receipt: changed.TransID, account: 'OTHER' }),
    listed({ receipt: 'ATGOOD0001', account }),
  ];
  const before = await findSource(pool, SOURCE);
  await expect(pull(payments)).rejects.toThrow('0 rows of the pull could not be kept, 1 could not');
  expect(await collected(vendor)).toBe(1_000);
  // The next pull starts from the same time.
  expect(await findSource(pool, SOURCE)).toEqual(before);
  await pool.query(change, [changed.TransID, account, 'credited']);
});

test('pulls with a time in the future credit the others and continue', async () => {
  const { vendor, account } = await newVendor();
  const far = new Date(Date.now() + 10 * 86_400_000);
  const early = listed({ receipt: 'ATFUTURE01', account, paidAt: far });
  await pull([early, listed({ receipt: 'ATGOOD0002', account })]);
  expect(await stateOf('ATFUTURE01')).toBe('misdated');
  expect(await collected(vendor)).toBe(500);
});

describe('the content', () => {
  const { stringify } = JSON;
  test.each([
    ['nothing', Buffer.alloc(0)],
    ['a text', Buffer.from('hello')],
    ['a list', Buffer.from('[]')],
    ['null', Buffer.from('null')],
    ['a form', Buffer.from('TransID=AT00000001&TransAmount=5')],
    ['JSON that is cut off', Buffer.from('{"TransID":"AT00')],
    ['invalid UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
    ['deep JSON', Buffer.from('{"a":'.repeat(10_000))],
  ])('%s is kept with its bytes, accepted, and credits nothing', async (_, content) => {
    const before = await countReceipts();
    expect((await post(content)).status).toBe(200);
    expect(await countReceipts()).toBe(before);
    expect(await isKept(content)).toBe(true);
  });

  test('a megabyte is refused', async () => {
    expect((await post(Buffer.alloc(1024 * 1024, ' '))).status).toBe(413);
  });

  test.each([
    ['a missing number', { TransID: undefined }],
    ['a number with other characters', { TransID: "x' or 1=1--" }],
    ['an object', { TransID: {} }],
    ['no amount', { TransAmount: '' }],
    ['zero', { TransAmount: '0.00' }],
    ['a negative amount', { TransAmount: '-5' }],
    ['an exponent', { TransAmount: '1e3' }],
    ['a number with an exponent', { TransAmount: 1e30 }],
    ['three decimals', { TransAmount: '1.005' }],
    ['misplaced commas', { TransAmount: '1,50,0.00' }],
    ['too many digits', { TransAmount: '1000000000000.00' }],
    ['a list of amounts', { TransAmount: ['500', '600'] }],
  ])('a confirmation with %s is kept with its bytes, and credits nothing', async (_, change) => {
    const before = await countReceipts();
    const content = Buffer.from(stringify(confirmation(change)));
    expect((await post(content)).status).toBe(200);
    expect(await countReceipts()).toBe(before);
    expect(await isKept(content)).toBe(true);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'text/html; charset=utf-16'])(
    'JSON sent as “%s” is read all the same',
    async (type) => {
      const content = Buffer.from(stringify(confirmation()));
      expect((await post(content, { headers: { 'content-type': type } })).status).toBe(200);
    },
  );

  test('numbers instead of texts, lower case, unknown fields and empty ones are read', async () => {
    const { vendor, account } = await newVendor();
    const content = confirmation({
      ...{ TransAmount: 500, TransTime: 20_260_105_101_530, BusinessShortCode: Number(SHORT_CODE) },
      ...{ TransID: 'atlower001', BillRefNumber: ` ${account.toLowerCase()}- `, MSISDN: null },
      ...{ FirstName: 'Ann\u202e\u0000', __proto__: { a: 1 }, Extra: [[]] },
    });
    expect((await post(content)).status).toBe(200);
    expect(await collected(vendor)).toBe(500);
    const { payer } = await requireReceipt(running.service.pool, { receipt: 'ATLOWER001' });
    expect(payer).toBe('Ann');
  });

  test('the customer’s text is stored, even if it cannot be an account number', async () => {
    for (const [written, account] of [
      ['SHOP@5', 'SHOP@5'],
      ['the long name of a shop in town', 'the long name of a shop in town'],
      ['', null],
    ]) {
      const content = confirmation({ BillRefNumber: written });
      await post(content);
      const kept = await requireReceipt(running.service.pool, { receipt: content.TransID });
      expect(kept).toMatchObject({ state: 'unmatched', account });
    }
  });
});

describe('validation', () => {
  const ask = async (change: Readonly<Record<string, unknown>>, at = running.origin) =>
    await post(confirmation(change), { at, url: source.provider.urls.validation });
  const code = (text: string): unknown => (JSON.parse(text) as { ResultCode: unknown }).ResultCode;

  test('answers each reason with its code, and keeps nothing', async () => {
    const { account } = await newVendor();
    const BillRefNumber = account;
    expect(code((await ask({ BillRefNumber })).text)).toBe('0');
    expect(code((await ask({ BillRefNumber: '' })).text)).toBe('C2B00012');
    expect(code((await ask({ BillRefNumber: 'SHOP@5' })).text)).toBe('C2B00012');
    for (const TransAmount of ['9.99', '70000.01']) {
      expect(code((await ask({ BillRefNumber, TransAmount })).text)).toBe('C2B00013');
    }
    const content = confirmation({ BillRefNumber });
    await post(content, { url: source.provider.urls.validation });
    await expect(stateOf(content.TransID)).rejects.toThrow('no receipt');
  });

  test('without a database neither accepts nor declines, and confirmation is not acknowledged', async () => {
    const { vendor, account } = await newVendor();
    const at = second.origin;
    const content = confirmation({ BillRefNumber: account });
    network.goDown();
    try {
      for (const answer of [
        await ask({ BillRefNumber: account }, at),
        await post(content, { at }),
      ]) {
        expect(answer.status).toBe(503);
        expect(answer.text).not.toContain('ResultCode');
      }
    } finally {
      network.comeBack();
    }
    expect(await collected(vendor)).toBe(0);
    expect((await post(content, { at })).status).toBe(200);
    expect(await collected(vendor)).toBe(500);
  });
});

test('callbacks of a prompt credit nothing, forged or not, once or often', async () => {
  const { vendor, account } = await newVendor();
  const keys = await openKeys(running.service.pool, ['source'], running.sealing.masterKeys);
  const secrets = keys.filter(({ holder }) => holder === keyHolders(SOURCE).paths);
  const paths = createSecretPaths(SOURCE, secrets);
  const path = paths.make({ kind: 'push', reference: '', attemptNumber: 0 });
  const url = `http://localhost/receipts/${SOURCE}/${path}`;
  const content = confirmation({ BillRefNumber: account });
  const Item = [
    { Name: 'Amount', Value: 500 },
    { Name: 'MpesaReceiptNumber', Value: content.TransID },
  ];
  const said = { ResultCode: 0, ResultDesc: 'Success', CallbackMetadata: { Item } };
  const stkCallback = { MerchantRequestID: '1-1', CheckoutRequestID: 'ws_CO_1', ...said };
  for (const body of [{ Body: { stkCallback } }, { Body: { stkCallback } }, content, {}, 'x']) {
    expect((await post(body, { url })).status).toBe(200);
  }
  // On the URL of confirmations it is kept for people.
  expect((await post({ Body: { stkCallback } })).status).toBe(200);
  await expect(stateOf(content.TransID)).rejects.toThrow('no receipt');
  expect(await collected(vendor)).toBe(0);
});

test('the ledger is consistent afterwards', async () => {
  const report = await checkLedger(running.service.pool, { mac: deps.ledgerMac });
  expect(report.violations).toEqual([]);
});
