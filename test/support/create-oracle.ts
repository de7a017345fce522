import type { CreateDecision, NewPayment } from '../../src/payments/create/payment.ts';

/** The expected decision on one row: its kind, and the payments that the answer may name. */
export interface Expected {
  readonly kind: CreateDecision['kind'];
  readonly names: readonly string[];
}

/** Decides creates one by one in memory. Every batch must give the same decisions. */
export interface CreateOracle {
  addFloat(vendorId: number, amountCents: bigint): void;
  decide(row: NewPayment): Expected;
  readonly accepted: readonly NewPayment[];
  balances(vendorId: number): { readonly float: bigint; readonly reserved: bigint };
}

/** It has no clock: everything happens within the duplicate window. */
export function createOracle(): CreateOracle {
  const accepted: NewPayment[] = [];
  const floats = new Map<number, bigint>();
  const reserved = new Map<number, bigint>();
  const decide = (row: NewPayment): Expected => {
    const own = accepted.filter((known) => known.vendorId === row.vendorId);
    if (own.some((known) => known.paymentId === row.paymentId)) {
      return { kind: 'accepted', names: [row.paymentId] };
    }
    const first = own.find(
      (known) =>
        row.merchantReference !== null && known.merchantReference === row.merchantReference,
    );
    if (first !== undefined) {
      const same = equalPayment(first, row) && first.phone === row.phone;
      return same
        ? { kind: 'replayed', names: [first.paymentId] }
        : { kind: 'reference_reused', names: [first.paymentId] };
    }
    const twins = own.filter((known) => equalPayment(known, row));
    if (row.duplicateSeconds > 0 && twins.length > 0) {
      return { kind: 'likely_duplicate', names: twins.map((twin) => twin.paymentId) };
    }
    const total = row.amountCents + row.feeCents;
    if ((floats.get(row.vendorId) ?? 0n) < total) return { kind: 'insufficient_float', names: [] };
    add(floats, row.vendorId, -total);
    add(reserved, row.vendorId, total);
    accepted.push(row);
    return { kind: 'accepted', names: [row.paymentId] };
  };
  return {
    accepted,
    decide,
    addFloat: (vendorId, amountCents) => add(floats, vendorId, amountCents),
    balances: (vendorId) => ({
      float: floats.get(vendorId) ?? 0n,
      reserved: reserved.get(vendorId) ?? 0n,
    }),
  };
}

function add(to: Map<number, bigint>, vendorId: number, cents: bigint): void {
  to.set(vendorId, (to.get(vendorId) ?? 0n) + cents);
}

function equalPayment(one: NewPayment, other: NewPayment): boolean {
  return (
    one.billerCode === other.billerCode &&
    one.account === other.account &&
    one.amountCents === other.amountCents
  );
}

/** The payment that a decision names, if any. */
export function namedBy(decision: CreateDecision): string | undefined {
  return 'paymentId' in decision ? decision.paymentId : undefined;
}
