import { Type } from 'typebox';
import type { VendorDirectory } from '../../parties/directory.ts';
import type { Vendor } from '../../parties/vendor.ts';
import type { BillerCatalogue } from '../../payments/billers/catalogue.ts';
import { planPayment } from '../../payments/create/create-rules.ts';
import type { CreateRequest } from '../../payments/create/payment.ts';
import type { BalanceReader } from '../../payments/ledger/balance-reader.ts';
import { readCreateRequest } from '../../payments/operations/create-request.ts';
import { lookUpAccount } from '../../payments/operations/look-up-account.ts';
import type { LookUpDeps } from '../../payments/operations/look-up-account.ts';
import { validatorsOf } from '../../payments/operations/validators.ts';
import type { Payments } from '../../payments/payments.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { formatMoney, parseMoney } from '../../platform/base/money.ts';
import type { AccountLookedUp, Paid, PayBiller, PayCheck, PayChoices } from '../pay-answers.ts';
import { Audited, route } from '../route.ts';
import type { AnyRoute, Viewer } from '../route.ts';
import { unknownBiller } from '../../payments/billers/unknown-biller.ts';

export interface PayRoutesOptions extends LookUpDeps {
  readonly directory: Pick<VendorDirectory, 'vendorById'>;
  readonly catalogue: BillerCatalogue;
  readonly balances: BalanceReader;
  readonly create: Payments['create'];
}

const value = Type.String({ maxLength: 200 });
const form = { biller_name: value, account: value, amount: value, phone: Type.Optional(value) };

/** Paying one bill by a form. The payment is created as the API creates it. */
export function payRoutes(options: PayRoutesOptions): AnyRoute[] {
  return [choicesRoute(options), checkRoute(options), accountRoute(options), createRoute(options)];
}

/**
 * The vendor that the viewer pays for.
 * Throws: `not_permitted` for staff, `vendor_suspended`.
 */
export function payingVendor(
  { vendor }: Viewer,
  { directory }: { readonly directory: Pick<VendorDirectory, 'vendorById'> },
): Vendor {
  const paying = vendor && directory.vendorById(vendor.vendorId);
  if (paying === undefined) throw new Refusal('not_permitted');
  if (paying.suspended) throw new Refusal('vendor_suspended');
  return paying;
}

function choicesRoute(options: PayRoutesOptions): AnyRoute {
  const { catalogue, connectorOf, balances } = options;
  return route({
    method: 'GET',
    path: '/pay',
    permission: 'payments.create',
    handle: async (_input, { viewer }): Promise<PayChoices> => {
      const { vendorId } = payingVendor(viewer, options);
      return {
        float: formatMoney(await balances.float(vendorId)),
        billers: catalogue.billers().map((biller): PayBiller => ({
          code: biller.billerCode,
          name: biller.name,
          category: biller.category,
          accountLabel: biller.accountLabel,
          minimum: formatMoney(biller.minimumCents),
          maximum: biller.maximumCents === null ? null : formatMoney(biller.maximumCents),
          needsPhone: biller.secondaryAccount,
          canLookUp: validatorsOf(biller, connectorOf).length > 0,
          isOnline: biller.availability === 'ONLINE',
        })),
      };
    },
  });
}

/** Stands for the reference that the payment will have. */
const SOME_REFERENCE = 'form';

function checkRoute(options: PayRoutesOptions): AnyRoute {
  const { catalogue, balances } = options;
  return route({
    method: 'POST',
    path: '/pay/check',
    permission: 'payments.create',
    isReading: true,
    body: Type.Object(form, { additionalProperties: false }),
    handle: async ({ body }, { viewer }): Promise<PayCheck> => {
      const vendor = payingVendor(viewer, options);
      try {
        const request = requestOf({ ...body, merchant_reference: SOME_REFERENCE });
        const biller = catalogue.biller(request.billerCode);
        const { account, phone, amountCents, feeCents } = planPayment(request, vendor, biller);
        const floatCents = await balances.float(vendor.vendorId);
        const totalCents = amountCents + feeCents;
        return {
          kind: 'right',
          account,
          phone,
          amount: formatMoney(amountCents),
          fee: formatMoney(feeCents),
          total: formatMoney(totalCents),
          float: formatMoney(floatCents),
          isEnough: floatCents >= totalCents,
        };
      } catch (error) {
        if (!(error instanceof Refusal) || error.status >= 500) throw error;
        return { kind: 'wrong', field: error.field ?? null, text: error.message };
      }
    },
  });
}

function requestOf(fields: Readonly<Record<string, string>>): CreateRequest {
  return readCreateRequest(new Map(Object.entries(fields)));
}

function accountRoute(options: PayRoutesOptions): AnyRoute {
  return route({
    method: 'POST',
    path: '/pay/account',
    permission: 'payments.create',
    isReading: true,
    look: 'account.look-up',
    body: Type.Object(
      { biller_name: value, account: value, phone: Type.Optional(value) },
      { additionalProperties: false },
    ),
    handle: async ({ body }, { viewer }): Promise<AccountLookedUp> => {
      const { vendorId } = payingVendor(viewer, options);
      const biller = options.catalogue.biller(body.biller_name);
      if (biller === undefined) throw unknownBiller('biller_name', body.biller_name);
      const phone = body.phone === '' ? undefined : body.phone;
      const { answer } = await lookUpAccount(options, vendorId, {
        biller,
        account: body.account,
        phone,
      });
      if (answer.kind === 'invalid') {
        return {
          isValid: false,
          text: answer.message,
          name: null,
          amountDue: null,
          dueDate: null,
        };
      }
      const { name, amountDueCents, dueDate } = answer;
      const amountDue = amountDueCents === null ? null : formatMoney(amountDueCents);
      return { isValid: true, text: null, name, amountDue, dueDate };
    },
  });
}

function createRoute(options: PayRoutesOptions): AnyRoute {
  return route({
    method: 'POST',
    path: '/pay',
    permission: 'payments.create',
    action: 'payment.create',
    body: Type.Object(
      {
        ...form,
        /** Fixed when the form is opened, so that it is paid once however often it is sent. */
        merchant_reference: Type.String({ minLength: 1, maxLength: 64 }),
        /** The fee that was shown: if another one would be charged, nothing is paid. */
        fee: value,
      },
      { additionalProperties: false },
    ),
    handle: async ({ body: { fee: shownFee, ...body } }, { viewer }) => {
      const vendor = payingVendor(viewer, options);
      const request = { ...requestOf(body), shownFeeCents: parseMoney(shownFee) };
      const { reference, feeCents, replayed } = await options.create(request, vendor);
      const answer: Paid = { reference, fee: formatMoney(feeCents), isRepeat: replayed };
      const { billerCode, amountCents, merchantReference } = request;
      return new Audited(answer, {
        target: reference,
        // Without the account, which is personal data; the payment has it.
        after: { biller: billerCode, amount: formatMoney(amountCents), merchantReference },
      });
    },
  });
}
