import { strict } from '../../platform/base/json-fields.ts';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { compiled } from '../../platform/base/compiled.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { MasterKeys } from '../../platform/base/sealing.ts';
import { encodeReference } from '../../parties/reference.ts';
import { kind } from '../../proposals/kind.ts';
import type { AnyKind, Line } from '../../proposals/kind.ts';
import { DISBURSEMENTS } from '../billers/biller.ts';
import { findBiller } from '../billers/store.ts';
import { readPayment } from '../create/store.ts';
import type { PaymentRow } from '../create/store.ts';
import { refundPhoneText } from '../ledger/authenticity.ts';
import { openSecret, sealedSecret } from '../settings/sealed.ts';
import {
  DISBURSEMENT,
  disbursementFields,
  planDisbursement,
  readDisbursement,
  requireDisbursement,
} from './disbursement.ts';
import type { DisbursementFacts, DisbursementPlan } from './disbursement.ts';
import { isDisputed, listRefunds } from './store.ts';

export const REFUND = 'refund';

const content = strict({
  ...disbursementFields,
  /** The payment that is refunded. */
  refundOf: Type.String({ minLength: 36, maxLength: 36 }),
  /** Encrypted, because the content is kept for good. */
  phone: sealedSecret,
  /** By which `ledger check` compares it with the payment. */
  phoneMac: Type.String({ pattern: '^[0-9a-f]{64}$' }),
});
type Content = Static<typeof content>;

/** Location that `sealSecret` binds the phone to. */
export const refundSealed = (paymentId: string): string => `refund ${paymentId}`;

interface Facts extends DisbursementFacts {
  readonly phone: string;
  readonly payment: PaymentRow | undefined;
  readonly isDisputed: boolean;
  /** The payment is a disbursement itself. */
  readonly isDisbursement: boolean;
  /** Cents that other refunds of the payment have taken, or may take. */
  readonly otherCents: bigint;
}

const SHOWN_DIGITS = 3;
const FINGERPRINT_DIGITS = 12;

/** Money from a vendor’s float to a customer whose payment succeeded, which an operator sends. */
export const refundKind = (tools: {
  readonly ledgerMac: Mac;
  readonly masterKeys?: MasterKeys | undefined;
}): AnyKind =>
  kind<Content, Facts, DisbursementPlan>({
    ...DISBURSEMENT,
    name: REFUND,
    title: 'Refund to a customer',
    content: compiled(content),
    about: ({ refundOf }) => refundOf,
    describe: ({ vid, cents, vendorId, refundOf, evidence }) => [
      { label: 'Vendor', text: vid },
      { label: 'Amount', cents },
      { label: 'Payment', text: encodeReference(vendorId, refundOf) },
      { label: 'Evidence', text: evidence },
    ],
    read: async (db, of, how) => {
      const { vendorId, refundOf } = of;
      // It locks the float, under which payments are corrected and refunded.
      const facts = await readDisbursement(db, of, how);
      const phone = openSecret(of.phone, refundSealed(of.paymentId), tools);
      const payment = await readPayment(db, vendorId, refundOf);
      const biller = payment && (await findBiller(db, payment.billerCode));
      const others = await listRefunds(db, vendorId, refundOf);
      return {
        ...{ ...facts, phone, payment },
        isDisputed: await isDisputed(db, vendorId, refundOf),
        isDisbursement: biller?.category === DISBURSEMENTS,
        otherCents: others
          .filter(({ proposalId }) => proposalId !== how.proposalId)
          .reduce((sum, { cents }) => sum + cents, 0n),
      };
    },
    check: (facts, of, proposal) => {
      const { phone } = facts;
      const isOurs = tools.ledgerMac.verify(
        refundPhoneText(of.paymentId, phone),
        Buffer.from(of.phoneMac, 'hex'),
      );
      if (!isOurs) throw new PlainError('The phone of this refund was altered. Reject it.');
      requireRefundable(facts, BigInt(of.cents));
      requireDisbursement(facts, { ...of, phone }, proposal?.proposedAt ?? null);
    },
    plan: (facts, { content: of }) =>
      planDisbursement(facts, { ...of, phone: facts.phone }, shownOf(facts, of)),
    remarks: phonesOf,
  });

/** Not the number, but the fingerprint tells two with the same last digits apart. */
const shownOf = ({ phone }: Facts, { phoneMac }: Content): string =>
  `…${phone.slice(-SHOWN_DIGITS)}, fingerprint ${phoneMac.slice(0, FINGERPRINT_DIGITS)}`;

function refuse(text: string): never {
  throw new PlainError(text, { field: 'reference' });
}

/** Throws: `PlainError` with the field. */
function requireRefundable(facts: Facts, cents: bigint): void {
  const { payment, otherCents } = facts;
  if (payment === undefined) return refuse('There is no such payment, or it is archived.');
  if (facts.isDisbursement) return refuse('It is a payout or a refund itself.');
  if (payment.outcome === null) return refuse('Its outcome is not known yet.');
  if (payment.outcome === 'failed') return refuse('It failed: its amount is in the float again.');
  if (facts.isDisputed) return refuse('People corrected it, or a case about it is open.');
  const leftCents = payment.amountCents - otherCents;
  if (cents <= leftCents) return;
  throw new PlainError(
    `${formatMoney(leftCents)} of ${formatMoney(payment.amountCents)} can still be refunded.`,
    { field: 'amount' },
  );
}

/** The number itself, for whoever decides, beside the numbers that the payment names. */
function phonesOf({ phone, payment }: Facts): Line[] {
  const named = [payment?.phone, payment?.account].flatMap((one) => one ?? []);
  return [
    {
      label: 'Phone number',
      text: named.includes(phone) ? `${phone}, as in the payment` : `${phone}, NOT in the payment`,
    },
    { label: 'Account of the payment', text: payment?.account ?? 'none' },
    { label: 'Phone number of the payment', text: payment?.phone ?? 'none' },
  ];
}
