import { Type } from 'typebox';
import type { Static } from 'typebox';
import { PAYMENT_STATUSES } from '../payments/create/payment.ts';
import type { PaymentPage } from '../payments/timeline/query.ts';
import { Refusal } from '../platform/base/errors.ts';
import { LIMITS } from '../platform/base/limits.ts';
import { PlainError } from '../platform/base/plain-error.ts';
import { caseView } from './case-schema.ts';
import { action, view } from './definition.ts';
import type { Asked, Noun } from './definition.ts';
import * as fields from './fields.ts';
import { inputOf, NOTHING, paging, reason, text, vid, titled } from './fields.ts';
import { ASKS_OPERATORS } from './limits.ts';
import { listed, paymentDetail } from './payment-schema.ts';
import { searchInLog } from '../payments/timeline/search-in-log.ts';

const core = async () => ({
  ...(await import('../payments/cases/case-proposals.ts')),
  ...(await import('../payments/dispatch/verify-now.ts')),
  ...(await import('../payments/events/administer.ts')),
  ...(await import('../payments/quarantine/unknown.ts')),
  ...(await import('../payments/settle/read-late-details.ts')),
  ...(await import('../payments/timeline/asked.ts')),
  ...(await import('../payments/timeline/find.ts')),
  ...(await import('../payments/timeline/lost.ts')),
  ...(await import('../payments/timeline/query.ts')),
  ...(await import('./case-core.ts')),
  ...(await import('./payment-core.ts')),
});
type Core = Awaited<ReturnType<typeof core>>;

const filters = {
  status: Type.Optional(Type.Enum([...PAYMENT_STATUSES], { description: 'with this status now' })),
  biller: Type.Optional(fields.code({ description: 'for this biller only', placeholder: 'code' })),
  operator: Type.Optional(
    fields.code({ description: 'sent to this operator only', placeholder: 'code' }),
  ),
  vid: Type.Optional(vid({ description: 'of this vendor only' })),
  min: Type.Optional(fields.amount({ description: 'of at least this amount in KES' })),
  max: Type.Optional(fields.amount({ description: 'of at most this amount in KES' })),
  from: Type.Optional(
    fields.moment({ description: 'created on this day, at this time, or later' }),
  ),
  to: Type.Optional(
    fields.moment({ description: 'created on this day or earlier, or before this time' }),
  ),
};

const page = {
  payments: Type.Array(Type.Object(listed)),
  /** Everything created since then has been searched; null: the whole period. */
  searched_to: fields.timeOrNull(),
  next: fields.next,
};
const list = Type.Object(page);
export type PaymentList = Static<typeof list>;

const found = Type.Object({
  ...page,
  /** The parts of the search text, and the meanings that they were given. */
  understood: Type.Array(
    Type.Object({
      kind: Type.Enum(['reference', 'phone', 'vendor', 'amount', 'day', 'text']),
      value: text(),
    }),
  ),
  /** Cases about payments that only an operator reports; with the first page, and not for a vendor’s people. */
  lost: Type.Array(caseView, { title: 'Only an operator reports it: people decide' }),
});
export type PaymentsFound = Static<typeof found>;

const OWED_LIMIT = Type.Integer({
  minimum: 1,
  maximum: 500,
  default: 100,
  description: 'at most so many',
});
const owedDetails = Type.Object({
  payments: Type.Array(
    Type.Object({
      reference: text({ title: 'Payment' }),
      ...titled({ vid: text, biller: text, operator: text, account: text, amount: fields.money }),
      since: fields.time({ title: 'Owed since' }),
      asked: Type.Integer({ title: 'Asked' }),
      /** Null: the operator is not asked any more. */
      next_at: fields.timeOrNull({ title: 'Next question' }),
      /** What came of the last question; null for a vendor’s people. */
      note: fields.textOrNull({ title: 'Last answer' }),
    }),
  ),
});

export type OwedDetailsAnswer = Static<typeof owedDetails>;

const choice = Type.Array(
  Type.Object({ code: text({ title: 'Code' }), name: text({ title: 'Name' }) }),
);
const choices = Type.Object({
  billers: choice,
  operators: choice,
  /** Empty for a vendor’s people. */
  vendors: choice,
});
export type PaymentChoices = Static<typeof choices>;

const READS = { permission: 'payments.read', ownVendor: true } as const;
const ACTS = { permission: 'payments.act', actsAlone: 'always', programsMay: true } as const;

const reference = Type.String({
  pattern: '^[0-9A-Za-z_-]{1,64}$',
  form: 'an ipay_reference',
  description: 'ipay_reference of the payment',
});

const acted = Type.Object({ reference: text({ title: 'Payment' }) });

/** The service queries operators as well, so more queries would not help. */
const VERIFY_LIMIT = {
  ...ASKS_OPERATORS,
  perTarget: {
    count: 1,
    seconds: LIMITS.operatorQuestionSeconds,
    text: 'The operator was asked about this payment a moment ago.',
  },
} as const;

export const PAYMENT = view(core, {
  ...READS,
  name: 'payment.show',
  summary: 'A payment: its result, and everything that happened to it.',
  route: 'GET /payments/:reference',
  input: inputOf({ reference }),
  output: paymentDetail,
  isWatched: true,
  handle: async ({ core: loaded, input, deps, viewer }) => {
    const { pool } = deps;
    const isOwn = loaded.ownKey(input.reference, viewer) !== undefined;
    const payment = isOwn ? await loaded.findPayment(pool, input.reference) : undefined;
    if (payment !== undefined) return loaded.paymentDetailOf(payment, deps, viewer);
    const says = { text: 'No payment has this reference' };
    throw await loaded.refuseUnknown(pool, new Refusal('not_found', says));
  },
});

export const PAYMENTS: Noun = {
  command: 'payment',
  summary: 'Payments of all vendors: find them, see what happened to them, ask operators again.',
  definitions: [
    view(core, {
      ...READS,
      name: 'payment.list',
      summary: 'Payments, newest first.',
      route: 'GET /payments',
      input: inputOf({ ...filters, ...paging(50) }),
      output: list,
      rows: 'payments',
      empty: 'no payments',
      isLong: 'for vendors',
      handle: async (asked) => {
        const query = await asked.core.askedOf(asked.input, asked.deps, asked.viewer);
        return pageOf(asked.core, await readPage(asked, query));
      },
    }),
    view(core, {
      ...READS,
      name: 'payment.owed-details',
      summary:
        'Paid payments of which operators owe details, such as a token, longest first: since when, and how often they were asked.',
      route: 'GET /payments/owed-details',
      input: inputOf({ vid: filters.vid, limit: OWED_LIMIT }),
      output: owedDetails,
      rows: 'payments',
      empty: 'no operator owes details',
      handle: async ({ core: loaded, input, deps, viewer }) => {
        const asked = { vid: input.vid };
        const { filter } = await loaded.askedOf(asked, deps, viewer);
        const { limit } = input;
        const owed = await loaded.listOwedDetails(deps.pool, { vendorId: filter.vendorId, limit });
        return { payments: owed.map((row) => loaded.owedDetailsView(row, viewer)) };
      },
    }),
    view(core, {
      ...READS,
      name: 'payment.find',
      summary:
        'Payments by an ipay_reference, a merchant reference, an account, or a phone number in any usual form, newest first; of a payment that only an operator reports also by the operator’s reference.',
      // What people search for may be personal data, which is never in a URL.
      route: 'POST /payments/search',
      input: inputOf({
        search: Type.Optional(
          Type.String({
            maxLength: 100,
            argument: true,
            description:
              'a reference, account, phone number, vendor, amount or day, or several of them',
          }),
        ),
        as: Type.Optional(
          Type.Enum(['text'], {
            description: 'the text is an account or a reference, whatever it looks like',
          }),
        ),
        ...filters,
        ...paging(50),
      }),
      output: found,
      rows: 'payments',
      empty: 'no payments',
      isLong: 'for vendors',
      filterOf: (input, answer) => ({ ...input, ...searchInLog(answer) }),
      failed: ({ payments, lost, next }) =>
        payments.length === 0 && lost.length === 0 && next === null,
      handle: async (asked) => {
        const { core: loaded, input, viewer } = asked;
        const { pool } = asked.deps;
        const { understood, ...query } = await loaded.askedOf(input, asked.deps, viewer);
        const read = await readPage(asked, query);
        const isFirst = input.cursor === undefined;
        const { term, filter } = query;
        if (viewer.vendor !== undefined) {
          const isFound = read.payments.length > 0 || read.next !== null || !isFirst;
          // Staff see the cases.
          if (term !== undefined && !isFound) {
            await loaded.requireNoneLost(pool, viewer.vendor.vendorId);
          }
          return { ...pageOf(loaded, read), understood: [...understood], lost: [] };
        }
        const lost =
          term === undefined || !isFirst
            ? []
            : await loaded.findLostCases(pool, term, filter.vendorId);
        const open = await loaded.listOpenProposals(
          pool,
          lost.map(({ caseId }) => caseId),
        );
        return {
          ...pageOf(loaded, read),
          understood: [...understood],
          lost: lost.map((row) => loaded.caseViewOf(row, open)),
        };
      },
    }),
    view(core, {
      ...READS,
      name: 'payment.choices',
      summary: 'The billers, operators and vendors by which payments can be filtered.',
      route: 'GET /payments/choices',
      input: NOTHING,
      output: choices,
      handle: async ({ core: loaded, deps, viewer }) =>
        await loaded.readChoices(deps.pool, await deps.catalogue(), viewer.vendor?.vendorId),
    }),
    PAYMENT,
    action(core, {
      ...ACTS,
      name: 'payment.verify',
      summary: 'Ask the operator now about a payment whose result is not known.',
      route: 'POST /payments/:reference/verify',
      limit: VERIFY_LIMIT,
      // In capital letters only, because the limit counts by this text.
      input: inputOf({ reference: { ...reference, pattern: '^[0-9A-Z]{1,64}$' }, reason }),
      output: acted,
      handle: async ({ core: loaded, input, deps, viewer }) => {
        const key = loaded.ownKey(input.reference, viewer);
        if (key === undefined) throw new Refusal('not_found');
        await (deps.payments?.verifyNow(key) ?? loaded.verifyNow(deps.pool, key));
        return { result: { reference: input.reference }, audit: { after: {} } };
      },
    }),
    action(core, {
      ...ACTS,
      name: 'payment.resend',
      summary: 'Send the events of a payment to the vendor’s webhook again, with the same ids.',
      route: 'POST /payments/:reference/resend',
      input: inputOf({ reference, reason }),
      output: Type.Object({
        ...acted.properties,
        replayed: Type.Integer({ title: 'Events that are sent again' }),
      }),
      handle: async ({ core: loaded, input, deps: { pool }, viewer }) => {
        const named =
          loaded.ownKey(input.reference, viewer) &&
          (await loaded.findPayment(pool, input.reference));
        if (named === undefined) throw new Refusal('not_found');
        const { payment } = named;
        const which = {
          paymentId: payment.paymentId,
          since: undefined,
          until: undefined,
          state: undefined,
        };
        const replayed = await loaded.replayEvents(pool, payment, which);
        if (replayed > 0) {
          const result = { reference: input.reference, replayed };
          return { result, audit: { after: { events: replayed } } };
        }
        throw new PlainError('The payment has no event that could be sent again.');
      },
    }),
  ],
};

type Query = Awaited<ReturnType<Core['askedOf']>>;

async function readPage(
  {
    core: loaded,
    input: { cursor, limit },
    deps,
  }: Pick<
    Asked<Core, { readonly cursor?: string; readonly limit: number }>,
    'core' | 'input' | 'deps'
  >,
  query: Omit<Query, 'understood'>,
): Promise<PaymentPage> {
  const after = loaded.readPosition(cursor, query);
  return await loaded.queryPayments(deps.pool, query, { after, limit });
}

function pageOf(loaded: Core, read: PaymentPage): PaymentList {
  return {
    payments: read.payments.map(loaded.listedPayment),
    searched_to: read.searchedTo?.toISOString() ?? null,
    next: loaded.writePosition(read),
  };
}
