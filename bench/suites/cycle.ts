import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startOperators } from '../../sandbox/operators-process.ts';
import { setFeePrice, setOperatorPrice } from '../../src/payments/billers/administer-prices.ts';
import { setRoute } from '../../src/payments/billers/administer-routes.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { drive } from '../load/drive.ts';
import { createRequests } from '../load/requests.ts';
import type { Child, Stage } from '../stage.ts';
import {
  countQueued,
  countSettled,
  countPayments,
  databaseTime,
  readRouting,
  moveOperators,
  settlingSeconds,
} from '../store.ts';
import { MAX_PER_SECOND } from './http.ts';
import { reconcile, runOf } from './suite.ts';
import type { Suite } from './suite.ts';

const ALONE = 'create alone';
const CYCLE = 'cycle';
/** Through two operators by weight; and with a fee, costs and commissions in force as well. */
const ROUTED = 'cycle routed';
const PRICED = 'cycle routed, with prices';
const CONTESTANTS = [ALONE, CYCLE, ROUTED, PRICED] as const;
type Contestant = (typeof CONTESTANTS)[number];

/** The database of each contestant. */
const DATABASES: Readonly<Record<Contestant, string>> = {
  [ALONE]: 'created',
  [CYCLE]: 'cycled',
  [ROUTED]: 'routed',
  [PRICED]: 'priced',
};
const BILLER = 'kplc_prepaid';
/** The biller’s own operator, and one of the same protocol. */
const WEIGHTS = { kplc: 3, nairobi_water: 1 } as const;
const CONNECTIONS = 256;
/**
 * Each contestant warms up before it is measured: while V8 compiles the code, a cycle, which has more
 * code, costs too much.
 */
const WARM_UP_PAYMENTS = 60_000;
const WARM_UP_SECONDS = 4;
const SETTLED_WITHIN_MS = 300_000;
const LOOK_MS = 50;

/**
 * The whole cycle of a payment: created over HTTP, sent to the simulated operators in their process,
 * answered, settled. The rate counts from the first create to the last settlement.
 */
export const cycleSuite: Suite = {
  name: 'cycle',
  contestants: CONTESTANTS,
  open: async (stage, options) => {
    const operators = await startOperators({
      port: 0,
      folder: path.join(stage.folder, 'operators'),
      providersCallBack: undefined,
      onUnexpectedExit: () => options.log('the simulated operators ended'),
    });
    const entries: (readonly [string, Service])[] = [];
    for (const name of CONTESTANTS.filter((one) => options.wanted.has(one))) {
      entries.push([name, await openService(stage, name, operators.origin)]);
    }
    const services = new Map(entries);
    const run = async (name: string, seconds: number) => {
      const service = services.get(name);
      if (service === undefined) throw new Error(`no contestant ${name}`);
      const { pool, server } = service;
      const requests = createRequests(stage.many, MAX_PER_SECOND * seconds);
      await stage.checkpoint();
      const before = await countPayments(pool);
      const settledBefore = await countSettled(pool);
      const startedAt = await databaseTime(pool);
      const measured = await stage.measured(server, async () => {
        const driven = await drive({
          port: server.first.port,
          requests,
          connections: CONNECTIONS,
          seconds,
          folder: stage.folder,
        });
        if (name === ALONE) return { rate: driven.rate, events: driven.answered };
        await drained(pool);
        const tookSeconds = await settlingSeconds(pool, startedAt);
        return { rate: driven.answered / tookSeconds, events: driven.answered };
      });
      const { events } = measured.result;
      reconcile(name, (await countPayments(pool)) - before, events);
      if (name !== ALONE) reconcile(name, (await countSettled(pool)) - settledBefore, events);
      return runOf(name, measured);
    };
    for (const [name, { pool }] of services) {
      while ((await countPayments(pool)) < WARM_UP_PAYMENTS) await run(name, WARM_UP_SECONDS);
    }
    return {
      run: (name) => run(name, options.seconds),
      close: async () => {
        for (const [name, { pool }] of services) await requireRouting(name, pool);
        await Promise.all([...services.values()].map(({ server }) => server.stop()));
        await operators.stop();
        await Promise.all([...services.values()].map(({ pool }) => pool.end()));
      },
    };
  },
};

interface Service {
  readonly pool: Pool;
  readonly server: Child<{ readonly port: number }>;
}

async function openService(stage: Stage, name: Contestant, origin: string): Promise<Service> {
  const url = await stage.database(DATABASES[name]);
  const pool = createPool({ url, max: 1, name: 'bench count', statementTimeoutMs: 0 });
  await moveOperators(pool, origin);
  if (name === ROUTED || name === PRICED) await setRoutes(pool);
  if (name === PRICED) await setPrices(pool);
  const ROLES = name === ALONE ? 'api' : 'api,dispatcher';
  return { pool, server: await stage.start('server.ts', { DATABASE_URL: url, ROLES }) };
}

async function setRoutes(pool: Pool): Promise<void> {
  for (const [operatorCode, weight] of Object.entries(WEIGHTS)) {
    await setRoute(pool, { billerCode: BILLER, operatorCode }, { position: 0, weight });
  }
}

/** A fee with VAT; each operator charges for a payment, and gives a commission. */
async function setPrices(pool: Pool): Promise<void> {
  const now = { validFrom: null, setBy: 'bench' };
  const fee = {
    tiers: [{ fromCents: 0n, flatCents: 1_000n, bps: 50 }],
    minimumCents: null,
    maximumCents: null,
    vatBps: 1_600,
    vatIncluded: false,
  };
  await setFeePrice(pool, { billerCode: BILLER, vendorId: null }, fee, now);
  for (const operatorCode of Object.keys(WEIGHTS)) {
    const terms = {
      cost: { flatCents: 500n, bps: 0 },
      commission: { flatCents: 0n, bps: 100 },
      commissionNetted: true,
    };
    await setOperatorPrice(pool, { billerCode: BILLER, operatorCode }, terms, now);
  }
}

/** Throws unless the contestant did what its name says. */
async function requireRouting(name: string, pool: Pool): Promise<void> {
  const isRouted = name === ROUTED || name === PRICED;
  const { operators, costs } = await readRouting(pool);
  if (isRouted !== operators > 1 || (name === PRICED) !== costs > 0) {
    throw new Error(`${name}: ${operators} operators have paid, ${costs} payments had a cost`);
  }
}

async function drained(pool: Parameters<typeof countQueued>[0]): Promise<void> {
  const deadline = performance.now() + SETTLED_WITHIN_MS;
  while ((await countQueued(pool)) > 0) {
    if (performance.now() > deadline) throw new Error('not every payment was settled in time');
    await delay(LOOK_MS);
  }
}
