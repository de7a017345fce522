import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type {
  CallbackReading,
  CallbackReport,
  CallbackRequest,
} from '../../connectors/operator-callbacks.ts';
import type { Paid } from '../../connectors/operator-outcomes.ts';
import { newId } from '../../platform/base/ids.ts';
import { repeatableTransaction } from '../../platform/db/pool.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { HOUSE, openCase } from '../cases/cases-store.ts';
import type { PaymentKey } from '../create/payment.ts';
import { keepUnread } from '../messages/unread.ts';
import { lockOpenElsewhere } from './handle-store.ts';
import { insertUnmatchedCallback } from './store.ts';

/** Keeps callbacks that people have to read. */

/** A payment that an operator was instructed to make, and which its callback names. */
export type FoundPayment = PaymentKey & {
  readonly billerCode: string;
  readonly operatorCode: string;
  readonly reference: string;
  readonly amountCents: bigint;
  readonly isOpen: boolean;
  /** The version of the operator that got the last attempt. */
  readonly operatorVersion: number | null;
};

/** Keeps a message that cannot be read. Returns false if the operator has to repeat it. */
export async function keepUnreadable(
  pool: Pool,
  log: Logger,
  {
    operatorCode,
    problem,
    reference,
    body,
  }: Pick<Extract<CallbackReading, { kind: 'unreadable' }>, 'problem' | 'reference'> &
    Pick<CallbackRequest, 'body'> & { readonly operatorCode: string },
): Promise<boolean> {
  const from = { senderKind: 'operator', sender: operatorCode, channel: 'callback' } as const;
  // Nothing can be booked from it, so it needs no authentication.
  return await keepUnread({ pool, log, ledgerMac: null }, { ...from, problem, reference, body });
}

/**
 * The operator says that it has made the payment, although the ledger has proof that it did not. The payment is
 * not sent again before people have decided the case, which is the one that a trusted report would open. Returns
 * false, and does nothing, if the payment is settled or this operator has it.
 */
export async function keepContradiction(
  pool: Pool,
  payment: FoundPayment,
  says: Paid,
): Promise<boolean> {
  const { vendorId, paymentId, operatorCode, amountCents } = payment;
  const { operatorReference, message, details } = says;
  const facts = {
    books_say: null,
    operator_says: 'success',
    source: 'callback',
    amount_cents: Number(amountCents),
    paid_cents: Number(says.amountCents),
    biller_reference: operatorReference,
    message,
    ...(Object.keys(details).length === 0 ? {} : { details }),
  };
  const about = { vendorId, paymentId, kind: 'contradiction', evidenceId: null } as const;
  return await repeatableTransaction(pool, async (client) => {
    if (!(await lockOpenElsewhere(client, payment))) return false;
    await openCase(client, { ...about, operatorCode, facts });
    return true;
  });
}

const MAX_REFERENCE_LENGTH = 200;

/** Stores the callback and opens a case: one per reference, however often it is repeated. */
export async function keepUnmatched(
  pool: Pool,
  operatorCode: string,
  {
    reference: sent,
    outcome,
  }: {
    readonly reference: string;
    readonly outcome: Exclude<CallbackReport['outcome'], { kind: 'hint' }>;
  },
): Promise<void> {
  const reference = sent.slice(0, MAX_REFERENCE_LENGTH);
  const says = outcome.kind === 'mismatch' ? outcome.says : outcome;
  const paidCents = says?.kind === 'paid' ? says.amountCents : null;
  const report: unknown = JSON.parse(
    JSON.stringify(outcome, (_, value: unknown) =>
      typeof value === 'bigint' ? value.toString() : value,
    ),
  );
  await repeatableTransaction(pool, async (client) => {
    await insertUnmatchedCallback(client, {
      operatorCode,
      callbackId: newId(),
      reference,
      report,
      receivedAt: new Date(),
    });
    await openCase(client, {
      vendorId: HOUSE,
      paymentId: null,
      kind: 'unmatched_callback',
      evidenceId: evidenceOf(operatorCode, reference),
      operatorCode,
      facts: {
        source: 'callback',
        reference,
        report,
        paid_cents: paidCents === null ? null : Number(paidCents),
      },
    });
  });
}

/** All callbacks about a reference share this id, so that only one case is open about it. */
function evidenceOf(operatorCode: string, reference: string): string {
  return createHash('md5').update(`${operatorCode} ${reference}`).digest('hex');
}
