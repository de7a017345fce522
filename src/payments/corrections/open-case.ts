import { requirePerson } from '../../platform/base/person.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { repeatableTransaction } from '../../platform/db/pool.ts';
import { insertOpened, openCase } from '../cases/cases-store.ts';
import { findCase } from '../cases/read-cases.ts';
import type { NewCase } from '../cases/cases-store.ts';
import type { CaseRow } from '../cases/read-cases.ts';
import type { PaymentKey } from '../create/payment.ts';
import { readPayment } from '../create/store.ts';
import { lockFloat } from '../ledger/store.ts';
import type { PaymentRow } from '../create/store.ts';

/**
 * A person opens a case about a payment: one whose operator cannot say how it ended, or one that ended
 * otherwise than the ledger shows, such as a customer's payment that has to be returned. The case alone
 * changes nothing; two people resolve it.
 * Throws: `PlainError` if the payment does not exist, has not been sent, or has such a case already.
 */
export async function openCaseByHand(
  pool: Pool,
  request: PaymentKey & { readonly by: string; readonly note: string },
): Promise<CaseRow> {
  const by = requirePerson(request.by);
  const { vendorId, paymentId, note } = request;
  return await repeatableTransaction(pool, async (client) => {
    // So that it is not being archived.
    await lockFloat(client, vendorId);
    const payment = await readPayment(client, vendorId, paymentId);
    if (payment === undefined) {
      throw new PlainError('The payment does not exist, or is archived.', {
        field: 'reference',
      });
    }
    const caseId = await openCase(client, {
      vendorId,
      paymentId,
      evidenceId: null,
      operatorCode: null,
      ...contentOf(payment, note),
    });
    if (caseId === undefined) throw new PlainError('Such a case is already open (see case list).');
    const row = await findCase(client, caseId);
    if (row === undefined) throw new Error(`case ${caseId} is gone`);
    await insertOpened(client, row, { actor: by, note });
    return row;
  });
}

/** The facts have the same names as in a case about a contradicting report of an operator. */
function contentOf(payment: PaymentRow, note: string): Pick<NewCase, 'kind' | 'facts'> {
  const source = 'person';
  if (payment.outcome === null) return { kind: 'no_answer', facts: { source, note } };
  const wasPaid = payment.outcome === 'success';
  return {
    kind: 'contradiction',
    facts: {
      source,
      note,
      books_say: payment.outcome,
      operator_says: wasPaid ? 'failed' : 'success',
      amount_cents: Number(payment.amountCents),
      paid_cents: wasPaid ? null : Number(payment.amountCents),
    },
  };
}
