import { createHash } from 'node:crypto';
import { amountText, centsOf } from './amounts.ts';

/** What an instruction is about. Two instructions with one reference must agree on all of it. */
export interface Content {
  readonly biller: string;
  readonly account: string;
  readonly phone: string | null;
  /** Decimal text with two places. */
  readonly amount: string;
  readonly currency: string;
}

export interface Instruction extends Content {
  readonly operator: string;
  readonly reference: string;
  readonly callbackUrl: string;
}

/** The journal's entries. A payment's state follows from its entries. */
export type Entry =
  | { readonly kind: 'lost'; readonly operator: string; readonly reference: string }
  /** A further instruction with a known reference: harmless here, a second payment elsewhere. */
  | { readonly kind: 'repeated'; readonly operator: string; readonly reference: string }
  | {
      readonly kind: 'paid' | 'declined' | 'accepted' | 'silent';
      readonly atMs: number;
      readonly instruction: Instruction;
    }
  | {
      /** An accepted payment was executed; this many callbacks are to follow. */
      readonly kind: 'executed';
      readonly atMs: number;
      readonly operator: string;
      readonly reference: string;
      readonly callbacks: number;
    }
  | {
      /** One callback arrived, or was given up. */
      readonly kind: 'callback_done';
      readonly operator: string;
      readonly reference: string;
      readonly index: number;
    };

export interface Payment {
  readonly instruction: Instruction;
  readonly receivedAtMs: number;
  state: 'paid' | 'declined' | 'accepted' | 'silent';
  paidAtMs: number | null;
  /** Indexes of the callbacks still to be sent. */
  readonly callbacksOpen: Set<number>;
}

export interface TruthEntry {
  readonly reference: string;
  readonly biller: string;
  readonly account: string;
  readonly amount: string;
  readonly paid_at: string;
}

/** More than a sandbox usually pays out. It is only reported: a simulated operator never runs dry. */
function openingCents(operator: string): bigint {
  const [first = 0] = createHash('sha256').update(operator).digest();
  return 2_000_000_000n + BigInt(first) * 25_000_000n;
}

/** The operators' records: accepted payments, real payments, and callbacks still to be sent. */
export class Book {
  readonly #payments = new Map<string, Payment>();
  readonly #lost = new Set<string>();
  readonly #paid: Payment[] = [];
  readonly #paidCents = new Map<string, bigint>();

  find(operator: string, reference: string): Payment | undefined {
    return this.#payments.get(keyOf(operator, reference));
  }

  wasLost(operator: string, reference: string): boolean {
    return this.#lost.has(keyOf(operator, reference));
  }

  /** Throws when the entry contradicts what is known: a journal that was tampered with. */
  apply(entry: Entry): void {
    switch (entry.kind) {
      case 'lost':
        this.#lost.add(keyOf(entry.operator, entry.reference));
        return;
      case 'repeated':
        return;
      case 'executed': {
        const payment = this.#known(entry);
        payment.state = 'paid';
        for (let index = 0; index < entry.callbacks; index += 1) payment.callbacksOpen.add(index);
        this.#addPaid(payment, entry.atMs);
        return;
      }
      case 'callback_done':
        this.#known(entry).callbacksOpen.delete(entry.index);
        return;
      default:
        this.#open(entry);
    }
  }

  /** @param beforeMs what was paid from then on does not count. */
  balanceCents(operator: string, beforeMs?: number): bigint {
    if (beforeMs === undefined) {
      return openingCents(operator) - (this.#paidCents.get(operator) ?? 0n);
    }
    let cents = openingCents(operator);
    for (const { instruction, paidAtMs } of this.paidBy(operator)) {
      if ((paidAtMs ?? 0) < beforeMs) cents -= centsOf(instruction.amount);
    }
    return cents;
  }

  /** The operator's real payments, in the order of payment. */
  paidBy(operator: string): Payment[] {
    return this.#paid.filter(({ instruction }) => instruction.operator === operator);
  }

  /** Every real payment until now, once, in the order of payment. */
  *truth(): Generator<TruthEntry> {
    for (const { instruction, paidAtMs } of this.#paid.slice()) {
      yield {
        reference: instruction.reference,
        biller: instruction.biller,
        account: instruction.account,
        amount: amountText(centsOf(instruction.amount)),
        paid_at: new Date(paidAtMs ?? 0).toISOString(),
      };
    }
  }

  /** Payments that are still to be executed or reported. */
  *unfinished(): Generator<Payment> {
    for (const payment of this.#payments.values()) {
      if (payment.state === 'accepted' || payment.callbacksOpen.size > 0) yield payment;
    }
  }

  #open(entry: Extract<Entry, { instruction: Instruction }>): void {
    const { operator, reference } = entry.instruction;
    if (this.find(operator, reference) !== undefined) {
      throw new Error(`${operator} knows reference ${reference} already`);
    }
    const payment: Payment = {
      instruction: entry.instruction,
      receivedAtMs: entry.atMs,
      state: entry.kind,
      paidAtMs: null,
      callbacksOpen: new Set(),
    };
    this.#payments.set(keyOf(operator, reference), payment);
    if (entry.kind === 'paid') this.#addPaid(payment, entry.atMs);
  }

  #addPaid(payment: Payment, atMs: number): void {
    if (payment.paidAtMs !== null) {
      throw new Error(`reference ${payment.instruction.reference} was paid before`);
    }
    payment.paidAtMs = atMs;
    this.#paid.push(payment);
    const { operator, amount } = payment.instruction;
    this.#paidCents.set(operator, (this.#paidCents.get(operator) ?? 0n) + centsOf(amount));
  }

  #known({ operator, reference }: { operator: string; reference: string }): Payment {
    const payment = this.find(operator, reference);
    if (payment === undefined) throw new Error(`${operator} knows no reference ${reference}`);
    return payment;
  }
}

/** Whether two instructions with one reference ask for the same. */
export function sameContent(one: Content, other: Content): boolean {
  return (
    one.biller === other.biller &&
    one.account === other.account &&
    one.phone === other.phone &&
    centsOf(one.amount) === centsOf(other.amount) &&
    one.currency === other.currency
  );
}

// Operators are different companies: each has its own references. A code has no space.
function keyOf(operator: string, reference: string): string {
  return `${operator} ${reference}`;
}
