import { createHash } from 'node:crypto';
import { amountText, centsOf } from './amounts.ts';
import type { OutcomeName } from './behaviour.ts';
import { Choices } from './choices.ts';
import type { Choice } from './choices.ts';

/** Content of an instruction. Two instructions with one reference must agree on all of it. */
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

/** The behaviour that was chosen for an instruction, if its account does not choose it. */
export interface Chosen {
  readonly outcome?: OutcomeName;
  /** The choice that was used. */
  readonly choice?: string;
}

/** The journal's entries. A payment's state follows from its entries. */
export type Entry =
  | (Chosen & { readonly kind: 'lost'; readonly operator: string; readonly reference: string })
  /** A further instruction with a known reference: harmless here, a second payment elsewhere. */
  | { readonly kind: 'repeated'; readonly operator: string; readonly reference: string }
  | (Chosen & {
      readonly kind: 'paid' | 'declined' | 'accepted' | 'silent';
      readonly atMs: number;
      readonly instruction: Instruction;
    })
  | {
      /** An undecided payment was executed or refused; this many callbacks are to follow. */
      readonly kind: 'executed' | 'refused';
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
    }
  | {
      /** The operator returned what it had paid. */
      readonly kind: 'reversed';
      readonly atMs: number;
      readonly operator: string;
      readonly reference: string;
    }
  | {
      /** Our float with the operator grew, or shrank. */
      readonly kind: 'float';
      readonly atMs: number;
      readonly operator: string;
      /** Cents, as text. */
      readonly change: string;
      /** From now on the operator pays no more than the float holds. */
      readonly isLimited: boolean;
    }
  | {
      /** From now on the operator keeps this part of what it executes out of what it takes. */
      readonly kind: 'commission';
      readonly operator: string;
      readonly bps: number;
    }
  | { readonly kind: 'chosen'; readonly choice: Choice }
  | { readonly kind: 'choices_dropped'; readonly references: string };

export interface Payment {
  readonly instruction: Instruction;
  readonly receivedAtMs: number;
  /** Undefined: the account decides. */
  readonly outcome: OutcomeName | undefined;
  state: 'paid' | 'declined' | 'accepted' | 'silent';
  paidAtMs: number | null;
  /** When it was decided later than it was received. */
  decidedAtMs: number | null;
  reversedAtMs: number | null;
  /** Amount taken from our float, once it is paid. */
  takenCents: bigint;
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

/** A change of our float with an operator that is no payment. */
export interface FloatChange {
  readonly atMs: number;
  readonly cents: bigint;
}

/** More than a sandbox usually pays out. A simulated operator runs dry only if its float was set. */
function openingCents(operator: string): bigint {
  const [first = 0] = createHash('sha256').update(operator).digest();
  return 2_000_000_000n + BigInt(first) * 25_000_000n;
}

/** The operators' records: accepted payments, real payments, and callbacks still to be sent. */
export class Book {
  readonly #payments = new Map<string, Payment>();
  readonly #lost = new Map<string, OutcomeName | undefined>();
  readonly #paid: Payment[] = [];
  /** Payments, less what was returned and added. */
  readonly #spentCents = new Map<string, bigint>();
  readonly #floatChanges = new Map<string, FloatChange[]>();
  readonly #limited = new Set<string>();
  readonly #commissionBps = new Map<string, number>();
  readonly #operators = new Set<string>();
  readonly choices = new Choices();

  find(operator: string, reference: string): Payment | undefined {
    return this.#payments.get(keyOf(operator, reference));
  }

  /** By whichever operator has it. */
  findAnywhere(reference: string): Payment | undefined {
    for (const operator of this.#operators) {
      const payment = this.find(operator, reference);
      if (payment !== undefined) return payment;
    }
    return undefined;
  }

  wasLost(operator: string, reference: string): boolean {
    return this.#lost.has(keyOf(operator, reference));
  }

  /** The behaviour that was chosen for an instruction which was lost. */
  outcomeOfLost(operator: string, reference: string): OutcomeName | undefined {
    return this.#lost.get(keyOf(operator, reference));
  }

  /** True if the operator's float was set, and holds less than this. */
  lacks(operator: string, amount: string): boolean {
    return this.#limited.has(operator) && this.balanceCents(operator) < centsOf(amount);
  }

  /** Throws when the entry contradicts what is known: a journal that was tampered with. */
  apply(entry: Entry): void {
    switch (entry.kind) {
      case 'lost':
        this.#lost.set(keyOf(entry.operator, entry.reference), entry.outcome);
        this.choices.use(entry.choice);
        return;
      case 'repeated':
        return;
      case 'executed':
      case 'refused': {
        const payment = this.#known(entry);
        payment.state = entry.kind === 'executed' ? 'paid' : 'declined';
        for (let index = 0; index < entry.callbacks; index += 1) payment.callbacksOpen.add(index);
        if (entry.kind === 'executed') this.#addPaid(payment, entry.atMs);
        else payment.decidedAtMs = entry.atMs;
        return;
      }
      case 'reversed': {
        const payment = this.#known(entry);
        payment.state = 'declined';
        payment.reversedAtMs = entry.atMs;
        this.#spend(entry.operator, -payment.takenCents);
        return;
      }
      case 'float': {
        const change = { atMs: entry.atMs, cents: BigInt(entry.change) };
        const changes = this.#floatChanges.get(entry.operator) ?? [];
        this.#floatChanges.set(entry.operator, [...changes, change]);
        this.#spend(entry.operator, -change.cents);
        if (entry.isLimited) this.#limited.add(entry.operator);
        return;
      }
      case 'commission':
        this.#commissionBps.set(entry.operator, entry.bps);
        return;
      case 'chosen':
        this.choices.add(entry.choice);
        return;
      case 'choices_dropped':
        this.choices.drop(entry.references);
        return;
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
      return openingCents(operator) - (this.#spentCents.get(operator) ?? 0n);
    }
    let cents = openingCents(operator);
    for (const { takenCents, paidAtMs, reversedAtMs } of this.paidBy(operator)) {
      if ((paidAtMs ?? 0) < beforeMs) cents -= takenCents;
      if (reversedAtMs !== null && reversedAtMs < beforeMs) cents += takenCents;
    }
    for (const change of this.floatChangesOf(operator)) {
      if (change.atMs < beforeMs) cents += change.cents;
    }
    return cents;
  }

  floatChangesOf(operator: string): readonly FloatChange[] {
    return this.#floatChanges.get(operator) ?? [];
  }

  /** The operator's real payments, in the order of payment, with those that it returned. */
  paidBy(operator: string): Payment[] {
    return this.#paid.filter(({ instruction }) => instruction.operator === operator);
  }

  /** Every real payment until now, once, in the order of payment. What was returned is not one. */
  *truth(): Generator<TruthEntry> {
    for (const { instruction, paidAtMs, reversedAtMs } of this.#paid.slice()) {
      if (reversedAtMs !== null) continue;
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
      outcome: entry.outcome,
      state: entry.kind,
      paidAtMs: null,
      decidedAtMs: null,
      reversedAtMs: null,
      takenCents: 0n,
      callbacksOpen: new Set(),
    };
    this.choices.use(entry.choice);
    this.#operators.add(operator);
    this.#payments.set(keyOf(operator, reference), payment);
    if (entry.kind === 'paid') this.#addPaid(payment, entry.atMs);
  }

  #addPaid(payment: Payment, atMs: number): void {
    if (payment.paidAtMs !== null) {
      throw new Error(`reference ${payment.instruction.reference} was paid before`);
    }
    payment.paidAtMs = atMs;
    payment.decidedAtMs = atMs;
    this.#paid.push(payment);
    const { operator, amount } = payment.instruction;
    payment.takenCents = lessCommission(centsOf(amount), this.#commissionBps.get(operator) ?? 0);
    this.#spend(operator, payment.takenCents);
  }

  #spend(operator: string, cents: bigint): void {
    this.#spentCents.set(operator, (this.#spentCents.get(operator) ?? 0n) + cents);
  }

  #known({ operator, reference }: { operator: string; reference: string }): Payment {
    const payment = this.find(operator, reference);
    if (payment === undefined) throw new Error(`${operator} knows no reference ${reference}`);
    return payment;
  }
}

/** True if two instructions with one reference ask for the same. */
export function sameContent(one: Content, other: Content): boolean {
  return (
    one.biller === other.biller &&
    one.account === other.account &&
    one.phone === other.phone &&
    centsOf(one.amount) === centsOf(other.amount) &&
    one.currency === other.currency
  );
}

/** Rounded to whole cents, half up. */
function lessCommission(cents: bigint, bps: number): bigint {
  return cents - (cents * BigInt(bps) + 5_000n) / 10_000n;
}

// Operators are different companies: each has its own references. A code has no space.
function keyOf(operator: string, reference: string): string {
  return `${operator} ${reference}`;
}
