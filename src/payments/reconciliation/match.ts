import type { Outcome } from '../create/payment.ts';
import type { StatementMovement } from '../../connectors/operator-statements.ts';

/** One of our payments as reconciliation sees it. All amounts in cents. */
export interface OurPayment {
  readonly vendorId: number;
  readonly paymentId: string;
  /** `ipay_reference` */
  readonly reference: string;
  readonly billerCode: string;
  readonly account: string;
  /** The instructed amount. */
  readonly amountCents: bigint;
  /** Null while open. */
  readonly outcome: Outcome | null;
  readonly billerReference: string | null;
  /** First and last instruction; null if none was ever sent. */
  readonly firstSentAt: Date | null;
  readonly lastSentAt: Date | null;
  /** The operator's version that has the open instruction; null: none is open. */
  readonly openVersion: number | null;
  /** The result of an instruction is unknown. */
  readonly underWay: boolean;
  readonly settledAt: Date | null;
  /**
   * The amount that the vendor's ledger shows as paid to the operator for it, including
   * corrections.
   */
  readonly postedCents: bigint;
  /**
   * The operator's takings from our float if it executes the instructed amount, and those that the
   * ledger shows: with its cost, less a commission that it nets. A statement may list either.
   */
  readonly netCents: bigint;
  readonly netPostedCents: bigint;
  /**
   * People found that the operator's terms for it differ from ours (`terms_differ`): its statements list
   * `netPostedCents`, and no longer `postedCents`.
   */
  readonly hasOtherTerms: boolean;
  /** It succeeded through another operator, so that this one must not have paid it. */
  readonly paidElsewhere: boolean;
  /** Part of it in the accounts of vendor 0: what we bear, or claim back. */
  readonly houseCents: bigint;
  /** Sum that statements list as paid, less reversals; each movement counts as it was listed last. */
  readonly listedCents: bigint;
  readonly listedPayments: number;
  readonly isListed: boolean;
  /** They list a reversal of it, or one of its movements with another amount than before. */
  readonly isRevised: boolean;
}

/**
 * `matched` agrees with the ledger. `settled` proves an open payment. `reversed` was paid and given
 * back. `noted` is not a payment. `theirs_only`, `amount_difference` and `duplicate` need a person.
 */
export type Verdict =
  | 'matched'
  | 'settled'
  | 'reversed'
  | 'noted'
  | 'theirs_only'
  | 'amount_difference'
  | 'duplicate';

export interface Match {
  readonly movement: StatementMovement;
  readonly verdict: Verdict;
  /** The payment that it is about, if that is certain. */
  readonly payment: OurPayment | null;
  /** The reported outcome, if the ledger has another one or none. */
  readonly reported: Outcome | null;
  /** Not certain: a payment with the same account and amount at about that time. */
  readonly candidate: OurPayment | null;
  /** Amount that a reversal returned beyond everything the operator ever took for the payment, in cents. */
  readonly surplusCents: bigint;
}

export interface MatchOptions {
  /** Tolerated difference between operators' clocks and ours, which also defines "at about that time". */
  readonly toleranceMs: number;
}

/**
 * Matches the movements of a statement that were in no earlier one with our payments: by our
 * reference, by the operator's, and by account, amount and time. Pure.
 */
export function matchStatement(
  movements: readonly StatementMovement[],
  payments: readonly OurPayment[],
  options: MatchOptions,
): Match[] {
  const locations = assign(movements, payments, options);
  const groups = new Map<OurPayment, StatementMovement[]>();
  const matches: Match[] = [];
  for (const movement of movements) {
    const { payment, candidate } = locations.get(movement) ?? { payment: null, candidate: null };
    if (payment !== null) {
      groups.set(payment, [...(groups.get(payment) ?? []), movement]);
      continue;
    }
    const isPayment = movement.kind === 'payment' || movement.kind === 'reversal';
    const verdict = isPayment ? 'theirs_only' : 'noted';
    matches.push({ movement, verdict, payment: null, reported: null, candidate, surplusCents: 0n });
  }
  for (const [payment, group] of groups) matches.push(...judgeGroup(payment, group));
  return matches.toSorted((one, other) => one.movement.line - other.movement.line);
}

interface Place {
  readonly payment: OurPayment | null;
  readonly candidate: OurPayment | null;
}

function assign(
  movements: readonly StatementMovement[],
  payments: readonly OurPayment[],
  options: MatchOptions,
): Map<StatementMovement, Place> {
  const locations = new Map<StatementMovement, Place>();
  const byReference = new Map(payments.map((payment) => [payment.reference, payment]));
  const byOperatorReference = operatorReferenceIndex(payments);
  const taken = new Set<OurPayment>(payments.filter((payment) => payment.listedPayments > 0));
  const unnamed: StatementMovement[] = [];
  for (const movement of movements) {
    if (movement.kind === 'top_up' || movement.kind === 'charge') continue;
    const payment =
      movement.reference === null
        ? byOperatorReference.get(movement.operatorReference)
        : byReference.get(movement.reference);
    if (payment !== undefined) {
      locations.set(movement, { payment, candidate: null });
      taken.add(payment);
    } else if (movement.reference === null && movement.kind === 'payment') {
      unnamed.push(movement);
    }
  }
  const byContent = contentIndex(payments.filter((payment) => !taken.has(payment)));
  for (const movement of unnamed.toSorted((one, other) => Number(one.at) - Number(other.at))) {
    const near = nearest(
      movement,
      byContent.get(contentKey(movement.amountCents, movement.account)) ?? [],
      {
        taken,
        ...options,
      },
    );
    if (near === undefined) continue;
    // Similarity is enough to explain a payment in the ledger; it does not prove another one.
    const certain = near.outcome === 'success';
    locations.set(movement, { payment: certain ? near : null, candidate: certain ? null : near });
    taken.add(near);
  }
  return locations;
}

/** Only references that exactly one payment has; others identify nothing. */
function operatorReferenceIndex(payments: readonly OurPayment[]): Map<string, OurPayment> {
  const index = new Map<string, OurPayment>();
  const ambiguous = new Set<string>();
  for (const payment of payments) {
    const { billerReference } = payment;
    if (billerReference === null) continue;
    if (index.has(billerReference)) ambiguous.add(billerReference);
    index.set(billerReference, payment);
  }
  for (const billerReference of ambiguous) index.delete(billerReference);
  return index;
}

type Amounts = Pick<
  OurPayment,
  'amountCents' | 'netCents' | 'postedCents' | 'netPostedCents' | 'hasOtherTerms'
>;

/** The amounts as which a statement may list what the vendor's ledger has. */
function listableCents({ postedCents, netPostedCents, hasOtherTerms }: Amounts): readonly bigint[] {
  return hasOtherTerms ? [netPostedCents] : [postedCents, netPostedCents];
}

/** The amount without the operator's terms, and with them: as posted or, if nothing is, as instructed. */
function grossAndNet(payment: Amounts): readonly [grossCents: bigint, netCents: bigint] {
  const { amountCents, netCents, postedCents, netPostedCents } = payment;
  return postedCents > 0n ? [postedCents, netPostedCents] : [amountCents, netCents];
}

/**
 * True if a statement lists the payment with the operator's cost and commission. Statements list either
 * amount; one that is neither is compared with the nearest one, because the operator's terms may have
 * changed since ours were entered. By more than a tenth of the amount they do not: then it executed
 * another one.
 */
export function isListedNet(payment: Amounts, listedCents: bigint): boolean {
  const { amountCents, netCents } = payment;
  const [grossCents, netPostedCents] = grossAndNet(payment);
  // If a part is posted, it may be listed in full.
  const fromGross = nearestOf(listedCents, [grossCents, amountCents]);
  const fromNet = nearestOf(listedCents, [netPostedCents, netCents]);
  const wholeCents = grossCents > amountCents ? grossCents : amountCents;
  return fromNet < fromGross && fromNet * TERMS_CHANGE_DIVISOR <= wholeCents;
}

/** True if statements list what is posted with the operator's terms, however much these differ from ours. */
export function isPostedNet({ postedCents, hasOtherTerms }: Amounts): boolean {
  return hasOtherTerms && postedCents > 0n;
}

function nearestOf(cents: bigint, [one, other]: readonly [bigint, bigint]): bigint {
  const [fromOne, fromOther] = [distance(cents, one), distance(cents, other)];
  return fromOne < fromOther ? fromOne : fromOther;
}

const TERMS_CHANGE_DIVISOR = 10n;

function distance(one: bigint, other: bigint): bigint {
  return one > other ? one - other : other - one;
}

/** Derives the executed amount from a movement of our float: net compared with net. */
export function executedCents(
  payment: Amounts,
  movement: Pick<StatementMovement, 'amountCents'>,
): bigint {
  const { amountCents } = movement;
  if (amountCents === payment.netCents) return payment.amountCents;
  const [grossCents, netCents] = grossAndNet(payment);
  return isListedNet(payment, amountCents) ? grossCents + amountCents - netCents : amountCents;
}

/**
 * Derives the executed amount of an open payment that the movement settles. If it is listed with terms
 * that are not ours, it counts as executed in full: whether the difference is the vendor's is for
 * people to say.
 */
export function settledCents(
  payment: Amounts,
  movement: Pick<StatementMovement, 'amountCents'>,
): bigint {
  const { amountCents } = movement;
  return isListedNet(payment, amountCents) ? payment.amountCents : amountCents;
}

function contentKey(amountCents: bigint, account: string | null): string {
  return `${amountCents} ${account ?? ''}`;
}

function contentIndex(payments: readonly OurPayment[]): Map<string, OurPayment[]> {
  const index = new Map<string, OurPayment[]>();
  for (const payment of payments) {
    for (const amountCents of new Set([payment.amountCents, payment.netCents])) {
      const key = contentKey(amountCents, payment.account);
      const known = index.get(key);
      if (known === undefined) index.set(key, [payment]);
      else known.push(payment);
    }
  }
  return index;
}

function nearest(
  movement: StatementMovement,
  alike: readonly OurPayment[],
  { taken, toleranceMs }: MatchOptions & { readonly taken: ReadonlySet<OurPayment> },
): OurPayment | undefined {
  const distanceMs = (payment: OurPayment): number => {
    const { firstSentAt, settledAt } = payment;
    if (firstSentAt === null) return Number.POSITIVE_INFINITY;
    const early = Number(firstSentAt) - Number(movement.at);
    const late = settledAt === null ? 0 : Number(movement.at) - Number(settledAt);
    return Math.max(early, late, 0);
  };
  return alike
    .filter((payment) => !taken.has(payment))
    .filter(({ billerCode }) => movement.billerCode === null || movement.billerCode === billerCode)
    .filter((payment) => distanceMs(payment) <= toleranceMs)
    .toSorted(
      (one, other) =>
        Number(other.outcome === 'success') - Number(one.outcome === 'success') ||
        distanceMs(one) - distanceMs(other) ||
        (one.paymentId < other.paymentId ? -1 : 1),
    )[0];
}

/** All movements about one payment, in order of time. */
function judgeGroup(before: OurPayment, group: readonly StatementMovement[]): Match[] {
  const ordered = group.toSorted(
    (one, other) => Number(one.at) - Number(other.at) || one.line - other.line,
  );
  const cancelled = cancel(ordered);
  let payment = before;
  let { listedCents, isListed } = payment;
  const matches: Match[] = [];
  const say = (
    movement: StatementMovement,
    verdict: Verdict,
    reported: Outcome | null = null,
    surplusCents = 0n,
  ): void =>
    void matches.push({
      ...{ movement, verdict, reported, candidate: null, surplusCents },
      payment: verdict === 'settled' ? before : payment,
    });
  for (const movement of ordered) {
    if (cancelled.has(movement)) continue;
    if (movement.kind === 'reversal') {
      listedCents -= movement.amountCents;
      const [verdict, reported] = judgeReversal(payment, listedCents);
      // One report for each payment: what this statement settles is not reported again.
      if (payment !== before) say(movement, verdict);
      // A statement with the payment itself may come later.
      else say(movement, verdict, reported, isListed ? surplusOf(movement, listedCents) : 0n);
    } else {
      isListed = true;
      listedCents += movement.amountCents;
      const [verdict, reported] = judgePayment(payment, movement, listedCents);
      say(movement, verdict, reported);
      if (verdict === 'settled') payment = settledBy(payment, movement);
    }
  }
  for (const movement of cancelled) {
    const takenBack = payment.outcome === 'success' && listedCents === 0n;
    if (takenBack && movement.kind === 'reversal') say(movement, 'theirs_only', 'failed');
    else say(movement, 'reversed');
  }
  return matches;
}

/** The payment as the movement settles it, for what follows in the statement. */
function settledBy(payment: OurPayment, movement: StatementMovement): OurPayment {
  const { amountCents, netCents } = payment;
  const cents = settledCents(payment, movement);
  const isAll = cents >= amountCents;
  const postedCents = isAll ? amountCents : cents;
  return { ...payment, outcome: 'success', postedCents, netPostedCents: isAll ? netCents : cents };
}

/** Payments that were reversed within the statement, and the reversals. */
function cancel(ordered: readonly StatementMovement[]): Set<StatementMovement> {
  const cancelled = new Set<StatementMovement>();
  for (const [index, reversal] of ordered.entries()) {
    if (reversal.kind !== 'reversal') continue;
    const payment = ordered
      .slice(0, index)
      .findLast(
        (movement) =>
          movement.kind === 'payment' &&
          movement.amountCents === reversal.amountCents &&
          !cancelled.has(movement),
      );
    if (payment !== undefined) cancelled.add(payment).add(reversal);
  }
  return cancelled;
}

/** Compares the listed sum with the ledger's, with the operator's terms or without. */
function isInBooks(payment: OurPayment, listedCents: bigint): boolean {
  const { amountCents, netCents, netPostedCents, houseCents, hasOtherTerms } = payment;
  if (listableCents(payment).some((cents) => cents + houseCents === listedCents)) return true;
  // Our own accounts have a payment, or the rest of it, with the operator's terms.
  const isHouseNet = houseCents > 0n && netPostedCents + houseCents === netCents;
  return isHouseNet && !hasOtherTerms && listedCents === amountCents;
}

/** True if our own accounts have what the operator took for the payment, and the vendor's have nothing. */
export function isOurs({ postedCents, houseCents }: OurPayment): boolean {
  return postedCents === 0n && houseCents > 0n;
}

/** @param listedCents with this movement. */
function judgePayment(
  payment: OurPayment,
  movement: StatementMovement,
  listedCents: bigint,
): [Verdict, (Outcome | null)?] {
  // What was listed before has been returned, all of it.
  const isFirst = listedCents <= movement.amountCents;
  if (payment.paidElsewhere) return ['duplicate'];
  if (payment.outcome === null) return isFirst ? ['settled', 'success'] : ['duplicate'];
  const isPosted = listableCents(payment).includes(movement.amountCents);
  // Unless the operator has returned money of ours for what was listed before.
  const isCovered = listedCents <= movement.amountCents + payment.houseCents;
  if (isInBooks(payment, listedCents) || (isPosted && isCovered)) return ['matched'];
  if (!isFirst) return ['duplicate'];
  if (isOurs(payment)) return ['amount_difference'];
  return payment.outcome === 'success' ? ['amount_difference'] : ['theirs_only', 'success'];
}

function surplusOf({ amountCents }: StatementMovement, listedCents: bigint): bigint {
  if (listedCents >= 0n) return 0n;
  return amountCents < -listedCents ? amountCents : -listedCents;
}

function judgeReversal(payment: OurPayment, listedCents: bigint): [Verdict, (Outcome | null)?] {
  if (isInBooks(payment, listedCents)) return ['reversed'];
  const takenBack = payment.outcome === 'success' && listedCents <= 0n;
  return takenBack ? ['theirs_only', 'failed'] : ['theirs_only'];
}

/**
 * The part of a payment or reversal that our ledger does not have, in cents: of a payment with another
 * amount, the difference. Below zero: the operator took less than the ledger has. Pure.
 */
export function unexplainedCents({ movement, verdict, payment }: Match): bigint {
  const { kind, amountCents } = movement;
  if (verdict === 'noted' || verdict === 'matched' || verdict === 'reversed') return 0n;
  if (payment !== null && verdict === 'settled') {
    if (isListedNet(payment, amountCents)) return amountCents - payment.netCents;
    // The ledger never takes more than was instructed.
    const moreCents = amountCents - payment.amountCents;
    return moreCents > 0n ? moreCents : 0n;
  }
  if (payment !== null && verdict === 'amount_difference') {
    if (isOurs(payment)) return amountCents - payment.houseCents;
    return differenceCents(payment, amountCents) - payment.houseCents;
  }
  return kind === 'reversal' ? -amountCents : amountCents;
}

/** The statement's amount less the vendor's ledger's: net compared with net. Pure. */
export function differenceCents(payment: Amounts, listedCents: bigint): bigint {
  const [grossCents, netCents] = grossAndNet(payment);
  const isNet = isPostedNet(payment) || isListedNet(payment, listedCents);
  return listedCents - (isNet ? netCents : grossCents);
}
