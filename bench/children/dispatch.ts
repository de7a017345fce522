import { newId, NO_ID } from '../../src/platform/base/ids.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { claim, NO_MAXIMUM } from '../../src/payments/dispatch/store.ts';
import type { Claim } from '../../src/payments/dispatch/store.ts';
import { createPayments } from '../../src/payments/create/store.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import { importPeers } from '../peers/peers.ts';
import type { PgBoss } from '../peers/peers.ts';
import { serveParent } from './child.ts';

/** Drains prepared payments in batches of 500; each is paid as soon as it is taken. */
export interface DispatchQuestion {
  readonly contestant: 'ours' | 'pg-boss' | 'pg-boss-one-output' | 'graphile';
  readonly url: string;
  readonly jobs: number;
  /** Concurrent batches; for graphile-worker, which takes jobs one by one, concurrent jobs. */
  readonly workers: number;
  /** At least as many as workers. */
  readonly vendorIds: readonly number[];
  /** Creates the jobs. A call without it drains them. */
  readonly prepare?: boolean;
}

export interface DispatchAnswer {
  readonly jobs: number;
  /** Jobs a second. */
  readonly rate: number;
}

interface Contestant {
  prepare(question: DispatchQuestion): Promise<void>;
  /** Returns when the last job is done and recorded. */
  drain(question: DispatchQuestion): Promise<void>;
  close(): Promise<void>;
}

const BATCH = 500;
const QUEUE = 'bench';
const BILLER = 'kplc_prepaid';
const ROUTE = {
  operatorCode: 'kplc',
  reason: null,
  minimumCents: 0n,
  maximumCents: NO_MAXIMUM,
  operatorPrice: null,
  waitMs: 0,
};
const MAX_CONNECTIONS = 10;
const PG_BOSS_POLL_SECONDS = 0.5;

const opened = new Map<string, Promise<Contestant>>();

async function answer(question: DispatchQuestion): Promise<DispatchAnswer> {
  const { contestant: name, jobs } = question;
  const known = opened.get(name) ?? OPEN[name](question);
  opened.set(name, known);
  const contestant = await known;
  if (question.prepare === true) {
    await contestant.prepare(question);
    return { jobs: 0, rate: 0 };
  }
  const startedAt = performance.now();
  await contestant.drain(question);
  return { jobs, rate: jobs / ((performance.now() - startedAt) / 1000) };
}

const OPEN: Readonly<
  Record<DispatchQuestion['contestant'], (question: DispatchQuestion) => Promise<Contestant>>
> = {
  ours: openOurs,
  'pg-boss': openPgBoss,
  'pg-boss-one-output': openPgBossOneOutput,
  graphile: openGraphile,
};

/** Workers that take batches until no jobs are left. */
async function drainBy(
  takeBatch: (worker: number) => Promise<number>,
  { jobs, workers }: DispatchQuestion,
): Promise<void> {
  let done = 0;
  const drain = async (worker: number): Promise<void> => {
    for (;;) {
      const count = await takeBatch(worker);
      if (count === 0) return;
      done += count;
    }
  };
  await Promise.all(Array.from({ length: workers }, (_, worker) => drain(worker)));
  if (done !== jobs) throw new Error(`${done} of ${jobs} jobs were done`);
}

/** As many vendors as workers: settlements are shared out by vendor. */
async function openOurs({ url }: DispatchQuestion): Promise<Contestant> {
  const pool = createPool({ url, max: MAX_CONNECTIONS, name: 'bench', byIndexOnly: true });
  return {
    prepare: async ({ jobs, workers, vendorIds }) => {
      for (const [index, count] of batchesOf(jobs)) {
        const vendorId = vendorIds[index % workers] ?? 0;
        await createPayments(pool, newPayments(vendorId, count));
      }
    },
    drain: async (question) => {
      const claimedTo = new Map<number, string>();
      const claimNext = async (worker: number): Promise<readonly Claim[]> => {
        const vendorId = question.vendorIds[worker] ?? 0;
        const queue = { vendorId, billerCode: BILLER, stage: 'send' } as const;
        const firstId = claimedTo.get(worker) ?? NO_ID;
        const claims = await claim(pool, [
          { ...queue, firstId, max: BATCH, leaseMs: 60_000, route: ROUTE },
        ]);
        claimedTo.set(worker, claims.at(-1)?.paymentId ?? NO_ID);
        return claims;
      };
      await drainBy(async (worker) => await settleAsPaid(pool, await claimNext(worker)), question);
    },
    close: () => pool.end(),
  };
}

/** Numbers and sizes of the batches in which jobs are made. */
function batchesOf(jobs: number): [number, number][] {
  return Array.from({ length: Math.ceil(jobs / BATCH) }, (_, index) => [
    index,
    Math.min(BATCH, jobs - index * BATCH),
  ]);
}

/** Does what the dispatcher does for payments that the operator reports as paid at once. */
async function settleAsPaid(pool: Pool, claims: readonly Claim[]): Promise<number> {
  if (claims.length === 0) return 0;
  await settlePayments(
    pool,
    claims.map(({ vendorId, paymentId, billerCode, amountCents, operatorCode }) => ({
      vendorId,
      operatorCode,
      paymentId,
      billerCode,
      outcome: 'success',
      paidCents: amountCents,
      billerReference: `OP${paymentId.slice(-12)}`,
      message: 'Paid',
      details: null,
      failureCode: null,
      source: 'answer',
    })),
  );
  return claims.length;
}

function newPayments(vendorId: number, count: number): Parameters<typeof createPayments>[1] {
  return Array.from({ length: count }, () => {
    const paymentId = newId();
    return {
      vendorId,
      paymentId,
      billerCode: BILLER,
      account: '14234567890',
      phone: null,
      amountCents: 10_000n,
      feeCents: 0n,
      vatCents: 0n,
      feePrice: null,
      merchantReference: paymentId,
      duplicateSeconds: 0,
    };
  });
}

/**
 * pg-boss as one would use it for payments: a job is a payment, its output is the operator's answer.
 * Workers fetch batches, and complete each batch with the outputs of its jobs in one statement.
 */
async function openPgBoss(question: DispatchQuestion): Promise<Contestant> {
  const boss = await startPgBoss(question);
  return {
    prepare: (wanted) => addPayments(boss, wanted),
    drain: async ({ jobs, workers }) => {
      let taken = 0;
      const all = Promise.withResolvers<void>();
      const options = {
        batchSize: BATCH,
        localConcurrency: workers,
        burstWhenBatchFull: true,
        pollingIntervalSeconds: PG_BOSS_POLL_SECONDS,
        perJobResults: true,
      } as const;
      await boss.work(QUEUE, options, async (batch) => {
        taken += batch.length;
        if (taken === jobs) all.resolve();
        return batch.map(({ id, data }) => ({ id, status: 'completed', output: answerTo(data) }));
      });
      await all.promise;
      // Returns when all fetched jobs are recorded.
      await boss.offWork(QUEUE, { wait: true });
    },
    close: () => boss.stop({ graceful: false }),
  };
}

/** One output for a whole batch, so the operator's answers about single payments are not stored. */
async function openPgBossOneOutput(question: DispatchQuestion): Promise<Contestant> {
  const boss = await startPgBoss(question);
  return {
    prepare: (wanted) => addPayments(boss, wanted),
    drain: async (wanted) => {
      await drainBy(async () => {
        const fetched = await boss.fetch(QUEUE, { batchSize: BATCH });
        if (fetched.length === 0) return 0;
        const ids = fetched.map(({ id }) => id);
        await boss.complete(QUEUE, ids, { outcome: 'success' });
        return fetched.length;
      }, wanted);
    },
    close: () => boss.stop({ graceful: false }),
  };
}

async function startPgBoss({ url }: DispatchQuestion): Promise<PgBoss> {
  const { PgBoss } = await importPeers();
  const boss = new PgBoss({
    connectionString: url,
    max: MAX_CONNECTIONS,
    supervise: false,
    schedule: false,
  });
  boss.on('error', () => undefined);
  await boss.start();
  await boss.createQueue(QUEUE);
  return boss;
}

async function addPayments(boss: PgBoss, { jobs, vendorIds }: DispatchQuestion): Promise<void> {
  for (const [, count] of batchesOf(jobs)) {
    const payments = newPayments(vendorIds[0] ?? 0, count).map(paymentOf);
    await boss.insert(
      QUEUE,
      payments.map((data) => ({ data })),
    );
  }
}

/** The data that is needed to make a payment. */
interface Payment {
  readonly vendorId: number;
  readonly paymentId: string;
  readonly merchantReference: string | null;
  readonly account: string;
  readonly amountCents: string;
}

function paymentOf(row: ReturnType<typeof newPayments>[number]): Payment {
  const { vendorId, paymentId, merchantReference, account } = row;
  return {
    vendorId,
    paymentId,
    merchantReference,
    account,
    amountCents: String(row.amountCents),
  };
}

/** The part of the operator's answer that must be kept. */
function answerTo({ paymentId }: Payment): object {
  return {
    outcome: 'success',
    billerReference: `OP${paymentId.slice(-12)}`,
    message: 'Paid',
    source: 'answer',
  };
}

async function openGraphile({ url }: DispatchQuestion): Promise<Contestant> {
  const { makeWorkerUtils, run } = await importPeers();
  const utils = await makeWorkerUtils({ connectionString: url });
  await utils.migrate();
  return {
    prepare: async ({ jobs, vendorIds }) => {
      for (const [, count] of batchesOf(jobs)) {
        const payments = newPayments(vendorIds[0] ?? 0, count).map(paymentOf);
        await utils.addJobs(payments.map((payload) => ({ identifier: QUEUE, payload })));
      }
    },
    drain: async ({ jobs, workers }) => {
      let done = 0;
      const all = Promise.withResolvers<void>();
      const runner = await run({
        connectionString: url,
        concurrency: workers,
        maxPoolSize: workers + 1,
        noHandleSignals: true,
        preset: {
          worker: { localQueue: { size: BATCH }, completeJobBatchDelay: 0, failJobBatchDelay: 0 },
        },
        taskList: {
          [QUEUE]: () => {
            done += 1;
            if (done === jobs) all.resolve();
          },
        },
      });
      await all.promise;
      // Stopping saves completed work.
      await runner.stop();
    },
    close: async () => {
      await utils.release();
    },
  };
}

serveParent({
  ready: {},
  answer,
  stop: async () => {
    for (const contestant of opened.values()) await (await contestant).close();
  },
});
