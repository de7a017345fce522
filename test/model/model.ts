import type { Progress, Stage } from '../../src/payments/dispatch/store.ts';
import type {
  FinalReport,
  NewPayment,
  Outcome,
  SettleResult,
} from '../../src/payments/create/payment.ts';
import { createOracle } from '../support/create-oracle.ts';
import type { CreateOracle, Expected } from '../support/create-oracle.ts';

/** One payment as the model knows it. */
export interface ModelPayment {
  readonly row: NewPayment;
  outcome: Outcome | null;
  stage: Stage;
  /** False while a lease or a delay holds it back. */
  due: boolean;
  claimNumber: number;
  attemptNumber: number;
  verifyCount: number;
  /** Of the last instruction. */
  operatorHandle: string | null;
  /** Of the last instruction: whether the operator’s terms were in force. */
  hasTerms: boolean;
  readonly cases: Set<string>;
  /** What the report says about which the case `contradiction` is. */
  contradiction: Outcome | null;
}

/** A claim that a worker holds, or once held. */
export interface ModelClaim {
  readonly payment: ModelPayment;
  readonly claimNumber: number;
  readonly attemptNumber: number;
}

/** What moves outside the float, in cents. */
interface Accounts {
  collected: bigint;
  reserved: bigint;
  operator: bigint;
  fees: bigint;
  vat: bigint;
  /** What the operator charged us, zero or below, and what it gave us. */
  cost: bigint;
  commission: bigint;
  /** The total that came from outside. */
  brought: bigint;
}

/** The whole money core in memory, one step after another, without SQL, batches or locks. */
export interface Model {
  /** Decides creates, and holds the float. */
  readonly oracle: CreateOracle;
  readonly accounts: Map<number, Accounts>;
  readonly collections: Map<string, { readonly vendorId: number; readonly amountCents: bigint }>;
  readonly fundings: Map<string, bigint>;
  readonly payments: ModelPayment[];
  readonly claims: ModelClaim[];
  /** Every key of a vendor, and whether it is still valid. */
  readonly keys: Map<number, { readonly secret: string; valid: boolean }[]>;
}

export function createModel(floatsCents: ReadonlyMap<number, bigint>): Model {
  const oracle = createOracle();
  const accounts = new Map<number, Accounts>();
  for (const [vendorId, brought] of floatsCents) {
    oracle.addFloat(vendorId, brought);
    const nothing = { collected: 0n, reserved: 0n, operator: 0n, fees: 0n, vat: 0n };
    accounts.set(vendorId, { ...nothing, cost: 0n, commission: 0n, brought });
  }
  return {
    oracle,
    accounts,
    collections: new Map(),
    fundings: new Map(),
    payments: [],
    claims: [],
    keys: new Map([...floatsCents.keys()].map((vendorId) => [vendorId, []])),
  };
}

export function accountsOf(model: Model, vendorId: number): Accounts {
  const accounts = model.accounts.get(vendorId);
  if (accounts === undefined) throw new Error(`the model has no vendor ${vendorId}`);
  return accounts;
}

/** Returns the amount moved, or `reused` if the reference already has other content. */
export function modelCollect(
  model: Model,
  income: { readonly reference: string; readonly vendorId: number; readonly amountCents: bigint },
): { readonly amountCents: bigint; readonly fresh: boolean } | 'reused' {
  const { reference, vendorId, amountCents } = income;
  const known = model.collections.get(reference);
  if (known !== undefined) {
    const same = known.vendorId === vendorId && known.amountCents === amountCents;
    return same ? { amountCents, fresh: false } : 'reused';
  }
  model.collections.set(reference, { vendorId, amountCents });
  const accounts = accountsOf(model, vendorId);
  accounts.collected += amountCents;
  accounts.brought += amountCents;
  return { amountCents, fresh: true };
}

export function modelFund(
  model: Model,
  vendorId: number,
  time: number,
): { readonly amountCents: bigint; readonly fresh: boolean } {
  const latest = model.fundings.get(`${vendorId} ${time}`);
  const accounts = accountsOf(model, vendorId);
  const amountCents = accounts.collected;
  if (amountCents === 0n) return { amountCents: latest ?? 0n, fresh: false };
  accounts.collected = 0n;
  model.oracle.addFloat(vendorId, amountCents);
  model.fundings.set(`${vendorId} ${time}`, amountCents);
  return { amountCents, fresh: true };
}

export function modelCreate(model: Model, row: NewPayment): Expected {
  const known = model.oracle.accepted.length;
  const expected = model.oracle.decide(row);
  if (model.oracle.accepted.length > known) {
    accountsOf(model, row.vendorId).reserved += row.amountCents + row.feeCents;
    model.payments.push({
      row,
      outcome: null,
      stage: 'send',
      due: true,
      claimNumber: 0,
      attemptNumber: 0,
      verifyCount: 0,
      operatorHandle: null,
      hasTerms: false,
      cases: new Set(),
      contradiction: null,
    });
  }
  return expected;
}

/** Takes the oldest due payments of a queue. */
export function modelClaim(
  model: Model,
  queue: { readonly vendorId: number; readonly billerCode: string; readonly stage: Stage },
  options: { readonly max: number; readonly lapsesAtOnce: boolean; readonly hasTerms: boolean },
): ModelClaim[] {
  const { vendorId, billerCode, stage } = queue;
  const due = model.payments
    .filter(
      ({ row, outcome, ...queued }) =>
        outcome === null &&
        queued.due &&
        queued.stage === stage &&
        !(stage === 'send' && waitsForPeople(queued)) &&
        row.vendorId === vendorId &&
        row.billerCode === billerCode,
    )
    .toSorted((a, b) => (a.row.paymentId < b.row.paymentId ? -1 : 1))
    .slice(0, options.max);
  const claims = due.map((payment): ModelClaim => {
    payment.claimNumber += 1;
    if (stage === 'send') {
      payment.attemptNumber += 1;
      payment.verifyCount = 0;
      payment.operatorHandle = null;
      payment.hasTerms = options.hasTerms;
    } else payment.verifyCount += 1;
    payment.stage = 'verify';
    payment.due = options.lapsesAtOnce;
    const { claimNumber, attemptNumber } = payment;
    return { payment, claimNumber, attemptNumber };
  });
  model.claims.push(...claims);
  return claims;
}

/** An operator said “paid”, so another instruction may pay it twice. */
function waitsForPeople({
  attemptNumber,
  contradiction,
}: Pick<ModelPayment, 'attemptNumber' | 'contradiction'>): boolean {
  return attemptNumber > 0 && contradiction === 'success';
}

/** Returns whether the worker's claim was still the newest, so that its progress counts. */
export function modelProgress(
  claim: ModelClaim,
  progress: Pick<Progress, 'next' | 'delayMs' | 'operatorHandle'>,
): boolean {
  const { payment, claimNumber } = claim;
  const fenced =
    payment.outcome !== null || payment.stage !== 'verify' || payment.claimNumber !== claimNumber;
  if (fenced) return false;
  payment.stage = progress.next;
  payment.due = progress.delayMs === 0;
  payment.operatorHandle = progress.operatorHandle ?? payment.operatorHandle;
  return true;
}

/** The operator's final report about a payment, or about one that does not exist. */
export function modelSettle(
  model: Model,
  payment: ModelPayment | undefined,
  report: Pick<FinalReport, 'outcome' | 'paidCents'>,
): SettleResult {
  if (payment === undefined) return 'no_payment';
  const { row } = payment;
  const paidCents = report.paidCents ?? 0n;
  const settles =
    payment.outcome === null &&
    payment.attemptNumber > 0 &&
    (report.outcome === 'failed' || paidCents > 0n);
  if (!settles) {
    if (payment.outcome === report.outcome) return 'repeated';
    if (!payment.cases.has('contradiction')) payment.contradiction = report.outcome;
    payment.cases.add('contradiction');
    return 'contradicted';
  }
  payment.outcome = report.outcome;
  const accounts = accountsOf(model, row.vendorId);
  const totalCents = row.amountCents + row.feeCents;
  accounts.reserved -= totalCents;
  if (report.outcome === 'failed') {
    model.oracle.addFloat(row.vendorId, totalCents);
    return 'settled';
  }
  const outCents = paidCents < row.amountCents ? paidCents : row.amountCents;
  accounts.operator += outCents;
  accounts.fees += row.feeCents - row.vatCents;
  accounts.vat += row.vatCents;
  if (payment.hasTerms) addTerms(accounts, outCents);
  model.oracle.addFloat(row.vendorId, row.amountCents - outCents);
  if (paidCents !== row.amountCents) payment.cases.add('amount_difference');
  return 'settled';
}

/** Of the amount: 1.00 and 0.5 % cost, 2 % commission that the operator keeps for us. */
export const TERMS = {
  cost: { flatCents: 100n, bps: 50 },
  commission: { flatCents: 0n, bps: 200 },
  commissionNetted: true,
};

function addTerms(accounts: Accounts, paidCents: bigint): void {
  const costCents = 100n + (paidCents * 50n + 5_000n) / 10_000n;
  const commissionCents = (paidCents * 200n + 5_000n) / 10_000n;
  accounts.cost -= costCents;
  accounts.commission += commissionCents;
  accounts.operator += costCents - commissionCents;
}

/** A new key; the former one stays valid only with an overlap. */
export function modelRotateKey(
  model: Model,
  vendorId: number,
  key: { readonly secret: string; readonly overlap: boolean },
): void {
  const keys = model.keys.get(vendorId) ?? [];
  const newest = keys.at(-1);
  for (const former of keys) former.valid &&= key.overlap && former === newest;
  keys.push({ secret: key.secret, valid: true });
}
