import type { Pool } from '../platform/db/pool.ts';
import type { HealthCheck } from '../platform/health-check.ts';
import { listFloatForecasts } from './billers/float-forecasts.ts';
import { listRoutes } from './billers/routes-store.ts';
import { readQueueTotals } from './dispatch/queue-totals-store.ts';
import { readBacklog } from './events/read-webhooks.ts';
import { readUnchainedSeconds } from './ledger/store.ts';
import { findOpenQuarantine } from './quarantine/read-quarantine.ts';
import { listPullAges } from './receipts/sources-store.ts';
import { listPulls } from './reconciliation/pull-store.ts';

// The thresholds of docs/operating/watching.md, in seconds.
const MAX_UNCHAINED = 300;
const MAX_QUEUED = 300;
const MAX_UNKNOWN = 900;
const MAX_FLOAT_AGE = 600;
const MAX_RECEIPTS_AGE = 900;
const MAX_WEBHOOK_AGE = 3_600;

/** The state of the payments wing, for people; the same figures as its metrics. */
export async function checkPayments(pool: Pool, now: Date): Promise<HealthCheck[]> {
  const queues = await readQueueTotals(pool);
  const oldest = (stage: 'send' | 'verify'): number =>
    Math.max(0, ...queues.filter((row) => row.stage === stage).map((row) => row.oldestSeconds));
  const unchained = await readUnchainedSeconds(pool);
  const quarantine = await findOpenQuarantine(pool);
  return [
    { code: 'quarantine', state: quarantine === undefined ? 'ok' : 'failed', names: [] },
    age('chain', unchained, { limit: MAX_UNCHAINED, state: 'failed' }),
    age('queued', oldest('send'), { limit: MAX_QUEUED, state: 'warning' }),
    age('unknown', oldest('verify'), { limit: MAX_UNKNOWN, state: 'warning' }),
    ...(await checkOperators(pool, now)),
    await checkWebhooks(pool),
  ];
}

async function checkOperators(pool: Pool, now: Date): Promise<HealthCheck[]> {
  const routes = [...(await listRoutes(pool))].flatMap(([biller, of]) =>
    of
      .filter(({ obstacle }) => obstacle !== null)
      .map(({ operatorCode }) => `${biller} – ${operatorCode}`),
  );
  const floats = (await listFloatForecasts(pool, now)).filter(
    ({ polledAt }) =>
      polledAt !== null && now.getTime() - polledAt.getTime() > MAX_FLOAT_AGE * 1000,
  );
  const pulls = (await listPulls(pool)).filter(
    ({ status, lastError }) => status === 'on' && lastError !== null,
  );
  const receipts = (await listPullAges(pool)).filter(({ seconds }) => seconds > MAX_RECEIPTS_AGE);
  return [
    names('routes', routes),
    names(
      'floats',
      floats.map(({ operatorCode }) => operatorCode),
    ),
    names(
      'statements',
      pulls.map(({ operator }) => operator),
    ),
    names(
      'receipts',
      receipts.map(({ source }) => source),
    ),
  ];
}

async function checkWebhooks(pool: Pool): Promise<HealthCheck> {
  const backlogs = await readBacklog(pool);
  const seconds = backlogs.find(({ webhook }) => webhook === 'active')?.oldestSeconds ?? 0;
  const disabled = backlogs.find(({ webhook }) => webhook === 'disabled')?.webhooks ?? 0;
  const isGood = disabled === 0 && seconds <= MAX_WEBHOOK_AGE;
  return { code: 'webhooks', state: isGood ? 'ok' : 'warning', names: [], seconds };
}

function age(
  code: HealthCheck['code'],
  seconds: number,
  bad: { readonly limit: number; readonly state: 'warning' | 'failed' },
): HealthCheck {
  return { code, state: seconds > bad.limit ? bad.state : 'ok', names: [], seconds };
}

function names(code: HealthCheck['code'], found: readonly string[]): HealthCheck {
  return { code, state: found.length === 0 ? 'ok' : 'warning', names: found };
}
