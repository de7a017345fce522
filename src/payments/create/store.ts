import { bigintArray, integerArray, textArray, uuidArray } from '../../platform/db/arrays.ts';
import { POSTPONED } from '../../platform/db/lane.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { byBucket } from '../../parties/by-bucket-store.ts';
import type { FailureCode } from './failure-code.ts';
import type { CreateDecision, NewPayment, Outcome } from './payment.ts';
import { roundsOf } from './rounds.ts';

interface Parameter {
  readonly type: string;
  readonly of: (batch: readonly NewPayment[]) => Buffer | null;
}

const integers = (of: (row: NewPayment) => number | null): Parameter => ({
  type: 'integer[]',
  of: (batch) => integerArray(batch.map(of)),
});
const bigints = (of: (row: NewPayment) => bigint): Parameter => ({
  type: 'bigint[]',
  of: (batch) => bigintArray(batch.map(of)),
});
const texts = (of: (row: NewPayment) => string | null): Parameter => ({
  type: 'text[]',
  of: (batch) => textArray(batch.map(of)),
});
const ifPriced = ({ type, of }: Parameter): Parameter => ({
  type,
  of: (batch) => (batch.some(({ feePrice }) => feePrice !== null) ? of(batch) : null),
});

/** The parameters of create_payments between the bucket and the last one. */
const PARAMETERS: readonly Parameter[] = [
  integers((row) => row.vendorId),
  { type: 'uuid[]', of: (batch) => uuidArray(batch.map((row) => row.paymentId)) },
  texts((row) => row.merchantReference),
  texts((row) => row.billerCode),
  texts((row) => row.account),
  texts((row) => row.phone),
  bigints((row) => row.amountCents),
  bigints((row) => row.feeCents),
  ifPriced(bigints((row) => row.vatCents)),
  ifPriced(integers((row) => row.feePrice)),
  integers((row) => row.duplicateSeconds),
  {
    type: 'integer[]',
    of: (batch) => {
      const rounds = roundsOf(batch);
      return rounds === null ? null : integerArray(rounds);
    },
  },
];

const CREATE = `select row_number as "rowNumber", decision, known_id as "knownId",
  known_at as "knownAt", known_fee as "knownFee" from create_payments($1,
  ${PARAMETERS.map(({ type }, index) => `$${index + 2}::${type}`).join(', ')},
  $${PARAMETERS.length + 2})`;

interface DecisionRow {
  rowNumber: number;
  decision:
    | 'time'
    | 'repeated'
    | 'replayed'
    | 'reference_reused'
    | 'likely_duplicate'
    | 'insufficient_float'
    | 'postponed'
    | 'unexplained';
  knownId: string | null;
  knownAt: Date | null;
  knownFee: bigint | null;
}

/**
 * Commits a batch of creates, one call for each bucket (functions/create_payments.sql). One decision per
 * payment, in order, as if they came one by one. Locks: the vendors' float rows. Idempotent by
 * payment id.
 */
export async function createPayments(
  db: Queryable,
  batch: readonly NewPayment[],
): Promise<CreateDecision[]> {
  return await byBucket(db, batch, async (bucket, rows) => {
    const { createdAt, rest } = await createInBucket(db, bucket, rows, false);
    return decideAll(rows, createdAt, rest);
  });
}

/**
 * Creates payments, but postpones the rows of vendors whose floats other calls have locked. It waits
 * only for the float of the first row's vendor (functions/decide_free_payments.sql).
 */
export async function createOrPostponePayments(
  db: Queryable,
  batch: readonly NewPayment[],
): Promise<(CreateDecision | typeof POSTPONED)[]> {
  return await byBucket(db, batch, async (bucket, rows) => {
    const mayPostpone = !areOfOneVendor(rows);
    const { createdAt, rest } = await createInBucket(db, bucket, rows, mayPostpone);
    const postponed = rest.filter(({ decision }) => decision === 'postponed');
    const decided = rest.filter(({ decision }) => decision !== 'postponed');
    const decisions: (CreateDecision | typeof POSTPONED)[] = decideAll(rows, createdAt, decided);
    for (const { rowNumber } of postponed) decisions[rowNumber - 1] = POSTPONED;
    return decisions;
  });
}

/** Nothing can be postponed in such a batch. */
function areOfOneVendor(rows: readonly NewPayment[]): boolean {
  return rows.every(({ vendorId }) => vendorId === rows[0]?.vendorId);
}

/**
 * Returns the decisions that were not an acceptance, and the time of the accepted ones.
 * @param mayPostpone the rows of vendors whose floats other calls have locked.
 */
async function createInBucket(
  db: Queryable,
  bucket: number,
  batch: readonly NewPayment[],
  mayPostpone: boolean,
): Promise<{ readonly createdAt: Date; readonly rest: readonly DecisionRow[] }> {
  const result = await db.query<DecisionRow>({
    name: 'create_payments',
    text: CREATE,
    values: [bucket, ...PARAMETERS.map(({ of }) => of(batch)), mayPostpone],
  });
  const [time, ...rest] = result.rows;
  if (time === undefined || time.knownAt === null) throw new Error('the batch has no time');
  return { createdAt: time.knownAt, rest };
}

function decideAll(
  batch: readonly NewPayment[],
  createdAt: Date,
  rest: readonly DecisionRow[],
): CreateDecision[] {
  const decisions = batch.map((row): CreateDecision => ({
    kind: 'accepted',
    paymentId: row.paymentId,
    createdAt,
    feeCents: row.feeCents,
  }));
  for (const row of rest) decisions[row.rowNumber - 1] = decisionOf(row);
  return decisions;
}

function decisionOf(row: DecisionRow): CreateDecision {
  switch (row.decision) {
    case 'repeated':
      return { kind: 'accepted', ...known(row) };
    case 'replayed':
      return { kind: 'replayed', ...known(row) };
    case 'reference_reused':
    case 'likely_duplicate':
      return { kind: row.decision, paymentId: known(row).paymentId };
    case 'insufficient_float':
      return { kind: 'insufficient_float' };
    default:
      throw new Error(`create_payments decided “${row.decision}” about row ${row.rowNumber}`);
  }
}

function known(row: DecisionRow): { paymentId: string; createdAt: Date; feeCents: bigint } {
  if (row.knownId === null || row.knownAt === null || row.knownFee === null) {
    throw new Error(`decision ${row.decision} names no payment`);
  }
  return { paymentId: row.knownId, createdAt: row.knownAt, feeCents: row.knownFee };
}

export interface PaymentRow {
  paymentId: string;
  vendorId: number;
  createdAt: Date;
  settledAt: Date | null;
  billerResponseTime: Date | null;
  outcome: Outcome | null;
  billerCode: string;
  account: string;
  phone: string | null;
  amountCents: bigint;
  feeCents: bigint;
  merchantReference: string | null;
  billerReference: string | null;
  message: string | null;
  failureCode: FailureCode | null;
  details: Record<string, string> | null;
  underWay: boolean;
}

const PAYMENT_COLUMNS = `t.payment_id as "paymentId", t.vendor_id as "vendorId",
  t.created_at as "createdAt", t.settled_at as "settledAt",
  t.biller_response_time as "billerResponseTime", t.outcome, t.biller_code as "billerCode",
  t.account, t.phone, t.amount_cents as "amountCents", t.fee_cents as "feeCents",
  t.merchant_reference as "merchantReference", t.biller_reference as "billerReference", t.message,
  t.failure_code as "failureCode", t.details`;

const READ = `select ${PAYMENT_COLUMNS}, q.payment_id is not null as "underWay"
  from payments t left join lateral (
      select d.payment_id from dispatch_queue d
      where d.bucket = bucket_of($1) and d.vendor_id = t.vendor_id and d.biller_code = t.biller_code
        and d.payment_id = t.payment_id and d.stage = 'verify'
      limit 1
    ) q on true
  where t.bucket = bucket_of($1) and t.vendor_id = $1 and `;

/** One payment of the vendor by its id. */
export async function readPayment(
  db: Queryable,
  vendorId: number,
  paymentId: string,
): Promise<PaymentRow | undefined> {
  const read = await db.query<PaymentRow>({
    name: 'read_payment',
    text: `${READ} t.payment_id = $2`,
    values: [vendorId, paymentId],
  });
  return read.rows[0];
}

/** The fee and the prices that were recorded with a payment. */
export interface RecordedPrices {
  readonly feeCents: bigint;
  readonly vatCents: bigint;
  readonly exciseCents: bigint;
  /** The operator that the outcome is from, and the version of its price. */
  readonly executedBy: string | null;
  readonly operatorPrice: number | null;
}

export async function readRecordedPrices(
  db: Queryable,
  vendorId: number,
  paymentId: string,
): Promise<RecordedPrices | undefined> {
  const read = await db.query<RecordedPrices>(
    `select fee_cents as "feeCents", vat_cents as "vatCents",
       excise_of(fee_cents, vat_cents, fee_price) as "exciseCents", operator_code as "executedBy",
       operator_price as "operatorPrice"
     from payments where bucket = bucket_of($1) and vendor_id = $1 and payment_id = $2`,
    [vendorId, paymentId],
  );
  return read.rows[0];
}

/** Deletes archived payments. Returns how many there were. */
export async function deleteSettled(
  db: Queryable,
  vendorId: number,
  paymentIds: readonly string[],
): Promise<number> {
  const deleted = await db.query(
    `delete from payments where bucket = bucket_of($1) and vendor_id = $1 and payment_id = any ($2)
       and outcome is not null`,
    [vendorId, paymentIds],
  );
  return deleted.rowCount ?? 0;
}

/** One payment of the vendor by the vendor's own reference. */
export async function readPaymentByReference(
  db: Queryable,
  vendorId: number,
  merchantReference: string,
): Promise<PaymentRow | undefined> {
  const read = await db.query<PaymentRow>({
    name: 'read_payment_by_reference',
    text: `${READ} t.merchant_reference = $2`,
    values: [vendorId, merchantReference],
  });
  return read.rows[0];
}
