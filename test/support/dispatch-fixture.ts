import { pino } from 'pino';
import { vi } from 'vitest';
import type { BillerCatalogue } from '../../src/payments/billers/catalogue.ts';
import type { Connector } from '../../src/connectors/operator.ts';
import type { Settler } from '../../src/payments/settle/settle.ts';
import { createPayments, readPayment } from '../../src/payments/create/store.ts';
import type { PaymentRow } from '../../src/payments/create/store.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import { openPayments } from '../../src/payments/payments.ts';
import type { Payments } from '../../src/payments/payments.ts';
import { PRODUCTION_TIMING } from '../../src/payments/timing.ts';
import type { OpenPool } from '../../src/platform/db/pool.ts';
import type { Books } from './money-fixture.ts';
import { zoneAtNoon } from './noon.ts';

/** One process that dispatches. */
export interface Dispatch {
  readonly dispatcher: NonNullable<Payments['dispatcher']>;
  readonly catalogue: BillerCatalogue;
  readonly settler: Settler;
  /** Stops as the service does. */
  stop(graceMs?: number): Promise<void>;
}

interface PaymentsOfTest {
  /** By operator code. Default: none. */
  readonly connectors?: Readonly<Record<string, Connector>>;
  readonly roles?: readonly 'dispatcher'[];
  /** Default 1. */
  readonly laneConnections?: number;
  readonly openAfterFailures?: number | undefined;
  readonly cooldownMs?: number | undefined;
  /** Default 10 ms. */
  readonly pollMs?: number | undefined;
  /** Connection string of its pools; default: the books' own. */
  readonly url?: string | undefined;
}

/** The payments wing of one process. Its pools are closed with the fixture. */
export function openPaymentsOf(books: Books, options: PaymentsOfTest = {}): Payments {
  const location = { url: options.url ?? books.url };
  const openPool: OpenPool = (pool) => books.openPool({ ...location, ...pool });
  return openPayments({
    pool: openPool({ name: 'main', max: 3, byIndexOnly: true }),
    openPool,
    directory: { vendorById: () => undefined },
    roles: new Set(options.roles),
    settings: {
      laneConnections: options.laneConnections ?? 1,
      breakerFailures: options.openAfterFailures ?? 1_000,
      breakerCooldownMs: options.cooldownMs ?? 5,
      timeZone: zoneAtNoon(),
    },
    laneMinItems: 1,
    timing: {
      ...PRODUCTION_TIMING,
      retries: { verifyFirstMs: 1, verifyMaxMs: 4, resendFirstMs: 1, resendMaxMs: 4 },
      queuePollMs: options.pollMs ?? 10,
      detailsPollMs: options.pollMs ?? 10,
      details: { firstMs: 1, maxMs: 4 },
    },
    ledgerMac: books.ledgerMac,
    operators: { connectorOf: (operatorCode) => options.connectors?.[operatorCode] },
    log: pino({ level: 'silent' }),
  });
}

/** Starts a dispatcher whose waits are milliseconds. */
export async function startDispatch(
  books: Books,
  options: PaymentsOfTest & Required<Pick<PaymentsOfTest, 'connectors'>>,
): Promise<Dispatch> {
  const payments = openPaymentsOf(books, { ...options, roles: ['dispatcher'] });
  await payments.catalogue.reload();
  payments.start();
  const { dispatcher } = payments;
  if (dispatcher === undefined) throw new Error('the dispatcher did not start');
  return {
    dispatcher,
    catalogue: payments.catalogue,
    settler: payments.settler,
    stop: async (graceMs = 5_000) => await payments.stop(() => graceMs),
  };
}

/** Creates the payments; at most as many as one call accepts. */
export async function create(books: Books, made: readonly NewPayment[]): Promise<void> {
  const decisions = await createPayments(books.pool, made);
  const refused = decisions.find((decision) => decision.kind !== 'accepted');
  if (refused !== undefined) throw new Error(`not accepted: ${refused.kind}`);
}

export async function readStored(books: Books, made: NewPayment): Promise<PaymentRow> {
  const stored = await readPayment(books.pool, made.vendorId, made.paymentId);
  if (stored === undefined) throw new Error('the transaction is gone');
  return stored;
}

/** Tries until it passes. */
export async function until<Result>(check: () => Result | Promise<Result>): Promise<Result> {
  return await vi.waitFor(check, { timeout: 60_000, interval: 5 });
}

/** Waits for the end of the payment and returns the outcome. */
export async function outcomeOf(books: Books, made: NewPayment): Promise<string> {
  return await until(async () => {
    const { outcome } = await readStored(books, made);
    if (outcome === null) throw new Error('the transaction is open');
    return outcome;
  });
}

export interface AttemptRow {
  readonly attempt_number: number;
  readonly outcome: string | null;
  readonly note: string | null;
  readonly operator_handle: string | null;
}

export async function readAttempts(books: Books, made: NewPayment): Promise<AttemptRow[]> {
  const read = await books.pool.query<AttemptRow>(
    `select attempt_number, outcome, note, operator_handle from attempts
     where vendor_id = $1 and payment_id = $2 order by attempt_number`,
    [made.vendorId, made.paymentId],
  );
  return read.rows;
}

export interface QueueRow {
  readonly stage: string;
  readonly claim_number: number;
  readonly attempt_number: number;
  readonly verify_count: number;
  /** Milliseconds until it is due, by the database's clock. */
  readonly due_in_ms: number;
}

/** The payment's place in the queue; undefined when it is settled. */
export async function readQueued(books: Books, made: NewPayment): Promise<QueueRow | undefined> {
  const read = await books.pool.query<QueueRow>(
    `select stage, claim_number, attempt_number, verify_count,
       (extract(epoch from due_at - clock_timestamp()) * 1000)::float8 as due_in_ms
     from dispatch_queue where vendor_id = $1 and payment_id = $2`,
    [made.vendorId, made.paymentId],
  );
  return read.rows[0];
}
