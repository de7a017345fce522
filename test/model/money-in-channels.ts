import { createWireTime } from '../../src/platform/base/clock.ts';
import { formatMoney } from '../../src/platform/base/money.ts';
import type { Random } from '../simulation/random.ts';
import { c2bBody } from '../support/daraja-books.ts';
import { SHORT_CODE } from '../support/money-in.ts';
import type { Paid } from './money-in-truth.ts';

// The messages and files of the four channels, whole and damaged.

export const wireTime = createWireTime('Africa/Nairobi');
const stampOf = (at: Date): string => wireTime.format(at).replaceAll(/\D/g, '');

export interface Confirmation {
  readonly of: Paid;
  readonly body: Buffer;
  /** It cannot be read: people have to complete it. */
  readonly isBroken: boolean;
  /** What it says is not what was paid, or people decide about it. */
  readonly isDoubtful: boolean;
}

/** Damage after which a confirmation still says what was paid. */
const HARMLESS = [
  (body: object) => Buffer.from(`\uFEFF${JSON.stringify(body)}`),
  (body: object) => withBrokenByte({ ...body, FirstName: 'Jos~' }),
  (body: object) => Buffer.from(JSON.stringify({ ...body, FirstName: undefined, Extra: [1, {}] })),
] as const;

export function drawConfirmation(random: Random, of: Paid): Confirmation {
  const amount = formatMoney(of.cents);
  const body = c2bBody({
    ...{ TransID: of.number, TransTime: stampOf(of.at), BillRefNumber: of.written },
    TransAmount: random.chance(0.2) ? amount.replace(/(\d)(\d{3})\./, '$1,$2.') : amount,
  });
  const whole = { of, body: Buffer.from(JSON.stringify(body)), isBroken: false, isDoubtful: false };
  const kind = random.next();
  if (kind < 0.55) return whole;
  if (kind < 0.65) return { ...whole, body: random.pick(HARMLESS)(body) };
  if (kind < 0.73) {
    const TransTime = random.pick(['', stampOf(of.at).slice(0, 12), '28/11/2026 10:15', null]);
    return { ...whole, body: Buffer.from(JSON.stringify({ ...body, TransTime })) };
  }
  if (kind < 0.78)
    return { ...whole, body: withBrokenByte({ ...body, BillRefNumber: 'V0~1' }), isDoubtful: true };
  if (kind < 0.83) {
    const text = JSON.stringify(body);
    const wrong = '"TransAmount":"1.00"';
    const twice = random.pick([text.replace('{', `{${wrong},`), text.replace(/\}$/, `,${wrong}}`)]);
    return { ...whole, body: Buffer.from(twice), isDoubtful: true };
  }
  return { ...whole, isBroken: true, body: broken(random, body) };
}

function broken(random: Random, body: object): Buffer {
  const text = JSON.stringify(body);
  return random.pick([
    () => Buffer.from(text.slice(0, random.whole(1, text.length - 1))),
    () => Buffer.from(JSON.stringify({ ...body, TransAmount: 'x' })),
    () => Buffer.from(JSON.stringify({ ...body, BusinessShortCode: '' })),
    () => withBrokenByte({ ...body, TransID: 'UKR~' }),
  ])();
}

function withBrokenByte(body: object): Buffer {
  const bytes = Buffer.from(JSON.stringify(body));
  bytes[bytes.indexOf('~')] = 0xe9;
  return bytes;
}

/** An answer of the pull: rows may be missing, repeated, in any order, or damaged. */
export function drawPull(random: Random, month: readonly Paid[]) {
  const listed = month.filter((paid) => paid.kind === 'paybill' && random.chance(0.7));
  const rows = listed.flatMap((paid) => (random.chance(0.15) ? [paid, paid] : [paid]));
  const damaged = new Set<Paid>();
  const given = shuffled(random, rows).map((paid) => {
    const row = pulledRow(paid);
    if (random.chance(0.06)) return { ...row, trxDate: '' };
    if (!random.chance(0.08)) return row;
    damaged.add(paid);
    return random.pick([
      { ...row, amount: '' },
      { ...row, transactionId: null },
    ]);
  });
  // An organisation movement, which is no payment.
  const own = { ...pulledRow(month[0] ?? fail()), transactionId: 'UOWNMOVE01' };
  const all = [...given, { ...own, transactiontype: 'merchant-to-organization-settlement' }];
  const content = { ResponseCode: '1000', Response: [all] };
  return { listed, damaged, body: Buffer.from(JSON.stringify(content)) };
}

function pulledRow(paid: Paid) {
  return {
    ...{ transactionId: paid.number, trxDate: wireTime.format(paid.at), msisdn: '254700000001' },
    ...{ transactiontype: 'c2b-pay-bill-debit', billreference: paid.written },
    ...{ amount: formatMoney(paid.cents), organizationname: 'X' },
  };
}

function fail(): never {
  throw new Error('the month is empty');
}

export function shuffled<Item>(random: Random, items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, place: random.next() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ item }) => item);
}

export interface StatementFile {
  readonly source: 'paybill' | 'bank';
  readonly listed: readonly Paid[];
  /** Listed under the bank's number: M-PESA's is cut off. */
  readonly renumbered: ReadonlySet<Paid>;
  readonly content: Buffer;
}

const ORGANISATION_TITLES =
  'Receipt No.,Completion Time,Initiation Time,Details,Transaction Status,Paid In,Withdrawn,Balance,Balance Confirmed,Reason Type,Other Party Info,Linked Transaction ID,A/C No.';

const organisationTime = (at: Date): string =>
  wireTime.format(at).replace(/^(\d+)-(\d+)-(\d+)/, '$3-$2-$1');

/** The organisation statement of a pay bill, newest first, with rows that moved nothing and a settlement. */
export function organisationFile(
  random: Random,
  month: readonly Paid[],
  isWhole: boolean,
): StatementFile {
  const inOrder = month
    .filter(({ kind }) => kind === 'paybill')
    .toSorted((one, other) => Number(one.at) - Number(other.at));
  const [from, to] = isWhole
    ? [0, inOrder.length]
    : [random.whole(0, 3), inOrder.length - random.whole(0, 3)];
  const covered = inOrder.slice(from, Math.max(from, to));
  let balance = 10_000_000n;
  const rows: string[] = [];
  for (const paid of covered) {
    const time = organisationTime(paid.at);
    const amount = formatMoney(paid.cents);
    balance += paid.cents;
    const account = paid.written.trim();
    rows.push(
      `${paid.number},${time},${time},Pay Bill,Completed,${amount},,${formatMoney(balance)},true,Pay Bill Online,254722000001 - T,,${account}`,
    );
    if (random.chance(0.2)) {
      rows.push(
        `UFAIL${paid.number.slice(5)},${time},${time},Pay Bill,Failed,${amount},,,,Pay Bill Online,254722000001 - T,,${account}`,
      );
    }
    if (random.chance(0.2)) {
      balance -= 1_500n;
      rows.push(
        `UCHRG${paid.number.slice(5)},${time},${time},Charge,Completed,,-15.00,${formatMoney(balance)},true,Pay Bill Charge,,,`,
      );
    }
  }
  const newestFirst = rows.toReversed();
  // A row that is missing or damaged between others holds the whole file, because the balances do not lead over it.
  if (!isWhole && random.chance(0.3)) newestFirst.splice(random.whole(0, newestFirst.length), 1);
  if (!isWhole && random.chance(0.1)) {
    newestFirst[0] = (newestFirst[0] ?? '').replace(/,(\d+)\.(\d\d),/, ',$1.~$2,');
  }
  const listed = covered.filter(({ number }) => newestFirst.some((row) => row.startsWith(number)));
  const lines = [
    'Organization Name,EXAMPLE',
    `Short Code,${SHORT_CODE}`,
    '',
    ORGANISATION_TITLES,
    ...newestFirst,
  ];
  const text = `${lines.join('\n')}\n`;
  const content = random.chance(0.2) ? Buffer.from(`\uFEFF${text}`, 'utf16le') : Buffer.from(text);
  return { source: 'paybill', listed, renumbered: new Set(), content };
}

/** The bank's list: the pay bill's payments under M-PESA's number, or under its own if that is cut off, and deposits. */
export function bankFile(
  random: Random,
  month: readonly Paid[],
  cut: ReadonlySet<Paid>,
): StatementFile {
  const listed = month.filter((paid) => paid.kind === 'deposit' || random.chance(0.4));
  const rows = listed.map((paid) => {
    const [year, monthNumber, day] = wireTime.format(paid.at).slice(0, 10).split('-');
    const account = paid.written.replaceAll(/[\s-]/g, '').toUpperCase();
    const number = paid.kind === 'deposit' || cut.has(paid) ? '' : `MPESA ${paid.number} `;
    return `${day}/${monthNumber}/${year},"${number}ACC ${account} END",${paid.kind === 'deposit' ? paid.number : paid.bankNumber},${formatMoney(paid.cents)},`;
  });
  const text = ['Date,Narrative,Reference,Money In,Money Out', ...shuffled(random, rows), ''].join(
    '\n',
  );
  const renumbered = new Set(listed.filter((paid) => paid.kind === 'paybill' && cut.has(paid)));
  return { source: 'bank', listed, renumbered, content: Buffer.from(text) };
}

export const BANK_SETTINGS = {
  format: 'csv',
  columns: {
    ...{ time: 'Date', text: 'Narrative', reference: 'Reference' },
    ...{ credit: 'Money In', debit: 'Money Out' },
  },
  date_format: 'DD/MM/YYYY',
  account_pattern: 'ACC ([A-Z0-9]+) END',
  receipt_pattern: 'MPESA ([A-Z0-9]{10})',
};
