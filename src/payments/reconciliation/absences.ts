import type { StatementFormat } from '../../connectors/operator-statements.ts';
import { isReference } from '../../parties/reference.ts';
import { plainReference } from '../../platform/base/written-alike.ts';
import { provesAfterMsOf } from '../dispatch/next-step.ts';
import type { Covers } from './covered-store.ts';
import type { MatchOptions, OurPayment } from './match.ts';
import type { Unplaced } from './unplaced-store.ts';

/** Payments that complete statements should list and do not. */
export interface Absences {
  /** The ledger shows them as paid. */
  readonly oursOnly: readonly OurPayment[];
  /** Open, and by the operator's rules proven not to have been made. */
  readonly notPaid: readonly OurPayment[];
}

/** Longest transit of an instruction; see `StatementFormat`. */
type StatementTimes = Pick<StatementFormat, 'acceptanceWindowMs' | 'payDeadlineMs'>;

export interface FormerTimes extends StatementTimes {
  readonly version: number;
}

/**
 * @param payments none of them is in a statement.
 * @param rules.proves the same for statements that can prove it: files that are certainly of the merchant account that
 * has the instructions. Default: all are.
 */
export function findAbsences(
  payments: readonly OurPayment[],
  covers: Covers,
  rules: MatchOptions &
    StatementTimes & {
      readonly absenceIsProof: boolean;
      /** Acceptance windows of the operator’s former versions: an instruction keeps the longest that it had. Default: none. */
      readonly former?: readonly FormerTimes[];
      readonly proves?: Covers;
    },
): Absences {
  const { toleranceMs, proves = covers, former = [] } = rules;
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
    if (!rules.absenceIsProof) continue;
    const had = former.filter(({ version }) => version >= (payment.openVersion ?? 0));
    const afterMs = longestOf([rules, ...had]);
    if (afterMs === null) continue;
    const to = new Date(Number(lastSentAt) + afterMs + toleranceMs);
    if (proves(from, to)) notPaid.push(payment);
  }
  return { oursOnly, notPaid };
}

/** From when on absence is proof, counted from the claim. Null: never. */
function longestOf(times: readonly StatementTimes[]): number | null {
  const all = times.map((one) => provesAfterMsOf({ ...one, prepare: null }));
  const known = all.filter((one) => one !== null);
  return known.length < all.length ? null : Math.max(...known);
}

/**
 * Leaves out the payments that a statement may list under another name: an operator may cut our reference off, write it
 * in another way or leave it out. That a payment is not listed proves nothing while one that looks like it is.
 * @param unplaced from the time on at which the first of the payments was sent.
 */
export function withoutLookalikes(
  notPaid: readonly OurPayment[],
  unplaced: readonly Unplaced[],
  { toleranceMs }: MatchOptions,
): OurPayment[] {
  // A whole reference of ours names another payment for certain.
  const unnamed = unplaced.filter(({ reference }) => reference === null || !isReference(reference));
  return notPaid.filter((payment) => {
    const from = Number(payment.firstSentAt) - toleranceMs;
    return !unnamed.some((row) => Number(row.at) >= from && mayBe(row, payment));
  });
}

/** Shorter texts are in many references. */
const MIN_PART = 6;

function mayBe(row: Unplaced, payment: OurPayment): boolean {
  const [named, own] = [plainReference(row.reference ?? ''), plainReference(payment.reference)];
  if (named.length >= MIN_PART && (own.includes(named) || named.includes(own))) return true;
  const isSameAmount = [payment.amountCents, payment.netCents].includes(row.amountCents);
  const isSameAccount =
    row.account === null || plainReference(row.account) === plainReference(payment.account);
  return isSameAmount && isSameAccount && [null, payment.billerCode].includes(row.billerCode);
}
