import { run as runGraphile, makeWorkerUtils } from 'graphile-worker';
import { PgBoss } from 'pg-boss';
import { newId } from '../../src/base/ids.ts';
import { createPool } from '../../src/db/pool.ts';
import type { Pool } from '../../src/db/pool.ts';
import { claim } from '../../src/dispatch/store.ts';
import type { Claim } from '../../src/dispatch/store.ts';
import { createTransactions, settleTransactions } from '../../src/transactions/store.ts';
import { serveParent } from './child.ts';

/** Drains prepared jobs, by batches of 500 and two at a time, with nothing to do for a job. */
export interface DispatchQuestion {
  readonly contestant: 'ours' | 'pg-boss' | 'graphile';
  readonly url: string;
  readonly jobs: number;
  readonly vendorId: number;
  /** Makes the jobs; asked again without it, they are drained. */
  readonly prepare?: boolean;
}

export interface DispatchAnswer {
  readonly jobs: number;
  /** Jobs a second. */
  readonly rate: number;
}

interface Contestant {
  prepare(jobs: number): Promise<void>;
  /** Returns when the last of them is done and written. */
  drain(jobs: number): Promise<void>;
  close(): Promise<void>;
}

const BATCH = 500;
const WORKERS = 2;
const QUEUE = 'bench';
const GRAPHILE_JOBS_AT_ONCE = 24;
const GRAPHILE_CONNECTIONS = 25;

const opened = new Map<string, Promise<Contestant>>();

async function answer(question: DispatchQuestion): Promise<DispatchAnswer> {
  const { contestant: name, jobs } = question;
  const known = opened.get(name) ?? OPEN[name](question);
  opened.set(name, known);
  const contestant = await known;
  if (question.prepare === true) {
    await contestant.prepare(jobs);
    return { jobs: 0, rate: 0 };
  }
  const startedAt = performance.now();
  await contestant.drain(jobs);
  return { jobs, rate: jobs / ((performance.now() - startedAt) / 1000) };
}

const OPEN: Readonly<
  Record<DispatchQuestion['contestant'], (question: DispatchQuestion) => Promise<Contestant>>
> = { ours: openOurs, 'pg-boss': openPgBoss, graphile: openGraphile };

/** Workers that take batches until there is nothing left. */
async function drainBy(takeBatch: () => Promise<number>, jobs: number): Promise<void> {
  let done = 0;
  const worker = async (): Promise<void> => {
    for (;;) {
      const count = await takeBatch();
      if (count === 0) return;
      done += count;
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
  if (done !== jobs) throw new Error(`${done} of ${jobs} jobs were done`);
}

async function openOurs({ url, vendorId }: DispatchQuestion): Promise<Contestant> {
  const pool = createPool({ url, max: WORKERS, name: 'bench', byIndexOnly: true });
  const queue = { vendorId, billerCode: 'kplc_prepaid', stage: 'send' } as const;
  return {
    prepare: async (jobs) => {
      for (let made = 0; made < jobs; made += BATCH) {
        await createTransactions(
          pool,
          newTransactions(vendorId, Math.min(BATCH, jobs - made)),
          false,
        );
      }
    },
    drain: async (jobs) => {
      // As in the dispatcher: one claim at a time, while what was claimed before is settled.
      let claimed: Promise<readonly Claim[]> = Promise.resolve([]);
      const claimNext = async (): Promise<readonly Claim[]> => {
        claimed = claimed.then(() => claim(pool, [{ ...queue, most: BATCH, leaseMs: 60_000 }]));
        return await claimed;
      };
      await drainBy(async () => await settleAsPaid(pool, await claimNext()), jobs);
    },
    close: () => pool.end(),
  };
}

/** What the dispatcher does for payments whose operator says at once that they are paid. */
async function settleAsPaid(pool: Pool, claims: readonly Claim[]): Promise<number> {
  if (claims.length === 0) return 0;
  await settleTransactions(
    pool,
    claims.map(({ vendorId, transactionId, amountCents }) => ({
      caseId: newId(),
      report: {
        vendorId,
        transactionId,
        outcome: 'success',
        paidCents: amountCents,
        billerReference: `OP${transactionId.slice(-12)}`,
        message: 'Paid',
        details: null,
        source: 'answer',
      },
    })),
  );
  return claims.length;
}

function newTransactions(
  vendorId: number,
  count: number,
): Parameters<typeof createTransactions>[1] {
  return Array.from({ length: count }, () => {
    const transactionId = newId();
    return {
      vendorId,
      transactionId,
      billerCode: 'kplc_prepaid',
      account: '14234567890',
      phone: null,
      amountCents: 10_000n,
      feeCents: 0n,
      merchantReference: transactionId,
      duplicateCheck: false,
    };
  });
}

async function openPgBoss({ url }: DispatchQuestion): Promise<Contestant> {
  const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false });
  boss.on('error', () => undefined);
  await boss.start();
  await boss.createQueue(QUEUE);
  return {
    prepare: async (jobs) => {
      for (let made = 0; made < jobs; made += BATCH) {
        const data = Array.from({ length: Math.min(BATCH, jobs - made) }, (_, index) => ({
          data: { reference: made + index },
        }));
        await boss.insert(QUEUE, data);
      }
    },
    drain: async (jobs) => {
      await drainBy(async () => {
        const fetched = await boss.fetch(QUEUE, { batchSize: BATCH });
        if (fetched.length === 0) return 0;
        await boss.complete(
          QUEUE,
          fetched.map(({ id }) => id),
        );
        return fetched.length;
      }, jobs);
    },
    close: () => boss.stop({ graceful: false }),
  };
}

async function openGraphile({ url }: DispatchQuestion): Promise<Contestant> {
  const utils = await makeWorkerUtils({ connectionString: url });
  await utils.migrate();
  return {
    prepare: async (jobs) => {
      for (let made = 0; made < jobs; made += BATCH) {
        await utils.addJobs(
          Array.from({ length: Math.min(BATCH, jobs - made) }, (_, index) => ({
            identifier: QUEUE,
            payload: { reference: made + index },
          })),
        );
      }
    },
    drain: async (jobs) => {
      let done = 0;
      const all = Promise.withResolvers<void>();
      const runner = await runGraphile({
        connectionString: url,
        concurrency: GRAPHILE_JOBS_AT_ONCE,
        maxPoolSize: GRAPHILE_CONNECTIONS,
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
      // Stopping writes down what is done.
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
