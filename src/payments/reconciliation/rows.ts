import type { StatementMovement } from '../../connectors/operator-statements.ts';
import { newId } from '../../platform/base/ids.ts';
import type { MatchedRow } from './case-facts.ts';
import type { Match, OurPayment } from './match.ts';
import { effectCents } from './statement.ts';
import type { KnownMovement } from './store.ts';

export function keyOf(movement: {
  readonly kind: string;
  readonly operatorReference: string;
}): string {
  return `${movement.kind} ${movement.operatorReference}`;
}

/** The payments with what this statement changes of earlier movements about them. */
export function withChanges(
  payments: readonly OurPayment[],
  movements: readonly StatementMovement[],
  known: ReadonlyMap<string, KnownMovement>,
): OurPayment[] {
  const changes = new Map<string, bigint>();
  for (const movement of movements) {
    const before = known.get(keyOf(movement));
    if (!before?.paymentId) continue;
    const cents = effectCents(before) - effectCents(movement);
    changes.set(before.paymentId, (changes.get(before.paymentId) ?? 0n) + cents);
  }
  return payments.map((payment) => {
    const cents = changes.get(payment.paymentId) ?? 0n;
    return cents === 0n ? payment : { ...payment, listedCents: payment.listedCents + cents };
  });
}

export function rowsOf(
  matches: readonly Match[],
  movements: readonly StatementMovement[],
  known: ReadonlyMap<string, KnownMovement>,
): MatchedRow[] {
  const rows = matches.map((match): MatchedRow => {
    const { movement, verdict, payment } = match;
    return { rowId: newId(), movement, verdict, payment, match, before: null };
  });
  for (const movement of movements) {
    const before = known.get(keyOf(movement));
    if (before === undefined) continue;
    const same =
      before.amountCents === movement.amountCents && before.reference === movement.reference;
    rows.push({
      rowId: newId(),
      movement,
      verdict: same ? 'repeated' : 'changed',
      payment:
        before.paymentId === null || before.vendorId === null
          ? null
          : { vendorId: before.vendorId, paymentId: before.paymentId },
      match: null,
      before,
    });
  }
  return rows;
}
