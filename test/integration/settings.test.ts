import { afterAll, beforeAll, expect, test } from 'vitest';
import { stopWebhook } from '../../src/payments/events/administer.ts';
import { setOperator } from '../../src/payments/billers/administer.ts';
import { setFeePrice } from '../../src/payments/billers/administer-prices.ts';
import { setRoute } from '../../src/payments/billers/administer-routes.ts';
import { addAccount, setSource } from '../../src/payments/receipts/administer.ts';
import { SUMMARY_TERMS } from '../../src/payments/settings/accounting.ts';
import { BILLER, changeJson, ROUTE } from '../../src/payments/settings/billers.ts';
import { COLLECTOR_KEY, collectorSealed } from '../../src/payments/settings/collectors.ts';
import { settingsJson } from '../../src/payments/settings/fields.ts';
import { INVOICE_NAME } from '../../src/payments/settings/invoicing.ts';
import { FAMILIES } from '../../src/payments/settings/kinds.ts';
import { SOURCE, SOURCE_KEY, sourceSealed } from '../../src/payments/settings/money-in.ts';
import { movedJson, MOVED_VENDORS, USED_REFERENCES } from '../../src/payments/settings/moving.ts';
import {
  OPERATOR as OPERATOR_SETTING,
  OPERATOR_KEY,
  operatorChangeJson,
  requireUsableWith,
  sealedFor,
} from '../../src/payments/settings/operators.ts';
import { FEE, OPERATOR_PRICE, termsJson } from '../../src/payments/settings/prices.ts';
import { proposeSetting } from '../../src/payments/settings/propose.ts';
import type { SettingChange } from '../../src/payments/settings/propose.ts';
import { sealSecret } from '../../src/payments/settings/sealed.ts';
import {
  PAYOUT_PHONE,
  ruleJson,
  TOP_UP,
  VENDOR,
  WEBHOOK,
} from '../../src/payments/settings/vendors.ts';
import type { TopUpRule } from '../../src/payments/vendor-floats/rule.ts';
import { formatMoney } from '../../src/platform/base/money.ts';
import type { Actor } from '../../src/proposals/kind.ts';
import type { Proposals } from '../../src/proposals/proposals.ts';
import { flatFormula } from '../support/fee-prices.ts';
import { COLLECTOR, openBooks, OPERATOR } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { BILLER as WATER } from '../support/new-transaction.ts';
import { approveSeen } from '../support/payouts.ts';
import { SEALING } from '../support/production-pair.ts';
import { quietProposals } from '../support/quiet-proposals.ts';
import { addStaff } from '../support/staff.ts';

// Every setting that has no case of its own in `proposals/setting-cases.ts`: nothing changes before the approval, and
// the approval does what was shown.

const { masterKeys } = SEALING;
const SECRET = 'whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlYw==';
const PROVIDER = JSON.stringify({ consumer_key: 'a-key', consumer_secret: 'a-secret' });
const PHONE = '254722000000';

let books: Books;
let proposals: Proposals;
let asha: Actor;
let baraka: Actor;
let shop: { vendorId: number; vid: string };
beforeAll(async () => {
  books = await openBooks();
  proposals = quietProposals(books);
  const add = async (login: string) =>
    await addStaff(books, { login, name: `${login} M.`, role: 'administrator' });
  [asha, baraka] = [await add('asha'), await add('baraka')];
  const vendorId = await books.addVendor();
  shop = { vendorId, vid: `vendor-${vendorId}` };
  const real = { connector: 'http-json', baseUrl: 'https://pay.example.com', settings: {} };
  await setOperator(books.pool, OPERATOR, real, async () => {});
  await setOperator(books.pool, 'second', { ...real, name: 'Second' }, async () => {});
  await setSource(books.pool, 'paybill', {
    ...{ name: 'Pay bill', kind: 'daraja', collector: COLLECTOR },
    settings: { base_url: 'http://127.0.0.1:9', short_code: '600100' },
  });
  await addAccount(books, { sourceCode: 'paybill', account: 'V1', vid: shop.vid, by: 'Chege' });
});
afterAll(async () => await books.close());

const rate = (flatCents: bigint) => ({ flatCents, bps: 0 });
const secretFor = (secret: string, of: string) => sealSecret(secret, of, masterKeys);

/** By name, in this order: the change, and the lines after the first one. */
const CHANGES: readonly (readonly [
  name: string,
  change: () => SettingChange,
  shown: readonly (readonly [label: string, text: RegExp])[],
])[] = [
  [
    'what an operator charges',
    () => ({
      ...{ setting: OPERATOR_PRICE, key: { billerCode: WATER, operatorCode: 'second' } },
      change: {
        ...termsJson({ cost: rate(150n), commission: rate(0n), commissionNetted: true }),
        validFrom: null,
      },
    }),
    [['Price', /^none → cost 1\.50$/]],
  ],
  [
    'the operator of a biller',
    () => ({
      ...{ setting: BILLER, key: { billerCode: WATER } },
      change: changeJson({ operatorCode: 'second', maximumCents: 1_000_000n }),
    }),
    [
      ['Operator', /^kplc → second$/],
      ['Routes', /^kplc at position 0 with weight 1 → second at position 0 with weight 1$/],
      ['Maximum', /^none → 10000\.00$/],
    ],
  ],
  [
    'a route',
    () => ({
      ...{ setting: ROUTE, key: { billerCode: WATER, operatorCode: OPERATOR } },
      change: { terms: changeJson({ position: 9, dailyLimitCents: 500n }) },
    }),
    [
      ['Position', /^9$/],
      ['Weight', /^1$/],
      ['Limit of a day', /^5\.00$/],
      ['Status', /^ONLINE$/],
    ],
  ],
  [
    'a route that is removed',
    () => ({
      ...{ setting: ROUTE, key: { billerCode: WATER, operatorCode: OPERATOR } },
      change: { terms: null },
    }),
    [
      ['Position', /→ none$/],
      ['Weight', /→ none$/],
      ['Limit of a day', /→ none$/],
      ['Status', /→ none$/],
    ],
  ],
  [
    'the key of an operator',
    () => ({
      ...{ setting: OPERATOR_KEY, key: { operatorCode: 'second' } },
      change: {
        secret: secretFor(SECRET, sealedFor('second')),
        ...{ overlapSeconds: 60, sameAccount: true },
      },
    }),
    [
      ['Seconds for which the replaced one stays valid', /^60$/],
      ['Reaches the same merchant account', /^yes$/],
      ['Fingerprint', /^[0-9a-f]{12}$/],
      ['Former merchant accounts', /^0$/],
    ],
  ],
  [
    'the key of a collector',
    () => ({
      ...{ setting: COLLECTOR_KEY, key: { collector: COLLECTOR } },
      change: { secret: secretFor(SECRET, collectorSealed(COLLECTOR)), overlapSeconds: 0 },
    }),
    [
      ['Seconds for which the replaced one stays valid', /^0$/],
      ['Fingerprint', /^[0-9a-f]{12}$/],
    ],
  ],
  [
    'a source of receipts',
    () => ({
      ...{ setting: SOURCE, key: { sourceCode: 'paybill' } },
      change: settingsJson({ short_code: '600200' }),
    }),
    [['short_code', /^600100 → 600200$/]],
  ],
  [
    'the key of a source',
    () => ({
      ...{ setting: SOURCE_KEY, key: { sourceCode: 'paybill' } },
      change: { secret: secretFor(PROVIDER, sourceSealed('paybill')) },
    }),
    [['Fingerprint', /^[0-9a-f]{12}$/]],
  ],
  [
    'an automatic top-up from collected income',
    () => ({
      ...{ setting: TOP_UP, key: { ...shop, kind: 'fund' } },
      change: {
        rule: ruleJson({ kind: 'fund', thresholdCents: 500n, pauseSeconds: 60 }, shop.vid, {
          masterKeys,
        }),
      },
    }),
    [
      ['Below', /^5\.00$/],
      ['Pause in seconds', /^60$/],
    ],
  ],
  [
    'an automatic top-up by a prompt',
    () => ({
      ...{ setting: TOP_UP, key: { ...shop, kind: 'push' } },
      change: { rule: ruleJson(PUSH, shop.vid, { masterKeys }) },
    }),
    [
      ['Below', /^5\.00$/],
      ['Pause in seconds', /^3600$/],
      ['Target', /^20\.00$/],
      ['At most at once', /^10\.00$/],
      ['Limit of a day', /^10\.00$/],
      ['Source', /^paybill$/],
      ['Phone number', /^…000, fingerprint [0-9a-f]{12}$/],
    ],
  ],
  [
    'what protects a vendor from paying twice',
    () => ({
      ...{ setting: VENDOR, key: shop },
      change: { duplicateCheck: 'off', name: 'The Shop' },
    }),
    [
      ['Name', / → The Shop$/],
      ['Duplicate check', /^without_reference → off$/],
    ],
  ],
  [
    'where a vendor’s events go',
    () => ({
      ...{ setting: WEBHOOK, key: shop },
      change: { url: 'https://shop.example/hook', allowsPrivate: false },
    }),
    [
      ['Address', /^https:\/\/shop\.example\/hook$/],
      ['Private networks', /^not allowed$/],
    ],
  ],
  [
    'where a vendor’s payouts to a phone go',
    () => ({ setting: PAYOUT_PHONE, key: shop, change: { phone: '254733000001' } }),
    [['Phone number', /^254733000001$/]],
  ],
  [
    'how journals for the accounting software are summed',
    () => ({
      ...{ setting: SUMMARY_TERMS, key: {} },
      change: { per: 'day', startsAt: '2026-01-01T00:00:00.000Z' },
    }),
    [
      ['One journal for each', /^day$/],
      ['Summed by', /^account$/],
      ['Postings since', /^2026-01-01T/],
    ],
  ],
  [
    'how invoices name a vendor',
    () => ({
      ...{ setting: INVOICE_NAME, key: shop },
      change: { legalName: 'Shop Ltd', pin: 'P051234567X', address: 'Nairobi' },
    }),
    [
      ['Legal name', /^Shop Ltd$/],
      ['PIN', /^P051234567X$/],
      ['Address', /^Nairobi$/],
    ],
  ],
  [
    'who comes from another system, with which key and money',
    () => ({
      ...{ setting: MOVED_VENDORS, key: { vids: ['moved'] } },
      change: {
        valuedAt: '2026-01-05T00:00:00.000Z',
        vendors: [
          movedJson(
            {
              ...{
                vid: 'moved',
                name: 'Moved',
                sector: 'retail',
                key: 'a key of the other system',
              },
              ...{ collectedCents: 100n, floatCents: 200n },
              ...{ hasReferences: true, referenceRequired: true },
            },
            { masterKeys },
          ),
        ],
      },
    }),
    [
      ['Date of the balances', /^2026-01-05T/],
      ['Collected in all', /^1\.00$/],
      ['Float in all', /^2\.00$/],
      [
        'moved',
        /^"Moved" · retail · key [0-9a-f]{12} · collected 1\.00 · float 2\.00 · with references used before · references required$/,
      ],
    ],
  ],
  [
    'which file of used references may be imported',
    () => ({
      ...{ setting: USED_REFERENCES, key: { sha256: 'ab'.repeat(32) } },
      change: { vendors: [{ ...shop, references: 3 }], isLast: true },
    }),
    [
      ['vendor-1', /^3 references$/],
      ['With this file', /^all are here$/],
      ['File', /^may be imported$/],
    ],
  ],
];

/** Settings with a case of their own, in `proposals/setting-cases.ts` or `staff/new-vendors.test.ts`. */
const ELSEWHERE = [
  ...['fee', 'operator', 'account', 'account_codes', 'collector', 'company', 'new_vendor'],
];

test('every setting that two people decide is tried', () => {
  const tried = new Set([...CHANGES.map(([, make]) => make().setting.name), ...ELSEWHERE]);
  const all = FAMILIES.flatMap(({ settings }) => settings.map(({ name }) => name));
  expect([...tried].toSorted()).toEqual(all.toSorted());
});

/** As they are written, and as they are read. */
const LOOK_ALIKES = [
  // A Cyrillic letter.
  ['https://p\u{430}y.example.com', 'https://xn--py-7kc.example.com'],
  // A space of no width, and a character that turns the text around.
  ['https://pay.example.com/\u{200b}v1', 'https://pay.example.com/%E2%80%8Bv1'],
  ['https://pay.example.com/\u{202e}v1', 'https://pay.example.com/%E2%80%AEv1'],
  ['https://pay.ex\tample.com', 'https://pay.example.com'],
  ['https://3405803781/v1', 'https://203.0.113.5/v1'],
  ['https://PAY.example.com:443', 'https://pay.example.com'],
] as const;

const PUSH: TopUpRule = {
  ...{ kind: 'push', thresholdCents: 500n, pauseSeconds: 3_600, targetCents: 2_000n },
  ...{ maximumCents: 1_000n, dailyCents: 1_000n, sourceCode: 'paybill', phone: PHONE },
};

test.each(CHANGES)('%s changes once another person has approved it', async (_name, make, shown) => {
  const { setting, key, change } = make();
  const tools = { ledgerMac: books.ledgerMac, masterKeys };
  const now = async () => await setting.read(books.pool, key, tools);
  const before = await now();
  const deps = { pool: books.pool, proposals, ...tools };
  const asked = { setting, key, change, by: asha, note: 'as agreed' };
  const { row } = await proposeSetting(deps, asked);
  expect(row.decision).toBeNull();
  const { lines, problem } = await proposals.preview(row.proposalId);
  expect(problem).toBeNull();
  const texts = lines.slice(1).map(({ label, text, cents }) => ({
    ...{ label, text: cents === undefined ? text : formatMoney(BigInt(cents)) },
  }));
  expect(texts).toEqual(
    shown.map(([label, text]) => ({ label, text: expect.stringMatching(text) as string })),
  );
  // A preview changes nothing.
  expect(await now()).toEqual(before);
  await approveSeen(books, row.proposalId, baraka);
  expect(await now()).not.toEqual(before);
});

/** What an approval would do, after the first line, and what is remarked. */
async function previewOf(asked: SettingChange) {
  const deps = { pool: books.pool, proposals, ledgerMac: books.ledgerMac, masterKeys };
  const { row } = await proposeSetting(deps, { ...asked, by: asha, note: 'as agreed' });
  const { lines, remarks, problem } = await proposals.preview(row.proposalId);
  await proposals.withdraw({ proposalId: row.proposalId, by: asha });
  return { lines: lines.slice(1), remarks, problem };
}

test('another phone is shown as another one, also if it has the same last digits', async () => {
  const key = { ...shop, kind: 'push' };
  const withPhone = (phone: string) => ({
    ...{ setting: TOP_UP, key },
    change: { rule: ruleJson({ ...PUSH, phone }, shop.vid, { masterKeys }) },
  });
  expect((await previewOf(withPhone(PHONE))).lines).toEqual([]);
  const { lines } = await previewOf(withPhone('254799999000'));
  const [, was, is] = /^…000, fingerprint (\w+) → …000, fingerprint (\w+)$/.exec(
    lines[0]?.text ?? '',
  ) ?? ['', 'it does', 'not match'];
  expect([lines.length, was === is]).toEqual([1, false]);
});

test('an address is proposed only as it is read: no other letters, and nothing that is not seen', async () => {
  const operator = (baseUrl: string): SettingChange => ({
    ...{ setting: OPERATOR_SETTING, key: { operatorCode: 'second' } },
    change: operatorChangeJson({ baseUrl, settings: {} }),
  });
  const source = (baseUrl: string): SettingChange => ({
    ...{ setting: SOURCE, key: { sourceCode: 'paybill' } },
    change: settingsJson({ base_url: baseUrl }),
  });
  for (const [address, isRead] of LOOK_ALIKES) {
    for (const asked of [operator(address), source(address)]) {
      await expect(previewOf(asked)).rejects.toThrow(`write it as ${isRead}`);
    }
  }
  const { problem } = await previewOf(operator('https://pay.example.com/v2/'));
  expect(problem).toBeNull();
});

test('a new operator of a biller is shown with the routes that stay', async () => {
  const key = { billerCode: WATER, operatorCode: 'second' };
  await setRoute(books.pool, key, { maximumCents: 100n, dailyLimitCents: 500n });
  const change = changeJson({ operatorCode: OPERATOR });
  const { lines } = await previewOf({ setting: BILLER, key: { billerCode: WATER }, change });
  const second = 'second at position 0 with weight 1, up to 1.00, at most 5.00 a day';
  expect(lines).toEqual([
    { label: 'Operator', text: `second → ${OPERATOR}` },
    { label: 'Routes', text: `${second} → ${OPERATOR} at position 0 with weight 1; ${second}` },
  ]);
});

test('the end of a vendor’s own fee is shown with the fee that the vendor then pays', async () => {
  const begin = { validFrom: null, setBy: 'Chege' };
  const { vendorId } = shop;
  await setFeePrice(books.pool, { billerCode: WATER, vendorId: null }, flatFormula(5_000n), begin);
  await setFeePrice(books.pool, { billerCode: WATER, vendorId }, flatFormula(1_000n), begin);
  const own = { setting: FEE, key: { billerCode: WATER, vendor: shop } };
  const { lines } = await previewOf({ ...own, change: { formula: null, validFrom: null } });
  expect(lines).toEqual([{ label: 'Price', text: '10.00 → that of every vendor (50.00)' }]);
});

test('what an operator charges is shown with the payments for which it counts', async () => {
  const terms = { cost: rate(10n), commission: rate(0n), commissionNetted: true };
  const { remarks } = await previewOf({
    ...{ setting: OPERATOR_PRICE, key: { billerCode: WATER, operatorCode: OPERATOR } },
    change: { ...termsJson(terms), validFrom: null },
  });
  const text = 'keep the price of that time; others get the new one';
  expect(remarks).toEqual([{ label: 'Payments that were sent', text }]);
});

test('a webhook that was stopped is set with the remark that it is called again', async () => {
  await stopWebhook(books.pool, shop, { isStaff: false });
  const url = 'https://shop.example/hook';
  const asked = { setting: WEBHOOK, key: shop, change: { url, allowsPrivate: false } };
  expect((await previewOf(asked)).remarks).toEqual([
    { label: 'Stopped at present', text: 'events are sent again from the approval on' },
  ]);
});

test('a proposal has neither secrets nor phone numbers in plain text', async () => {
  const stored = JSON.stringify((await books.pool.query('select * from proposals')).rows);
  for (const secret of [SECRET, PHONE, 'a-secret']) expect(stored).not.toContain(secret);
});

test('a secret that was encrypted for another holder, or under another master key, is refused', async () => {
  const deps = { pool: books.pool, proposals, ledgerMac: books.ledgerMac, masterKeys };
  const by = { by: asha, note: 'a mistake' };
  const key = { operatorCode: 'second' };
  const terms = { overlapSeconds: 0, sameAccount: false };
  const elsewhere = { secret: secretFor(SECRET, sealedFor(OPERATOR)), ...terms };
  const asked = { setting: OPERATOR_KEY, key, ...by };
  await expect(proposeSetting(deps, { ...asked, change: elsewhere })).rejects.toThrow();
  const other = { current: Buffer.alloc(32, 'x'), previous: undefined };
  const under = { secret: sealSecret(SECRET, sealedFor('second'), other), ...terms };
  const refused = proposeSetting(deps, { ...asked, change: under });
  await expect(refused).rejects.toThrow('was encrypted under master key');
  await expect(requireUsableWith(books.pool, 'none', SECRET)).rejects.toThrow('does not exist');
});

test('two changes of one setting at the same time are both proposed, or both made', async () => {
  const deps = { pool: books.pool, proposals, ledgerMac: books.ledgerMac, masterKeys };
  const key = { billerCode: WATER };
  const rows = await Promise.all(
    ['A', 'B', 'C'].map(async (name) => {
      const asked = { setting: BILLER, key, change: changeJson({ name }), by: asha, note: 'x' };
      return (await proposeSetting(deps, asked)).row;
    }),
  );
  // A new proposal takes the place of the one before.
  expect(rows.map(({ decision }) => decision)).toEqual([null, null, null]);
  expect(await proposals.list({ open: true, kinds: ['operator_setting'], limit: 9 })).toHaveLength(
    1,
  );
});
