export const STATES = {
  CREATED: { id: 1, message: 'CREATED' },
  CONFIRMED: { id: 2, message: 'CONFIRMED' },
  REJECTED: { id: 3, message: 'REJECTED' },
  CANCELLED: { id: 4, message: 'CANCELLED' },
  SUBMITTED: { id: 5, message: 'SUBMITTED' },
  COMPLETED: { id: 7, message: 'COMPLETED' },
  REVERSED: { id: 8, message: 'REVERSED' },
  DECLINED: { id: 9, message: 'DECLINED' },
} as const;
export type State = keyof typeof STATES;

export interface Transaction {
  readonly id: number;
  readonly externalId: string;
  readonly productId: number;
  readonly account: string;
  readonly creditParty: Readonly<Record<string, string>>;
  /** In KES, as instructed; null for a fixed product. */
  readonly requested: number | null;
  /** In KES, as delivered. */
  delivered: number;
  readonly callbackUrl: string | null;
  readonly createdAtMs: number;
  confirmedAtMs: number | null;
  /** When it was delivered. */
  endedAtMs: number | null;
  state: State;
  message: string;
  hasPin: boolean;
}

/** Longest time between creation and confirmation. */
export const CONFIRM_WITHIN_MS = 3_600_000;

/** @param skewMs of the emulator's clock. */
export function show(transaction: Transaction, skewMs: number): object {
  const { id, externalId, state, message, requested, delivered, createdAtMs } = transaction;
  const time = (atMs: number | null): string | null =>
    atMs === null ? null : new Date(atMs + skewMs).toISOString();
  const { id: classId, message: className } = STATES[state];
  const isDone = state === 'COMPLETED' || state === 'REVERSED';
  return {
    id,
    external_id: externalId,
    creation_date: time(createdAtMs),
    confirmation_expiration_date: time(createdAtMs + CONFIRM_WITHIN_MS),
    confirmation_date: time(transaction.confirmedAtMs),
    status: { id: classId * 10_000, message, class: { id: classId, message: className } },
    operator_reference: isDone ? `OP${id}` : null,
    pin: isDone && transaction.hasPin ? { code: '00001111222233334444', serial: 'S1' } : null,
    product: {
      id: transaction.productId,
      name: 'Example Power',
      type: requested === null ? 'FIXED_VALUE_RECHARGE' : 'RANGED_VALUE_PAYMENT',
      service: { id: 3, name: 'Utilities', subservice: { id: 31, name: 'Electricity' } },
    },
    prices: {
      wholesale: { unit_type: 'CURRENCY', unit: 'KES', amount: delivered, fee: 0 },
      retail: null,
    },
    rates: { base: 1, wholesale: 1, retail: null },
    benefits: null,
    promotions: null,
    requested_values: requested === null ? null : inKes(requested),
    adjusted_values: requested === null || delivered === requested ? null : inKes(delivered),
    credit_party_identifier: transaction.creditParty,
    callback_url: transaction.callbackUrl,
  };
}

function inKes(amount: number): object {
  return { destination: { unit_type: 'CURRENCY', unit: 'KES', amount } };
}
