import { Readable } from 'node:stream';
import { Type } from 'typebox';
import type { Static, TProperties } from 'typebox';
import type { StatementHead, StatementLine } from '../payments/reports/statement.ts';
import type { StatementOf } from '../payments/reports/statement-accounts.ts';
import type { StatementPart } from '../payments/reports/statement-pages.ts';
import { Refusal } from '../platform/base/errors.ts';
import { DOCUMENT_FORMATS } from '../platform/documents/document.ts';
import { download, view } from './definition.ts';
import type { Noun } from './definition.ts';
import type { StaffDeps } from './deps.ts';
import * as fields from './fields.ts';
import { inputOf, money, orNull, paging, text, textOrNull, titled } from './fields.ts';
import { wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../payments/reports/statement-pages.ts')),
  ...(await import('../payments/reports/statement-table.ts')),
  ...(await import('../payments/reports/statement-document.ts')),
  ...(await import('../payments/reconciliation/settlement-report.ts')),
  ...(await import('../platform/base/clock.ts')),
  ...(await import('../platform/base/period.ts')),
  ...(await import('../platform/documents/rendered.ts')),
  ...(await import('../self-service/period.ts')),
  ...(await import('../parties/require-vendor.ts')),
});
type Core = Awaited<ReturnType<typeof core>>;

const when = { at: fields.time({ title: 'Time' }) };
const what = { movement: text({ title: 'Movement', description: 'such as paid' }) };
/** Who numbers something, and its number. */
const reference = (title: string, isWide = true) =>
  textOrNull({ title, ...(isWide && { wide: true }) });

/** @param isVendors a vendor’s people know a movement by their own reference, we by the operator’s. */
const lineOf = (isVendors: boolean) => ({
  ...what,
  /** Ours; of a correction, the payment’s. */
  reference: reference('Reference', false),
  merchant_reference: reference('Merchant reference', !isVendors),
  collector: reference('Collector'),
  collector_reference: reference('Collector reference'),
  operator: reference('Operator'),
  operator_reference: reference('Operator reference', isVendors),
  /** The bank’s transfer of a payout. */
  bank_reference: reference('Bank reference'),
  /** The case of a correction. */
  case: reference('Case'),
  debit_account: text({ title: 'From' }),
  credit_account: text({ title: 'To' }),
  amount: money({ title: 'Amount' }),
  /** Of the balance; `0.00`: the money only moved within it. */
  change: money({ title: 'Change', wide: true }),
  /** Names the line for pages and programs; people see the references. */
  id: text(),
  /** `reference` is a payment’s. */
  is_payment: Type.Boolean(),
  /** The operator’s statement that listed it. */
  statement: textOrNull(),
});

const balance = { balance: money({ title: 'Balance after' }) };
const float = { float: money({ title: 'Float after' }) };

/** @param accounts the title of their table. */
const statementOf = <Before extends TProperties, After extends TProperties>(
  isVendors: boolean,
  { before, after, accounts }: { before: Before; after: After; accounts: string },
) => {
  const edge = Type.Object({ ...when, ...what, ...balance, ...after });
  return Type.Object({
    /** Null: this is not the first page. */
    opening: orNull(edge),
    /** Oldest first. */
    lines: Type.Array(
      Type.Object({ ...when, ...before, ...lineOf(isVendors), ...balance, ...after }),
    ),
    /** On the first and the last page. */
    closing: orNull(edge),
    /** The number of lines of the whole statement. Null on every page but the first. */
    count: orNull(Type.Integer()),
    /** Null: this is not the first page. */
    head: orNull(
      Type.Object({
        from: fields.time({ title: 'From' }),
        to: fields.time({ title: 'To', description: 'not included' }),
        /** Before the end of the period: something may still be added to the rest of it. */
        ends_early: Type.Boolean({ title: 'Ends early' }),
        /** Credits less debits. */
        accounts: Type.Array(
          Type.Object({
            ...titled({ account: text, opening: money, closing: money }),
          }),
          { title: accounts },
        ),
        /** Their changes sum to closing less opening. */
        movements: Type.Array(
          Type.Object({
            ...titled({ movement: text, count: fields.count, change: money }),
          }),
          { title: 'Movements' },
        ),
      }),
      { title: 'Period' },
    ),
    next: fields.next,
  });
};

const ofVendor = statementOf(true, { before: {}, after: float, accounts: 'Accounts' });
const ofOperator = statementOf(false, {
  before: { vid: textOrNull({ title: 'Vendor' }) },
  after: {},
  accounts:
    'Accounts: credits less debits, so what is in our float is negative. The balance is our float: it grows by a debit.',
});

type OfVendor = Static<typeof ofVendor>;
type OfOperator = Static<typeof ofOperator>;
/** Of a vendor, or of our float with an operator. */
export type AccountStatement = OfVendor | OfOperator;
export type AccountStatementLine = OfVendor['lines'][number] | OfOperator['lines'][number];

const settlement = Type.Object({
  from: fields.time(),
  to: fields.time({ description: 'not included' }),
  lines: Type.Array(
    Type.Object({
      ...titled({ part: text, item: text }),
      count: orNull(Type.Integer(), { title: 'Number', unit: 'count' }),
      amount: fields.moneyOrNull({ title: 'Amount' }),
    }),
  ),
});
export type SettlementAnswer = Static<typeof settlement>;

const page = { ...fields.bookPeriod, ...paging(200) };
const TABLE = {
  rows: 'lines',
  first: 'opening',
  total: 'closing',
  empty: 'no transfers',
  isLong: true,
} as const;

export const ACCOUNT_STATEMENTS: Noun = {
  command: 'account-statement',
  summary:
    'What a vendor has with us, or our float with an operator, before and after a period, and the transfers in between.',
  definitions: [
    view(core, {
      ...TABLE,
      name: 'account-statement.vendor',
      summary: 'A vendor’s money with us: collected, in the float, reserved.',
      route: 'GET /vendors/:vid/account-statement',
      permission: 'statement.read',
      ownVendor: true,
      input: inputOf({
        vid: fields.vid(),
        ...page,
        with_costs: Type.Boolean({
          default: false,
          description: 'also what operators charge and give us; not for the vendor',
        }),
      }),
      output: ofVendor,
      handle: async ({ core: loaded, input, deps, viewer }) => {
        const { with_costs: withOwnTerms } = input;
        if (withOwnTerms && !viewer.permissions.has('finance.read')) {
          throw new Refusal('not_permitted', { field: 'with_costs' });
        }
        const { vendorId } = await loaded.requireVendor(deps.pool, input.vid);
        const of = { kind: 'vendor', vendorId, withOwnTerms } as const;
        const part = await readPart(loaded, of, input, deps);
        const lines = part.lines.map((line) => ({
          ...{ ...lineView(line, loaded), ...vendorsSums(line) },
        }));
        return { ...partOf(part, vendorsSums), lines };
      },
    }),
    view(core, {
      ...TABLE,
      name: 'account-statement.operator',
      summary: 'Our float with an operator: top-ups less what payments and charges took.',
      route: 'GET /operators/:operator/account-statement',
      permission: 'finance.read',
      input: inputOf({ operator: fields.code({ description: 'operator code' }), ...page }),
      output: ofOperator,
      handle: async ({ core: loaded, input, deps }) => {
        const { operator: operatorCode } = input;
        await requireOperator(operatorCode, deps);
        const part = await readPart(loaded, { kind: 'operator', operatorCode }, input, deps);
        const lines = part.lines.map((line) => ({
          ...{ ...lineView(line, loaded), ...operatorsSums(line) },
          vid: part.vids.get(line.vendorId ?? 0) ?? null,
        }));
        return { ...partOf(part, operatorsSums), lines };
      },
    }),
    view(core, {
      name: 'account-statement.settlement',
      summary:
        'The settlement with an operator over a period, to send to it: our float with payments, charges, commission and top-ups, commission to be paid, its statement beside our books, and what differs now.',
      route: 'GET /operators/:operator/settlement',
      permission: 'finance.read',
      isLong: true,
      input: inputOf({
        operator: fields.code({ description: 'operator code' }),
        ...fields.bookPeriod,
      }),
      output: settlement,
      rows: 'lines',
      empty: 'nothing',
      handle: async ({ core: loaded, input, deps }) => {
        await requireOperator(input.operator, deps);
        const asked = loaded.readBookPeriod(input, {
          ...{ wireTime: deps.wireTime, now: deps.clock.now() },
        });
        return wireOf(await loaded.reportSettlement(deps.pool, input.operator, asked));
      },
    }),
    download(core, {
      name: 'account-statement.document',
      summary:
        'A vendor’s statement of a month as a document, with one line for each payment and totals by kind.',
      route: 'GET /vendors/:vid/account-statement/document',
      permission: 'statement.read',
      ownVendor: true,
      input: inputOf({
        vid: fields.vid(),
        month: fields.month({ description: 'YYYY-MM' }),
        format: Type.Enum([...DOCUMENT_FORMATS], {
          default: 'pdf',
          description: 'form of the file',
        }),
      }),
      handle: async ({ core: loaded, input, deps }) => {
        const { pool, wireTime, clock } = deps;
        const vendor = await loaded.requireVendor(pool, input.vid);
        const month = loaded.periodOfMonth(input.month, wireTime);
        if (month === undefined) throw new Refusal('invalid_field', { field: 'month' });
        const made = { wireTime, madeAt: clock.now() };
        const document = await loaded.statementDocument(pool, vendor, month, made);
        const { type, ending, content } = await loaded.rendered(document, input.format);
        const name = `statement-${input.vid}-${input.month}.${ending}`;
        return { name, type, body: Readable.from([content]) };
      },
    }),
  ],
};

type Sums = StatementPart['after'];

const vendorsSums = ({ balanceCents, floatCents }: Sums) => wireOf({ balanceCents, floatCents });
const operatorsSums = ({ balanceCents }: Sums) => wireOf({ balanceCents });

/** Throws: `not_found`. */
async function requireOperator(code: string, { catalogue }: StaffDeps): Promise<void> {
  const known = (await catalogue()).operators();
  if (known.some(({ operatorCode }) => operatorCode === code)) return;
  throw new Refusal('not_found', { text: `Operator ${code} does not exist.` });
}

/** Throws: `invalid_field`. */
async function readPart(
  { readStatementPart, readStatementPeriod }: Core,
  of: StatementOf,
  asked: {
    readonly from?: string;
    readonly to?: string;
    readonly cursor?: string;
    readonly limit: number;
  },
  { pool, wireTime, clock }: StaffDeps,
): Promise<StatementPart> {
  const { cursor, limit } = asked;
  const where = cursor === undefined ? readStatementPeriod(asked, { wireTime, clock }) : { cursor };
  return await readStatementPart(pool, of, { ...where, limit });
}

function partOf<Shown>({ head, to, after, next }: StatementPart, viewOf: (sums: Sums) => Shown) {
  const edge = (at: Date, movement: string, sums: Sums) => ({
    ...{ ...wireOf({ at, movement }), ...viewOf(sums) },
  });
  const end = head === null ? after : closingOf(head);
  return {
    opening: head && edge(head.from, 'opening', openingOf(head)),
    closing: head !== null || next === null ? edge(to, 'closing', end) : null,
    count: head?.count ?? null,
    head: head && headView(head),
    next,
  };
}

const openingOf = ({ openingCents, openingFloatCents }: StatementHead) => ({
  ...{ balanceCents: openingCents, floatCents: openingFloatCents },
});
const closingOf = ({ closingCents, closingFloatCents }: StatementHead) => ({
  ...{ balanceCents: closingCents, floatCents: closingFloatCents },
});

function headView({ from, to, endsEarly, opening, closing, movements }: StatementHead) {
  return {
    ...wireOf({ from, to, endsEarly }),
    accounts: [...closing].map(([account, closingCents]) =>
      wireOf({ account, openingCents: opening.get(account) ?? 0n, closingCents }),
    ),
    movements: movements.map(wireOf),
  };
}

function lineView(line: StatementLine, { referencesOf }: Core) {
  const { at, sourceId, leg, debitAccount, creditAccount, amountCents, changeCents } = line;
  const { caseId, ...references } = referencesOf(line);
  return {
    ...wireOf({ at, movement: line.movement, ...references, case: caseId }),
    ...wireOf({ debitAccount, creditAccount, amountCents, changeCents }),
    id: `${line.vendorId} ${sourceId} ${leg}`,
    is_payment: line.source.kind === 'payment',
    statement: line.source.kind === 'statement' ? line.source.statementId : null,
  };
}
