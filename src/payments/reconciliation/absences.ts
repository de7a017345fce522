import { provesAfterMsOf } from '../dispatch/next-step.ts';
import type { MatchOptions, OurPayment } from './match.ts';

/** Payments that complete statements should list and do not. */
export interface Absences {
  /** The ledger shows them as paid. */
  readonly oursOnly: readonly OurPayment[];
  /** Open, and by the operator's rules proven not to have been made. */
  readonly notPaid: readonly OurPayment[];
}

/** True if complete statements cover the whole period. */
export type Covers = (from: Date, to: Date) => boolean;

/**
 * @param payments none of them is in a statement.
 * @param rules.proves the same for statements that are certainly of the merchant account that has the
 * instructions. Default: all are.
 */
export function findAbsences(
  payments: readonly OurPayment[],
  covers: Covers,
  rules: MatchOptions & {
    readonly absenceIsProof: boolean;
    readonly acceptanceWindowMs: number | null;
    readonly payDeadlineMs: number;
    readonly proves?: Covers;
  },
): Absences {
  const { toleranceMs, proves = covers } = rules;
  const provesAfterMs = provesAfterMsOf({ ...rules, prepare: null });
  const oursOnly: OurPayment[] = [];
  const notPaid: OurPayment[] = [];
  for (const payment of payments) {
    const { outcome, firstSentAt, lastSentAt, settledAt } = payment;
    if (firstSentAt === null || lastSentAt === null) continue;
    const from = new Date(Number(firstSentAt) - toleranceMs);
    if (outcome === 'success' && settledAt !== null && payment.postedCents > 0n) {
      if (covers(from, new Date(Number(settledAt) + toleranceMs))) oursOnly.push(payment);
    }
    if (outcome !== null || !payment.underWay) continue;
    if (!rules.absenceIsProof || provesAfterMs === null) continue;
    const to = new Date(Number(lastSentAt) + provesAfterMs + toleranceMs);
    if (proves(from, to)) notPaid.push(payment);
  }
  return { oursOnly, notPaid };
}
