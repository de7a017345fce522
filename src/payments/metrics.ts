import type { Pool } from '../platform/db/pool.ts';
import { addCounter, addGauge, gaugesOf } from '../platform/gauges.ts';
import type { MetricsRegistry } from '../platform/gauges.ts';
import { countOpenBatches } from '../batches/read-batches.ts';
import { countOpenCases } from './cases/read-cases.ts';
import { listFloatForecasts } from './billers/float-forecasts.ts';
import { listFloats } from './billers/float-store.ts';
import { listListings } from './billers/products-store.ts';
import { isFloatBooked } from './house/store.ts';
import { listRoutes } from './billers/routes-store.ts';
import { countInstructions, readQueueTotals } from './dispatch/queue-totals-store.ts';
import type { PaymentNotes } from './create/notes.ts';
import type { Tallies } from './dispatch/tallies.ts';
import type { Payments } from './payments.ts';
import { readBacklog } from './events/read-webhooks.ts';
import { readUnchainedSeconds } from './ledger/store.ts';
import { countOwedDetails } from './settle/read-late-details.ts';
import { findOpenQuarantine } from './quarantine/read-quarantine.ts';
import { bridgeFloat } from './reconciliation/float-report.ts';
import { listPulls } from './reconciliation/pull-store.ts';
import { OPEN_STATES } from './receipts/receipt.ts';
import { countOpenMessages } from './messages/read-messages.ts';
import { listPullAges } from './receipts/sources-store.ts';
import { countOpenReceipts } from './receipts/read-receipts.ts';
import { countWatched } from './vendor-floats/store.ts';

/** The parts of this process's payments wing that the metrics read. */
export type PaymentMetrics = Pick<Payments, 'waitingCreates' | 'dispatcher' | 'tallies' | 'notes'>;

/** Where payments wait, and what needs people; no label contains personal data. */
export function addPaymentMetrics(
  registry: MetricsRegistry,
  pool: Pool,
  payments: PaymentMetrics,
): void {
  addGauge(
    registry,
    'malipo_creates_waiting',
    'Creates waiting for their batch',
    () => payments.waitingCreates,
  );
  addGauge(
    registry,
    'malipo_operator_calls_under_way',
    'Calls to operators in progress',
    () => payments.dispatcher?.underWay ?? 0,
  );
  addGauge(
    registry,
    'malipo_dispatcher_idle_seconds',
    'Time since the dispatcher last looked for work; absent without the role dispatcher',
    () => (payments.dispatcher === undefined ? null : payments.dispatcher.sinceTurnMs / 1000),
  );
  addGauge(
    registry,
    'malipo_unchained_seconds',
    'Age of the oldest transfer that is not in the hash chain yet',
    () => readUnchainedSeconds(pool),
  );
  addGauge(
    registry,
    'malipo_quarantine',
    '1: the database was restored or replaced, nothing is sent',
    async () => ((await findOpenQuarantine(pool)) === undefined ? 0 : 1),
  );
  addOutcomeMetrics(registry, payments.notes);
  addCallMetrics(registry, payments.tallies);
  addQueueMetrics(registry, pool);
  addRouteMetrics(registry, pool);
  addFloatMetrics(registry, pool);
  addProductMetrics(registry, pool);
  addStatementMetrics(registry, pool);
  addVendorFloatMetrics(registry, pool);
  addDetailsMetrics(registry, pool);
  addBatchMetrics(registry, pool);
  addCaseMetrics(registry, pool);
  addWebhookMetrics(registry, pool);
  addReceiptMetrics(registry, pool);
}

function addOutcomeMetrics(registry: MetricsRegistry, { outcomes, refusals }: PaymentNotes): void {
  addCounter(registry, {
    name: 'malipo_payments_total',
    help: 'Payments by what happened to them: accepted, refused, unconfirmed, unanswered, success, failed; not those that statements or people settle',
    labelNames: ['biller', 'outcome'],
    read: () => outcomes.sums(),
  });
  addCounter(registry, {
    name: 'malipo_payment_refusals_total',
    help: 'Creates that were refused, by the error code',
    labelNames: ['biller', 'code'],
    read: () => refusals.sums(),
  });
}

function addCallMetrics(registry: MetricsRegistry, tallies: Tallies): void {
  const { calls, callDurations, routed } = tallies;
  addCounter(registry, {
    name: 'malipo_operator_calls_total',
    help: 'Ended calls to operators: instructions (send) and status queries (verify), by result',
    labelNames: ['operator', 'call', 'result'],
    read: () => calls.sums(),
  });
  registry.registerMetric(callDurations);
  addCounter(registry, {
    name: 'malipo_routed_payments_total',
    help: 'Instructions by operator and by the reason why the payment went there',
    labelNames: ['biller', 'operator', 'reason'],
    read: () => routed.sums(),
  });
}

function addQueueMetrics(registry: MetricsRegistry, pool: Pool): void {
  const gauge = gaugesOf(registry, () => read());
  const oldest = gauge(
    'malipo_oldest_open_seconds',
    'Age of the oldest open payment, by stage: send (queued) or verify (outcome not known)',
    ['stage'],
  );
  const open = gauge('malipo_open_payments', 'Open payments by biller and stage', [
    'biller',
    'stage',
  ]);
  const read = async (): Promise<void> => {
    const totals = await readQueueTotals(pool);
    open.reset();
    const ages = new Map<string, number>([
      ['send', 0],
      ['verify', 0],
    ]);
    for (const { billerCode, stage, count, oldestSeconds } of totals) {
      open.set({ biller: billerCode, stage }, count);
      ages.set(stage, Math.max(ages.get(stage) ?? 0, oldestSeconds));
    }
    for (const [stage, age] of ages) oldest.set({ stage }, age);
  };
}

function addRouteMetrics(registry: MetricsRegistry, pool: Pool): void {
  const gauge = gaugesOf(registry, () => read());
  const usable = gauge(
    'malipo_route_usable',
    '1: payments of the biller may go through the operator; 0: set OFFLINE, circuit breaker open, or our float is too low',
    ['biller', 'operator'],
  );
  const breakerOpen = gauge(
    'malipo_route_breaker_open',
    '1: the circuit breaker is open, or lets only a few payments through until the operator has answered one',
    ['biller', 'operator'],
  );
  const out = gauge(
    'malipo_open_instructions',
    'Payments whose outcome an operator has to report, by operator',
    ['operator'],
  );
  const read = async (): Promise<void> => {
    usable.reset();
    breakerOpen.reset();
    out.reset();
    for (const [biller, routes] of await listRoutes(pool)) {
      for (const { operatorCode: operator, obstacle, breaker } of routes) {
        usable.set({ biller, operator }, obstacle === null ? 1 : 0);
        breakerOpen.set({ biller, operator }, breaker === null ? 0 : 1);
        out.set({ operator }, 0);
      }
    }
    for (const { operatorCode, count } of await countInstructions(pool)) {
      out.set({ operator: operatorCode }, count);
    }
  };
}

const FLOAT_STATES = ['enough', 'low', 'stopped'] as const;

function addFloatMetrics(registry: MetricsRegistry, pool: Pool): void {
  const gauge = gaugesOf(registry, () => read());
  const balance = gauge(
    'malipo_operator_float_cents',
    'Our float with the operator, as it last reported it',
    ['operator'],
  );
  const age = gauge('malipo_operator_float_age_seconds', 'Age of that report', ['operator']);
  const hours = gauge(
    'malipo_operator_float_hours_left',
    'In how many hours it reaches its stop limit, by the last days’ consumption',
    ['operator'],
  );
  const state = gauge('malipo_operator_float_state', '1: the state of the float', [
    'operator',
    'state',
  ]);
  const read = async (): Promise<void> => {
    const now = new Date();
    const floats = await listFloatForecasts(pool, now);
    for (const one of [balance, age, hours, state]) one.reset();
    for (const row of floats) {
      const { operatorCode: operator, balanceCents, polledAt } = row;
      for (const name of FLOAT_STATES)
        state.set({ operator, state: name }, row.state === name ? 1 : 0);
      if (balanceCents === null || polledAt === null) continue;
      balance.set({ operator }, Number(balanceCents));
      age.set({ operator }, (now.getTime() - polledAt.getTime()) / 1000);
      if (row.hoursLeft !== null) hours.set({ operator }, row.hoursLeft);
    }
  };
}

function addProductMetrics(registry: MetricsRegistry, pool: Pool): void {
  const age = gaugesOf(registry, () => read())(
    'malipo_operator_products_age_seconds',
    'Age of the operator’s last complete list of products',
    ['operator'],
  );
  const read = async (): Promise<void> => {
    age.reset();
    for (const { operatorCode: operator, refreshedAt } of await listListings(pool)) {
      if (refreshedAt !== null) age.set({ operator }, (Date.now() - refreshedAt.getTime()) / 1000);
    }
  };
}

const BRIDGE_EVERY_MS = 60_000;
/** Settlements since an older report are not summed: the result would be of no use. */
const MAX_REPORT_AGE_MS = 3_600_000;

function addStatementMetrics(registry: MetricsRegistry, pool: Pool): void {
  const gauge = gaugesOf(registry, () => read());
  const age = gauge(
    'malipo_statement_pull_age_seconds',
    'Age of the end of the last statement that was pulled from the operator',
    ['operator'],
  );
  const failed = gauge('malipo_statement_pull_failed', '1: the last pull failed', ['operator']);
  const unexplained = gauge(
    'malipo_operator_float_unexplained_cents',
    'The part of the difference between the reported float and our books that nothing explains',
    ['operator'],
  );
  let nextMs = 0;
  const read = async (): Promise<void> => {
    for (const one of [age, failed]) one.reset();
    for (const { operator, status, pulledUntil, lastError } of await listPulls(pool)) {
      if (status === 'off') continue;
      age.set({ operator }, (Date.now() - pulledUntil.getTime()) / 1000);
      failed.set({ operator }, lastError === null ? 0 : 1);
    }
    // The sums over all vendors are not read at every scrape.
    if (Date.now() < nextMs) return;
    nextMs = Date.now() + BRIDGE_EVERY_MS;
    unexplained.reset();
    for (const float of await listFloats(pool)) {
      const { operatorCode: operator, polledAt } = float;
      const isRecent = Date.now() - (polledAt?.getTime() ?? 0) < MAX_REPORT_AGE_MS;
      if (!isRecent || !(await isFloatBooked(pool, operator))) continue;
      const bridge = await bridgeFloat(pool, float);
      unexplained.set({ operator }, Number(bridge?.unexplainedCents ?? 0n));
    }
  };
}

function addVendorFloatMetrics(registry: MetricsRegistry, pool: Pool): void {
  const gauge = gaugesOf(registry, () => read());
  const watched = gauge('malipo_vendor_floats', 'Watched floats of vendors, by state', ['state']);
  const read = async (): Promise<void> => {
    for (const state of ['enough', 'low']) watched.set({ state }, 0);
    for (const { state, count } of await countWatched(pool)) watched.set({ state }, count);
  };
}

function addDetailsMetrics(registry: MetricsRegistry, pool: Pool): void {
  const gauge = gaugesOf(registry, () => read());
  const owed = gauge('malipo_details_owed', 'Paid payments of which the operator owes details', [
    'operator',
  ]);
  const oldest = gauge(
    'malipo_details_owed_seconds',
    'For how long the operator has owed details of a paid payment, at most',
    ['operator'],
  );
  const read = async (): Promise<void> => {
    for (const one of [owed, oldest]) one.reset();
    for (const { operatorCode: operator, count, oldestSeconds } of await countOwedDetails(pool)) {
      owed.set({ operator }, count);
      oldest.set({ operator }, oldestSeconds);
    }
  };
}

function addBatchMetrics(registry: MetricsRegistry, pool: Pool): void {
  const gauge = gaugesOf(registry, () => read());
  const open = gauge('malipo_bulk_open_batches', 'Bulk batches with undecided rows');
  const oldest = gauge(
    'malipo_bulk_oldest_seconds',
    'Age of the oldest bulk batch with undecided rows',
  );
  const read = async (): Promise<void> => {
    const { count, oldestSeconds } = await countOpenBatches(pool, 'payments');
    open.set(count);
    oldest.set(oldestSeconds);
  };
}

/** Kinds of cases about a payment that only one side has. */
const UNMATCHED: Readonly<Record<string, string>> = { ours_only: 'ours', theirs_only: 'theirs' };

function addCaseMetrics(registry: MetricsRegistry, pool: Pool): void {
  const gauge = gaugesOf(registry, () => read());
  const all = gauge('malipo_cases', 'Open cases, for people to look at');
  const open = gauge('malipo_open_cases', 'Open cases by kind', ['kind']);
  const oldest = gauge('malipo_oldest_case_seconds', 'Age of the oldest open case, by kind', [
    'kind',
  ]);
  const unmatched = gauge(
    'malipo_recon_unmatched',
    'Open cases of payments that only our ledger (ours) or only an operator’s statement (theirs) has',
    ['side'],
  );
  const read = async (): Promise<void> => {
    const kinds = await countOpenCases(pool);
    open.reset();
    oldest.reset();
    for (const side of Object.values(UNMATCHED)) unmatched.set({ side }, 0);
    for (const { kind, count, oldestSeconds } of kinds) {
      open.set({ kind }, count);
      oldest.set({ kind }, oldestSeconds);
      const side = UNMATCHED[kind];
      if (side !== undefined) unmatched.set({ side }, count);
    }
    all.set(kinds.reduce((sum, row) => sum + row.count, 0));
  };
}

function addReceiptMetrics(registry: MetricsRegistry, pool: Pool): void {
  const gauge = gaugesOf(registry, () => read());
  const count = gauge('malipo_receipts', 'Receipts that are not credited, by state', ['state']);
  const cents = gauge('malipo_receipts_cents', 'Their amounts in cents, by state', ['state']);
  const pulled = gauge(
    'malipo_receipts_pulled_seconds',
    'Time since receipts were last pulled completely, by source',
    ['source'],
  );
  const unread = gauge(
    'malipo_unread_messages',
    'Messages of providers that could not be read and wait for people, by sender',
    ['sender'],
  );
  const read = async (): Promise<void> => {
    unread.reset();
    for (const { sender, count: waiting } of await countOpenMessages(pool)) {
      unread.set({ sender }, waiting);
    }
    pulled.reset();
    for (const { source, seconds } of await listPullAges(pool)) pulled.set({ source }, seconds);
    for (const state of OPEN_STATES) {
      count.set({ state }, 0);
      cents.set({ state }, 0);
    }
    for (const { state, ...open } of await countOpenReceipts(pool)) {
      count.set({ state }, open.count);
      cents.set({ state }, Number(open.amountCents));
    }
  };
}

function addWebhookMetrics(registry: MetricsRegistry, pool: Pool): void {
  const gauge = gaugesOf(registry, () => read());
  const backlog = gauge(
    'malipo_webhook_backlog',
    'Events that wait for their webhook, by whether it is active or disabled',
    ['webhook'],
  );
  const oldest = gauge(
    'malipo_webhook_oldest_seconds',
    'Age of the oldest event that waits for an active webhook',
  );
  const disabled = gauge(
    'malipo_webhooks_disabled',
    'Webhooks that are disabled; their events wait',
  );
  const read = async (): Promise<void> => {
    const backlogs = await readBacklog(pool);
    const found = new Map(backlogs.map((row) => [row.webhook, row]));
    for (const webhook of ['active', 'disabled'] as const) {
      backlog.set({ webhook }, found.get(webhook)?.waiting ?? 0);
    }
    oldest.set(found.get('active')?.oldestSeconds ?? 0);
    disabled.set(found.get('disabled')?.webhooks ?? 0);
  };
}
