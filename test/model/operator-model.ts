import fc from 'fast-check';

/** A movement of our float as the operator lists it now. */
export interface Listed {
  readonly day: number;
  readonly type: 'payment' | 'reversal';
  /** The operator's reference. */
  readonly name: string;
  /** The payment, by its place in the run. */
  readonly of: number;
  amountCents: bigint;
}

/** What an operator really did: money out, money back, and what it lists of both. */
export interface OperatorModel {
  readonly listed: Listed[];
  /** The highest amount that it ever listed as paid at once, by payment. */
  readonly highestCents: Map<number, bigint>;
}

export const DAYS = 3;
/** Payments of a run that the ledger has, and after them those that a restore lost. */
export const KNOWN = 5;
export const LOST = 1;
export const AMOUNT_CENTS = 10_000n;

/** The ledger's result of a payment before any statement; null: open. */
export type Fate = 'success' | 'failed' | null;

export type Step =
  | { readonly kind: 'pay'; readonly of: number; readonly day: number; readonly cents: bigint }
  | { readonly kind: 'reverse'; readonly pick: number; readonly day: number }
  | { readonly kind: 'change'; readonly pick: number; readonly cents: bigint }
  /** The statements of all days up to this one, which list what the operator did meanwhile. */
  | { readonly kind: 'import'; readonly day: number }
  /** People resolve this many cases, chosen by `picks`. */
  | { readonly kind: 'resolve'; readonly count: number; readonly picks: readonly number[] };

const day = fc.nat(DAYS - 1);
const pick = fc.nat(100);
const cents = fc.constantFrom(AMOUNT_CENTS, AMOUNT_CENTS, 5_000n, 12_000n);
export const picks = fc.array(pick, { minLength: 1, maxLength: 12 });

export const fates = fc.array(fc.constantFrom<Fate>('success', 'failed', null), {
  minLength: KNOWN,
  maxLength: KNOWN,
});

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('pay' as const),
      of: fc.nat(KNOWN + LOST - 1),
      day,
      cents,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('reverse' as const), pick, day }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('change' as const), pick, cents }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('import' as const), day }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('resolve' as const),
      count: fc.integer({ min: 1, max: 4 }),
      picks,
    }),
  },
);

export const steps = fc.array(step, { minLength: 4, maxLength: 30, size: 'max' });

/** What the operator does in this step. Steps that need a movement do nothing without one. */
export function act(model: OperatorModel, done: Step): void {
  const { listed } = model;
  switch (done.kind) {
    case 'pay': {
      const name = `P${listed.length}`;
      list(model, { day: done.day, type: 'payment', name, of: done.of, amountCents: done.cents });
      return;
    }
    case 'reverse': {
      const paid = listed.filter((one) => one.type === 'payment' && !isReversed(model, one));
      const chosen = paid[done.pick % paid.length];
      if (chosen === undefined) return;
      const { of, amountCents } = chosen;
      const onDay = done.day > chosen.day ? done.day : chosen.day;
      list(model, { day: onDay, type: 'reversal', name: `R${chosen.name}`, of, amountCents });
      return;
    }
    case 'change': {
      const chosen = listed[done.pick % listed.length];
      if (chosen === undefined) return;
      chosen.amountCents = done.cents;
      raise(model, chosen);
      return;
    }
    case 'import':
    case 'resolve':
  }
}

function isReversed({ listed }: OperatorModel, payment: Listed): boolean {
  return listed.some(({ name }) => name === `R${payment.name}`);
}

function list(model: OperatorModel, movement: Listed): void {
  model.listed.push(movement);
  raise(model, movement);
}

function raise({ highestCents }: OperatorModel, { type, of, amountCents }: Listed): void {
  const known = highestCents.get(of) ?? 0n;
  if (type === 'payment' && amountCents > known) highestCents.set(of, amountCents);
}

/** What the operator has of our money in the end: what it took, less what it returned. */
export function keptCents({ listed }: OperatorModel, ours: readonly Fate[]): bigint {
  const ofListed = listed.reduce(
    (sum, { type, amountCents }) => sum + (type === 'payment' ? amountCents : -amountCents),
    0n,
  );
  const unlisted = ours.filter(
    (fate, index) => fate === 'success' && listed.every(({ of }) => of !== index),
  );
  return ofListed + BigInt(unlisted.length) * AMOUNT_CENTS;
}
