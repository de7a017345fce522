import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { Pool } from './platform/db/pool.ts';
import type { Answer } from './platform/http/request-log.ts';

export interface Metrics {
  readonly noteAnswer: (answer: Answer) => void;
  /** Prometheus text. */
  render(): Promise<string>;
  readonly contentType: string;
}

/** Requests, errors, durations and what money waits where; no label holds anything personal. */
export function createMetrics(options: {
  readonly pool: Pool;
  readonly waitingCreates: () => number;
  readonly callsUnderWay: () => number;
}): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const requests = new Counter({
    name: 'malipo_requests_total',
    help: 'Answered requests',
    labelNames: ['method', 'route', 'status'] as const,
    registers,
  });
  const durations = new Histogram({
    name: 'malipo_request_duration_seconds',
    help: 'Time to answer',
    labelNames: ['method', 'route'] as const,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  });
  measureQueues(registry, options);
  measureBooks(registry, options.pool);
  measureBatches(registry, options.pool);
  measureRecovery(registry, options.pool);
  measureCases(registry, options.pool);
  measureWebhooks(registry, options.pool);
  return {
    noteAnswer: ({ method, route, status, durationMs }) => {
      requests.inc({ method, route, status });
      durations.observe({ method, route }, durationMs / 1000);
    },
    render: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

function measureQueues(
  registry: Registry,
  options: { readonly waitingCreates: () => number; readonly callsUnderWay: () => number },
): void {
  const waiting: Gauge = new Gauge({
    name: 'malipo_creates_waiting',
    help: 'Creates waiting for their batch',
    registers: [registry],
    collect: () => waiting.set(options.waitingCreates()),
  });
  const underWay: Gauge = new Gauge({
    name: 'malipo_operator_calls_under_way',
    help: 'Calls to operators under way',
    registers: [registry],
    collect: () => underWay.set(options.callsUnderWay()),
  });
}

/**
 * Makes gauges that one reading sets. Each of them waits for it, or a scrape would show some as they
 * were before.
 */
function gaugesOf(registry: Registry, read: () => Promise<void>) {
  let reading: Promise<void> | undefined;
  const collect = async (): Promise<void> => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    await reading;
  };
  return <Label extends string = never>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
  ): Gauge<Label> => new Gauge({ name, help, labelNames, registers: [registry], collect });
}

function measureBooks(registry: Registry, pool: Pool): void {
  const gauge = gaugesOf(registry, () => read());
  const oldest = gauge(
    'malipo_oldest_open_seconds',
    'Age of the oldest open transaction, by stage: send (queued) or verify (outcome not known)',
    ['stage'],
  );
  const open = gauge('malipo_open_transactions', 'Open transactions by biller and stage', [
    'biller',
    'stage',
  ]);
  const read = async (): Promise<void> => {
    const counted = await pool.query<{
      biller_code: string;
      stage: string;
      count: bigint;
      oldest_seconds: number;
    }>(
      `select q.biller_code, q.stage, count(*), extract(epoch from now() - min(t.created_at))::float8 as oldest_seconds
       from dispatch_queue q join payments t using (vendor_id, payment_id)
       group by q.biller_code, q.stage`,
    );
    open.reset();
    const ages = new Map([
      ['send', 0],
      ['verify', 0],
    ]);
    for (const row of counted.rows) {
      open.set({ biller: row.biller_code, stage: row.stage }, Number(row.count));
      ages.set(row.stage, Math.max(ages.get(row.stage) ?? 0, row.oldest_seconds));
    }
    for (const [stage, age] of ages) oldest.set({ stage }, age);
  };
}

function measureRecovery(registry: Registry, pool: Pool): void {
  const registers = [registry];
  const unchained: Gauge = new Gauge({
    name: 'malipo_unchained_seconds',
    help: 'Age of the oldest transfer that is not in the hash chain yet',
    registers,
    collect: async () => {
      const read = await pool.query<{ age_seconds: number }>(
        `select coalesce(extract(epoch from now() - min(f.created_at)), 0)::float8 as age_seconds
         from transfers f where f.created_at >= (select ended_at from ledger_chain)`,
      );
      unchained.set(read.rows[0]?.age_seconds ?? 0);
    },
  });
  const age: Gauge = new Gauge({
    name: 'malipo_backup_age_seconds',
    help: 'Age of what the last whole backup holds; absent when none was taken by malipo backup',
    registers,
    collect: async () => {
      const read = await pool.query<{ age_seconds: number | null }>(
        'select extract(epoch from now() - max(ended_at))::float8 as age_seconds from backups',
      );
      const seconds = read.rows[0]?.age_seconds ?? null;
      if (seconds === null) age.remove();
      else age.set(seconds);
    },
  });
  const quarantine: Gauge = new Gauge({
    name: 'malipo_quarantine',
    help: '1: restored from a backup, nothing is sent',
    registers,
    collect: async () => {
      const read = await pool.query<{ quarantined: boolean }>(
        'select exists (select from quarantines where released_at is null) as quarantined',
      );
      quarantine.set(read.rows[0]?.quarantined === true ? 1 : 0);
    },
  });
}

/** Kinds of cases in which one side has a payment that the other has not. */
const UNMATCHED: Readonly<Record<string, string>> = { ours_only: 'ours', theirs_only: 'theirs' };

function measureCases(registry: Registry, pool: Pool): void {
  const gauge = gaugesOf(registry, () => read());
  const all = gauge('malipo_cases', 'Open cases, for people to look at');
  const open = gauge('malipo_open_cases', 'Open cases by kind', ['kind']);
  const oldest = gauge('malipo_oldest_case_seconds', 'Age of the oldest open case, by kind', [
    'kind',
  ]);
  const unmatched = gauge(
    'malipo_recon_unmatched',
    'Open cases of payments that only our books (ours) or only an operator’s statement (theirs) has',
    ['side'],
  );
  const read = async (): Promise<void> => {
    const counted = await pool.query<{ kind: string; count: number; oldest_seconds: number }>(
      `select kind, count(*)::integer as count,
         extract(epoch from now() - min(opened_at))::float8 as oldest_seconds
       from cases where resolved_at is null group by kind`,
    );
    open.reset();
    oldest.reset();
    for (const side of Object.values(UNMATCHED)) unmatched.set({ side }, 0);
    for (const row of counted.rows) {
      open.set({ kind: row.kind }, row.count);
      oldest.set({ kind: row.kind }, row.oldest_seconds);
      const side = UNMATCHED[row.kind];
      if (side !== undefined) unmatched.set({ side }, row.count);
    }
    all.set(counted.rows.reduce((sum, row) => sum + row.count, 0));
  };
}

function measureBatches(registry: Registry, pool: Pool): void {
  const gauge = gaugesOf(registry, () => read());
  const open = gauge(
    'malipo_bulk_open_batches',
    'Bulk batches of which rows wait for their decision',
  );
  const oldest = gauge('malipo_bulk_oldest_seconds', 'Age of the oldest of them');
  const read = async (): Promise<void> => {
    const counted = await pool.query<{ count: number; oldest_seconds: number }>(
      `select count(*)::integer as count,
         coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as oldest_seconds
       from bulk_batches where ended_at is null`,
    );
    open.set(counted.rows[0]?.count ?? 0);
    oldest.set(counted.rows[0]?.oldest_seconds ?? 0);
  };
}

function measureWebhooks(registry: Registry, pool: Pool): void {
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
    const counted = await pool.query<{
      webhook: 'active' | 'disabled';
      webhooks: number;
      waiting: number;
      oldest_seconds: number;
    }>(
      `select case when w.disabled_at is null then 'active' else 'disabled' end as webhook,
         count(*)::integer as webhooks, sum(e.waiting)::integer as waiting,
         coalesce(extract(epoch from now() - min(e.oldest_at)), 0)::float8 as oldest_seconds
       from webhooks w cross join lateral (
         select count(*) as waiting, min(occurred_at) as oldest_at from events
         where vendor_id = w.vendor_id and due_at is not null
       ) e group by 1`,
    );
    const found = new Map(counted.rows.map((row) => [row.webhook, row]));
    for (const webhook of ['active', 'disabled'] as const) {
      backlog.set({ webhook }, found.get(webhook)?.waiting ?? 0);
    }
    oldest.set(found.get('active')?.oldest_seconds ?? 0);
    disabled.set(found.get('disabled')?.webhooks ?? 0);
  };
}
