import { Type } from 'typebox';
import type { Static } from 'typebox';
import { account, merchantReference, phone } from '../payments/operations/fields.ts';
import { Refusal } from '../platform/base/errors.ts';
import { formatMoney, parseMoney } from '../platform/base/money.ts';
import { action, view } from './definition.ts';
import type { Noun } from './definition.ts';
import { requirePayments } from './deps.ts';
import * as fields from './fields.ts';
import {
  inputOf,
  money,
  moneyOrNull,
  NOTHING,
  orNull,
  text,
  textOrNull,
  titled,
} from './fields.ts';
import { LOOKS_UP_ACCOUNTS } from './limits.ts';
import { paymentDetail } from './payment-schema.ts';
import { PAYMENT } from './payments.ts';

const core = async () => ({
  ...(await import('../payments/billers/biller.ts')),
  ...(await import('../payments/billers/unknown-biller.ts')),
  ...(await import('../payments/create/create-rules.ts')),
  ...(await import('../payments/operations/create-request.ts')),
  ...(await import('../payments/operations/look-up-account.ts')),
  ...(await import('../payments/operations/validators.ts')),
  ...(await import('../payments/timeline/find.ts')),
  ...(await import('../parties/require-vendor.ts')),
  ...(await import('./payment-core.ts')),
});

const choices = Type.Object({
  float: money({ title: 'Float' }),
  billers: Type.Array(
    Type.Object({
      biller: text({ title: 'Code' }),
      ...titled({ name: text, category: text }),
      /** Customers’ name for their account, such as `Meter number`. */
      account_label: text({ title: 'Account' }),
      minimum: money({ title: 'Minimum' }),
      maximum: moneyOrNull({ title: 'Maximum', nullText: 'none' }),
      /** It needs a phone number, too. */
      phone: Type.Boolean({ title: 'Phone' }),
      /** It can be asked for the holder of an account and the amount due. */
      validates: Type.Boolean({ title: 'Validates' }),
      status: Type.Enum(['ONLINE', 'OFFLINE'], { title: 'Status' }),
    }),
  ),
});
export type PayChoices = Static<typeof choices>;
export type PayBiller = PayChoices['billers'][number];

/** One of them is null. */
const checked = Type.Object({
  /** What would be refused. Its field is null if it is about all of them. */
  wrong: orNull(Type.Object({ field: textOrNull(), text: text() })),
  /** What would be paid. */
  right: orNull(
    Type.Object({
      /** As it is sent to the biller. */
      account: text(),
      phone: textOrNull(),
      amount: money(),
      fee: money(),
      total: money(),
      float: money(),
      is_enough: Type.Boolean(),
    }),
  ),
});
export type PayCheck = Static<typeof checked>;

const lookedUp = Type.Object({
  is_valid: Type.Boolean(),
  /** Why it is not. */
  text: textOrNull(),
  name: textOrNull(),
  amount_due: moneyOrNull(),
  /** A day, YYYY-MM-DD. */
  due_date: textOrNull(),
});
export type AccountLookedUp = Static<typeof lookedUp>;

const paid = Type.Object({
  ...paymentDetail.properties,
  /** It is paid once. */
  replayed: Type.Boolean({ title: 'Accepted before' }),
});
export type Paid = Static<typeof paid>;

/** As it was typed: whatever is wrong with it is an answer. */
const typed = (description: string) => Type.String({ maxLength: 200, description });
const form = {
  biller_name: typed('the biller’s code'),
  account: typed('the customer’s account at the biller'),
  phone: Type.Optional(typed('the customer’s phone number, if the biller needs it')),
};

const PAYS = { permission: 'payments.create', ownVendor: true } as const;

/** Stands for the reference that the payment will have. */
const SOME_REFERENCE = 'form';

export const PAY: Noun = {
  command: 'pay',
  summary: 'Payments by hand, as the API creates them.',
  definitions: [
    action(core, {
      ...PAYS,
      name: 'payment.create',
      summary:
        'Create a payment under the same rules as the API. A running service sends it. Commands do it only in the sandbox, and while fewer than two people sign in.',
      route: 'POST /pay',
      isUsual: true,
      actsAlone: 'only',
      input: inputOf({
        vid: Type.Optional(fields.vid({ description: 'vendor ID; of a person their own' })),
        biller_name: fields.code({
          ...{ description: 'biller code', option: 'biller', placeholder: 'code' },
        }),
        account: { ...account, description: 'account at the biller' },
        amount: fields.positive(),
        phone: Type.Optional({ ...phone, description: 'phone number, if the biller needs it' }),
        merchant_reference: Type.Optional({
          ...{ ...merchantReference, placeholder: 'reference' },
          description: 'unique reference; a repeat is not paid again',
        }),
        fee: Type.Optional(
          fields.amount({ description: 'the fee that was shown: nothing is paid for another one' }),
        ),
      }),
      output: paid,
      ends: {
        seenIn: PAYMENT,
        inputOf: ({ reference }) => ({ reference }),
        stateOf: ({ status, amount, settled_at: settledAt }) => ({
          text: `${status}, ${amount} KES`,
          end: settledAt === null ? null : status === 'SUCCESS' ? 'done' : 'failed',
        }),
      },
      handle: async ({ core: loaded, input, deps, viewer }) => {
        const { vid, fee, ...asked } = input;
        const vendor = await loaded.payingVendor(deps.pool, viewer, vid);
        const request = loaded.createRequestOf(asked);
        const shown = fee === undefined ? {} : { shownFeeCents: parseMoney(fee) };
        const { reference, replayed } = await deps.create({ ...request, ...shown }, vendor);
        const found = await loaded.findPayment(deps.pool, reference);
        if (found === undefined) throw new Error('the payment that was created cannot be read');
        const detail = loaded.paymentDetailOf(found, deps, viewer);
        const { biller, amount, merchant_reference } = detail;
        return {
          result: { ...detail, replayed },
          // Without the account, which is personal data; the payment has it.
          audit: {
            target: reference,
            after: { vid: vendor.vid, biller, amount, merchant_reference },
          },
        };
      },
    }),
    view(core, {
      ...PAYS,
      name: 'pay.choices',
      summary: 'What can be paid, and the float that pays it.',
      route: 'GET /pay',
      input: NOTHING,
      output: choices,
      handle: async ({ core: loaded, deps, viewer }) => {
        const { balances, connectorOf } = requirePayments(deps);
        const { vendorId } = await loaded.payingVendor(deps.pool, viewer);
        return {
          float: formatMoney(await balances.float(vendorId)),
          billers: loaded.billersForVendors((await deps.catalogue()).billers()).map((biller) => ({
            ...{ biller: biller.billerCode, name: biller.name, category: biller.category },
            account_label: biller.accountLabel,
            minimum: formatMoney(biller.minimumCents),
            maximum: biller.maximumCents === null ? null : formatMoney(biller.maximumCents),
            phone: biller.secondaryAccount,
            validates: loaded.validatorsOf(biller, connectorOf).length > 0,
            status: biller.availability,
          })),
        };
      },
    }),
    view(core, {
      ...PAYS,
      name: 'pay.check',
      summary: 'What a payment would cost, or why it would be refused. Nothing is paid.',
      route: 'POST /pay/check',
      input: inputOf({ ...form, amount: typed('the amount in KES') }),
      output: checked,
      handle: async ({ core: loaded, input, deps, viewer }) => {
        const vendor = await loaded.payingVendor(deps.pool, viewer);
        try {
          const asked = { ...input, merchant_reference: SOME_REFERENCE };
          const request = loaded.readCreateRequest(new Map(Object.entries(asked)));
          const biller = (await deps.catalogue()).biller(request.billerCode);
          const planned = loaded.planPayment(request, vendor, biller);
          const { amountCents, feeCents } = planned;
          const floatCents = await requirePayments(deps).balances.float(vendor.vendorId);
          const totalCents = amountCents + feeCents;
          const right = {
            ...{ account: planned.account, phone: planned.phone },
            ...{ amount: formatMoney(amountCents), fee: formatMoney(feeCents) },
            ...{ total: formatMoney(totalCents), float: formatMoney(floatCents) },
            is_enough: floatCents >= totalCents,
          };
          return { wrong: null, right };
        } catch (error) {
          if (!(error instanceof Refusal) || error.status >= 500) throw error;
          return { wrong: { field: error.field ?? null, text: error.message }, right: null };
        }
      },
    }),
    view(core, {
      ...PAYS,
      name: 'pay.look-up',
      summary: 'Ask the biller whose account it is, and what is due.',
      route: 'POST /pay/account',
      isNoted: true,
      limit: LOOKS_UP_ACCOUNTS,
      input: inputOf(form),
      output: lookedUp,
      handle: async ({ core: loaded, input, deps, viewer }) => {
        const catalogue = await deps.catalogue();
        const { vendorId } = await loaded.payingVendor(deps.pool, viewer);
        const biller = catalogue.biller(input.biller_name);
        if (biller === undefined) throw loaded.unknownBiller('biller_name', input.biller_name);
        const by = { ...requirePayments(deps), catalogue };
        const asked = { biller, account: input.account, phone: input.phone || undefined };
        const { answer } = await loaded.lookUpAccount(by, vendorId, asked);
        const none = { text: null, name: null, amount_due: null, due_date: null };
        if (answer.kind === 'invalid') return { ...none, is_valid: false, text: answer.message };
        const { name, amountDueCents, dueDate: due_date } = answer;
        const amount_due = amountDueCents === null ? null : formatMoney(amountDueCents);
        return { ...none, is_valid: true, name, amount_due, due_date };
      },
    }),
  ],
};
