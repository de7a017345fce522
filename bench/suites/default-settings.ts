import { Webhook } from 'standardwebhooks';
import { newId } from '../../src/platform/base/ids.ts';
import { encodeReference } from '../../src/parties/reference.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { claim } from '../../src/payments/dispatch/store.ts';
import { createPayments } from '../../src/payments/create/store.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import { SANDBOX_OPERATOR_KEY } from '../../sandbox/operators/options.ts';
import { drive } from '../load/drive.ts';
import { createRequests } from '../load/requests.ts';
import type { Stage } from '../stage.ts';
import { countSettled, countPayments } from '../store.ts';
import { reconcile } from './suite.ts';
import type { Suite } from './suite.ts';

/** Few enough that nothing waits: this measures how long one create takes. */
const CREATES_PER_SECOND = 20;
const MIN_SECONDS = 10;
const CALLBACKS = 100;
/** A burst is short, so the median of this many bursts counts. */
const BURSTS = 9;
const BILLER = 'kplc_prepaid';
const OPERATOR = 'kplc';

const EMBEDDED = 'embedded settings';
const DEFAULT = 'default settings';

/** Compares the service with the embedded server's settings and with PostgreSQL's default settings. */
export const defaultSettingsSuite: Suite = {
  name: 'default settings',
  contestants: [EMBEDDED, DEFAULT].flatMap((name) => [
    `creates at 20/s, ${name}`,
    `100 callbacks at once, ${name}`,
  ]),
  open: async (stage, options) => {
    const locations = new Map([
      [EMBEDDED, await openPlace(stage, await stage.database('embedded_settings'))],
      [DEFAULT, await openPlace(stage, await stage.databaseByDefault('default_settings'))],
    ]);
    // The first request of each connection prepares its statements.
    for (const location of locations.values()) {
      await creates(stage, location, 1);
      await callbacks(stage, location);
    }
    return {
      run: async (name) => {
        const location = locations.get(name.split(', ')[1] ?? '');
        if (location === undefined) throw new Error(`no contestant ${name}`);
        await stage.checkpoint();
        if (name.startsWith('100')) {
          const bursts: number[] = [];
          for (let burst = 0; burst < BURSTS; burst += 1) {
            bursts.push(await callbacks(stage, location));
          }
          const ms = bursts.toSorted((a, b) => a - b)[(BURSTS - 1) / 2] ?? Number.NaN;
          return { contestant: name, value: ms / 1000, unit: 'seconds', p50Ms: ms };
        }
        const { p50Ms, p99Ms } = await creates(
          stage,
          location,
          Math.max(MIN_SECONDS, options.seconds),
        );
        return { contestant: name, value: p50Ms / 1000, unit: 'seconds', p50Ms, p99Ms };
      },
      close: async () => {
        for (const { close } of locations.values()) await close();
      },
    };
  },
};

interface Place {
  readonly port: number;
  readonly pool: Pool;
  readonly close: () => Promise<void>;
}

async function openPlace(stage: Stage, url: string): Promise<Place> {
  const pool = createPool({ url, max: 1, name: 'bench count', statementTimeoutMs: 0 });
  const server = await stage.start<{ port: number }>('server.ts', {
    DATABASE_URL: url,
    ROLES: 'api',
  });
  return {
    port: server.first.port,
    pool,
    close: async () => {
      await server.stop();
      await pool.end();
    },
  };
}

async function creates(stage: Stage, { port, pool }: Place, seconds: number) {
  const requests = createRequests(stage.many, CREATES_PER_SECOND * seconds + 1);
  const before = await countPayments(pool);
  const load = { port, connections: 64, folder: stage.folder };
  const driven = await drive({ ...load, requests, seconds, rate: CREATES_PER_SECOND });
  reconcile('creates at 20/s', (await countPayments(pool)) - before, driven.answered);
  return driven;
}

/** Milliseconds until the last of them is answered. */
async function callbacks(stage: Stage, { port, pool }: Place): Promise<number> {
  const payments = stage.many.slice(0, CALLBACKS).map(({ vendorId }): NewPayment => ({
    vendorId,
    paymentId: newId(),
    merchantReference: null,
    billerCode: BILLER,
    account: '14234560000',
    phone: null,
    amountCents: 10_000n,
    feeCents: 0n,
    vatCents: 0n,
    feePrice: null,
    duplicateSeconds: 0,
  }));
  await createPayments(pool, payments);
  await claim(
    pool,
    payments.map(({ vendorId }) => ({
      ...{ vendorId, billerCode: BILLER, stage: 'send' as const },
      ...{ max: 10_000, leaseMs: 600_000 },
    })),
  );
  const before = await countSettled(pool);
  const signed = payments.map(({ vendorId, paymentId }) => {
    const id = newId();
    const body = JSON.stringify({
      status: 'paid',
      reference: encodeReference(vendorId, paymentId),
      operator_reference: id,
      amount: '100.00',
      currency: 'KES',
      message: 'Payment received',
      paid_at: new Date().toISOString(),
    });
    const now = new Date();
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(SANDBOX_OPERATOR_KEY).sign(id, now, body),
    };
    return { method: 'POST', headers, body };
  });
  const startedAt = performance.now();
  const answers = await Promise.all(
    signed.map(async (request) => {
      const answer = await fetch(`http://127.0.0.1:${port}/callbacks/${OPERATOR}`, request);
      await answer.arrayBuffer();
      return answer.status;
    }),
  );
  const ms = performance.now() - startedAt;
  const refused = answers.filter((status) => status !== 200);
  if (refused.length > 0) throw new Error(`callbacks were answered ${refused.join(', ')}`);
  reconcile('100 callbacks', (await countSettled(pool)) - before, CALLBACKS);
  return ms;
}
