import type { Client } from 'pg';
import { encodeReference } from '../../src/parties/reference.ts';
import { checkRows } from '../../src/payments/audit/check.ts';
import { prepared } from '../support/books-check.ts';
import type { OperatorCharacter } from './scenario.ts';
import { entriesOf, entryKey } from './truth.ts';
import type { Entry } from './truth.ts';
import type { World } from './world.ts';

interface Row {
  vendor_id: number;
  payment_id: string;
  merchant_reference: string;
  biller_code: string;
  amount_cents: string;
  outcome: 'success' | 'failed' | null;
  stage: 'send' | 'verify' | null;
  /** The operator that has the instruction, or that the outcome comes from. */
  operator_code: string | null;
  operator_handle: string | null;
  attempts: number;
  /** The part of its reservation that was paid to the operator. */
  posted_cents: string | null;
  cases: string[];
}

const ROWS = `select t.vendor_id, t.payment_id, t.merchant_reference, t.biller_code,
    t.amount_cents::text, t.outcome, q.stage,
    coalesce(t.operator_code, q.operator_code) as operator_code, q.operator_handle,
    (select count(*)::integer from attempts a
      where a.vendor_id = t.vendor_id and a.payment_id = t.payment_id) as attempts,
    (select sum(f.amount_cents)::text from transfers f
      where f.vendor_id = t.vendor_id and f.source_id = t.payment_id
        and f.leg = 2 and f.credit_account like 'operator:%') as posted_cents,
    array(select c.kind from cases c
      where c.vendor_id = t.vendor_id and c.payment_id = t.payment_id) as cases
  from payments t left join dispatch_queue q
    on q.vendor_id = t.vendor_id and q.payment_id = t.payment_id
  order by t.payment_id`;

async function readRows(client: Client): Promise<(Row & { readonly reference: string })[]> {
  const read = await client.query<Row>({ name: 'judge', text: ROWS, values: [] });
  return read.rows.map((row) => ({
    ...row,
    reference: encodeReference(row.vendor_id, row.payment_id),
  }));
}

/** True when only payments are open whose result will never be reported. */
export async function isDrained(world: World): Promise<boolean> {
  const rows = await readRows(world.database.client);
  return rows.every((row) => row.outcome !== null || mayStayOpen(world, row));
}

function mayStayOpen(
  world: World,
  row: Pick<Row, 'operator_code' | 'operator_handle' | 'stage' | 'cases'> & {
    readonly reference: string;
  },
): boolean {
  if (waitsForPeople(world, row)) return true;
  const entry = entryOf(world, row);
  const character = characterOf(world, row.operator_code);
  if (row.stage !== 'verify' || entry?.callbackTaken === true) return false;
  if (character?.shape?.statusBy === 'operator_handle' && row.operator_handle === null) {
    // The documented exception: a case for people.
    return row.cases.includes('no_answer');
  }
  const neverArrived = entry === undefined || entry.state === 'on_its_way';
  return (
    entry?.silent === true ||
    character?.hasStatus === false ||
    (neverArrived && character?.acceptanceWindowMs === null)
  );
}

/** An operator that had it before says that it paid. It is not sent again before people have decided. */
function waitsForPeople(
  world: World,
  { reference, stage, cases }: Pick<Row, 'stage' | 'cases'> & { readonly reference: string },
): boolean {
  const saysPaid = entriesOf(world.truth, reference).some(({ words }) => words.has('paid'));
  return stage === 'send' && cases.includes('contradiction') && saysPaid;
}

/** The operator's own record of the payment. */
function entryOf(
  world: World,
  row: Pick<Row, 'operator_code'> & { readonly reference: string },
): Entry | undefined {
  return world.truth.entries.get(entryKey(row.operator_code ?? '', row.reference));
}

function characterOf(world: World, operatorCode: string | null): OperatorCharacter | undefined {
  return world.scenario.operators.find((operator) => operator.operatorCode === operatorCode);
}

const TORN = `select coalesce(q.payment_id, a.payment_id) as payment_id, q.stage,
    coalesce(a.open, 0)::integer as open
  from dispatch_queue q full join (
    select vendor_id, payment_id, count(*) as open from attempts
    where outcome is null group by vendor_id, payment_id
  ) a using (vendor_id, payment_id)
  where case q.stage when 'verify' then a.open is distinct from 1 else a.open is not null end`;

/**
 * What holds after every commit: a payment that waits for the operator’s report has one open
 * instruction, and no other payment has one.
 */
export async function judgeQueue(world: World): Promise<void> {
  const torn = await world.database.client.query<{
    payment_id: string;
    stage: string | null;
    open: number;
  }>({ name: 'judge_queue', text: TORN, values: [] });
  for (const { payment_id: id, stage, open } of torn.rows) {
    world.violated(`${id} is in stage ${stage} with ${open} instructions out`);
  }
}

/** Compares the ledger with what really happened; every difference is a violation. */
export async function judge(world: World): Promise<void> {
  const { client } = world.database;
  const rows = await readRows(client);
  judgeAnswers(world, rows);
  for (const row of rows) judgePayment(world, row);
  for (const { reference } of world.truth.entries.values()) {
    if (!rows.some((row) => row.reference === reference)) {
      world.violated(`${reference} was instructed but has no payment`);
    }
  }
  await judgeUnmatched(world);
  // Not the schema: the simulation has one of its own, and comparing it takes half of a run.
  await client.query('begin');
  const { violations } = await checkRows(prepared(client));
  await client.query('commit');
  for (const { invariant, vendorId, detail } of violations) {
    // Simulated time differs from the server's, so checks for times in the future do not apply.
    if (invariant === 'nothing_in_future') continue;
    world.violated(`ledger ${invariant}: vendor ${vendorId}, ${detail}`);
  }
}

function judgeAnswers(world: World, rows: readonly Row[]): void {
  const kept = new Map(
    rows.map((row) => [`${row.vendor_id} ${row.merchant_reference}`, row.payment_id]),
  );
  for (const [name, paymentId] of world.truth.answered) {
    if (kept.get(name) !== paymentId) {
      world.violated(`${name} was accepted as ${paymentId} but has no payment`);
    }
  }
}

function judgePayment(world: World, row: Row & { readonly reference: string }): void {
  const { reference, outcome } = row;
  const entry = entryOf(world, row);
  const entries = entriesOf(world.truth, reference);
  if (outcome === null) {
    if (!mayStayOpen(world, row)) {
      world.violated(`${reference} stays open, stage ${row.stage}: ${describe(entry)}`);
    }
  } else judgeOutcome(world, row, entry);
  const payments = entries.flatMap((one) => one.payments);
  if (payments.length > 1 && !entries.some((one) => one.excused)) {
    world.violated(`${reference} was paid ${payments.length} times`);
  }
  judgeCallbacks(world, row);
}

function judgeOutcome(
  world: World,
  row: Row & { readonly reference: string },
  entry: Entry | undefined,
): void {
  const { reference, outcome } = row;
  const entries = entriesOf(world.truth, reference);
  const word = outcome === 'success' ? 'paid' : 'declined';
  if (entry?.words.has(word) !== true) {
    world.violated(`${reference} is ${outcome} and nobody ever said so: ${describe(entry)}`);
  }
  const contradicted = row.cases.includes('contradiction');
  if (contradicted) world.note('contradiction_recorded');
  if (contradicted && outcome === 'failed' && entry?.state === 'paid') {
    world.note('late_success_recorded');
  }
  if ((entry?.state === 'paid') !== (outcome === 'success') && !contradicted) {
    world.violated(`${reference} is ${outcome} without a case: ${describe(entry)}`);
  }
  const isPaidTwice = entries.some((one) => one !== entry && one.state === 'paid');
  if (isPaidTwice) world.note('paid_by_two');
  if (isPaidTwice && !contradicted) {
    world.violated(`${reference} was paid by two operators without a case`);
  }
  if (contradicted && !entries.some((one) => one.lied)) {
    world.violated(`${reference} has a case without a false report: ${describe(entry)}`);
  }
  if (entry?.state !== 'paid' || outcome !== 'success' || entry.lied || entry.excused) return;
  judgeAmount(world, row, entry);
}

function judgeAmount(world: World, row: Row & { readonly reference: string }, entry: Entry): void {
  const amountCents = BigInt(row.amount_cents);
  const paidCents = entry.payments[0] ?? 0n;
  const expectedCents = paidCents < amountCents ? paidCents : amountCents;
  if (BigInt(row.posted_cents ?? 0) !== expectedCents) {
    world.violated(
      `${row.reference} posted ${row.posted_cents}, the operator was paid ${paidCents}`,
    );
  }
  const hasCase = row.cases.includes('amount_difference');
  if (hasCase) world.note('difference_recorded');
  if (hasCase !== (paidCents !== amountCents)) {
    world.violated(`${row.reference} paid ${paidCents} of ${amountCents}, case: ${hasCase}`);
  }
}

/** An acknowledged callback must be recorded: in the ledger, or in a case if it contradicts the ledger. */
function judgeCallbacks(world: World, row: Row & { readonly reference: string }): void {
  const operators = entriesOf(world.truth, row.reference).length;
  const cameBack = operators > 1 && row.attempts > operators;
  for (const callback of world.truth.takenCallbacks) {
    if (callback.reference !== row.reference) continue;
    const isOurs = callback.operatorCode === row.operator_code;
    const agrees = isOurs
      ? (row.outcome === 'success') === (callback.outcome === 'paid')
      : callback.outcome === 'declined';
    // It arrived while another operator had the payment, which later returned to this one.
    if (isOurs && callback.outcome === 'declined' && cameBack) continue;
    const isOpen = isOurs && row.outcome === null && !waitsForPeople(world, row);
    if (isOpen || (!agrees && !row.cases.includes('contradiction'))) {
      world.violated(
        `a callback ${callback.outcome} of ${row.reference} was accepted and not recorded`,
      );
    }
  }
}

async function judgeUnmatched(world: World): Promise<void> {
  const read = await world.database.client.query<{ operator_code: string; reference: string }>(
    'select operator_code, reference from unmatched_callbacks',
  );
  for (const { operatorCode, reference } of world.truth.unmatched) {
    const kept = read.rows.some(
      (row) => row.operator_code === operatorCode && row.reference === reference,
    );
    if (kept) world.note('stray_recorded');
    else
      world.violated(`a callback about ${reference} was accepted from ${operatorCode} and dropped`);
  }
}

function describe(entry: Entry | undefined): string {
  if (entry === undefined) return 'never instructed';
  return `${entry.state}, paid ${entry.payments.join('+') || 'nothing'}, said ${[...entry.words].join('+') || 'nothing'}${entry.lied ? ', lied' : ''}`;
}
