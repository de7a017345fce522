import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { vi } from 'vitest';
import { createBillerCatalogue } from '../../src/payments/billers/catalogue.ts';
import type { BillerCatalogue } from '../../src/payments/billers/catalogue.ts';
import { createAvailabilities } from '../../src/payments/dispatch/availability.ts';
import type { Connector } from '../../src/payments/dispatch/connector.ts';
import { startDispatcher } from '../../src/payments/dispatch/dispatcher.ts';
import type { Dispatcher } from '../../src/payments/dispatch/dispatcher.ts';
import { createSettler } from '../../src/payments/settle/settle.ts';
import type { Settler } from '../../src/payments/settle/settle.ts';
import { createPayments, readPayment } from '../../src/payments/create/store.ts';
import type { PaymentRow } from '../../src/payments/create/store.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import type { Books } from './money-fixture.ts';

/** One process that dispatches. */
export interface Dispatch {
  readonly dispatcher: Dispatcher;
  readonly catalogue: BillerCatalogue;
  readonly settler: Settler;
  /** Stops as the service does. */
  stop(graceMs?: number): Promise<void>;
}

/** Starts a dispatcher whose waits are milliseconds. */
export async function startDispatch(
  books: Books,
  options: {
    /** By operator code. */
    readonly connectors: Readonly<Record<string, Connector>>;
    readonly openAfterFailures?: number;
    readonly cooldownMs?: number;
    /** Default 10 ms. */
    readonly pollMs?: number;
    /** Connection string of its pools; default: the books' own. */
    readonly url?: string;
  },
): Promise<Dispatch> {
  const log = pino({ level: 'silent' });
  const location = { url: options.url ?? books.url, byIndexOnly: true };
  const pool = books.openPool({ ...location, max: 3 });
  const catalogue = createBillerCatalogue({
    pool,
    masterKeys: { current: randomBytes(32), previous: undefined },
    readSecrets: async () => new Map(),
  });
  await catalogue.reload();
  const connectorOf = (operatorCode: string): Connector | undefined =>
    options.connectors[operatorCode];
  const settler = createSettler({ pools: [books.openPool(location)], deadlineMs: 8_000 });
  const availabilities = createAvailabilities({
    pool,
    catalogue,
    connectorOf,
    openAfterFailures: options.openAfterFailures ?? 1_000,
    cooldownMs: options.cooldownMs ?? 5,
    log,
  });
  const dispatcher = startDispatcher({
    pool,
    progressPool: books.openPool(location),
    catalogue,
    connectorOf,
    settler,
    availabilities,
    policy: { verifyFirstMs: 1, verifyMaxMs: 4, resendFirstMs: 1, resendMaxMs: 4 },
    pollMs: options.pollMs ?? 10,
    laneDeadlineMs: 8_000,
    log,
  });
  let stopping: Promise<void> | undefined;
  return {
    dispatcher,
    catalogue,
    settler,
    stop: async (graceMs = 5_000) => {
      stopping ??= (async () => {
        await dispatcher.stop(graceMs);
        await settler.idle();
        await availabilities.idle();
      })();
      await stopping;
    },
  };
}

/** Creates the payments, at most so many as one call takes. */
export async function create(books: Books, made: readonly NewPayment[]): Promise<void> {
  const decisions = await createPayments(books.pool, made, false);
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
  return await vi.waitFor(check, { timeout: 15_000, interval: 5 });
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
  /** Due so far ahead, by the database's clock. */
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
