import { LIMITS } from '../../src/platform/base/limits.ts';
import { newId } from '../../src/platform/base/ids.ts';
import { createLane } from '../../src/platform/db/lane.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { createCreateLane } from '../../src/payments/create/create.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import { createOne, createUnchecked } from '../contestants.ts';
import { readPgledgerAccounts, transferByPgledger } from '../pgledger.ts';
import { serveParent } from './child.ts';

/**
 * Creates without HTTP. `lanes-of-processes`: as in several processes, each of which has a lane of one
 * connection and gets requests of all vendors. Each caller starts its next create when the previous one is committed.
 */
export interface DirectQuestion {
  readonly contestant: 'lanes' | 'lanes-of-processes' | 'ceiling' | 'one-call' | 'pgledger';
  readonly url: string;
  readonly vendorIds: readonly number[];
  readonly callers: number;
  readonly connections: number;
  readonly seconds: number;
}

export interface DirectAnswer {
  readonly creates: number;
  /** Creates a second. */
  readonly rate: number;
}

const DEADLINE_MS = 30_000;

type Create = (payment: NewPayment) => Promise<unknown>;

async function run(question: DirectQuestion): Promise<DirectAnswer> {
  const { connections } = question;
  const ownPools = question.contestant === 'lanes-of-processes';
  const pools = Array.from({ length: ownPools ? connections : 1 }, () =>
    createPool({
      url: question.url,
      max: ownPools ? 1 : connections,
      name: 'bench',
      byIndexOnly: question.contestant !== 'pgledger',
    }),
  );
  const creates = await Promise.all(
    pools.map(async (pool) => await contestant(question.contestant, pool, connections)),
  );
  let next = 0;
  const create: Create = async (payment) => {
    next += 1;
    await creates[next % creates.length]?.(payment);
  };
  const { callers, seconds, vendorIds } = question;
  // Connections and plans are made before the measurement begins.
  await together(callers, async (caller) => {
    await create(newPayment(vendorIds, caller));
  });
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  let timed = 0;
  await together(callers, async (caller) => {
    for (let turn = caller; performance.now() < endsAt; turn += callers) {
      await create(newPayment(vendorIds, turn));
      timed += 1;
    }
  });
  const tookSeconds = (performance.now() - startedAt) / 1000;
  await Promise.all(pools.map((pool) => pool.end()));
  return { creates: timed + callers, rate: timed / tookSeconds };
}

async function contestant(
  name: DirectQuestion['contestant'],
  pool: Pool,
  maxCalls: number,
): Promise<Create> {
  if (name === 'one-call') return (payment) => createOne(pool, payment);
  if (name === 'pgledger') return await createByPgledger(pool);
  if (name === 'ceiling') return createWithoutChecks(pool, maxCalls);
  return createByLane(pool, name === 'lanes' ? maxCalls : 1);
}

function createWithoutChecks(pool: Pool, maxCalls: number): Create {
  const lane = createLane<NewPayment, true>({
    name: 'ceiling',
    pool,
    atOnce: { maxCalls, vendorOf: ({ vendorId }) => vendorId },
    maxBatch: LIMITS.laneBatchRows,
    maxWaiting: LIMITS.laneQueueRows,
    deadlineMs: DEADLINE_MS,
    call: async (db, batch) => {
      await createUnchecked(db, batch);
      return batch.map(() => true);
    },
  });
  return async (payment) => await lane.add(payment);
}

/**
 * Without `openPayments`: its `create` also validates a request, and its batches have the best size for
 * HTTP. Here only the call differs from the other contestants, and larger batches are best, because no
 * answers are written meanwhile.
 */
function createByLane(pool: Pool, maxCalls: number): Create {
  const lane = createCreateLane({
    pool,
    atOnce: { maxCalls },
    deadlineMs: DEADLINE_MS,
    maxBatch: LIMITS.laneBatchRows,
    onAccepted: () => {},
  });
  return async (payment) => {
    const decision = await lane.add(payment);
    if (decision.kind !== 'accepted') throw new Error(`a create was ${decision.kind}`);
  };
}

async function createByPgledger(pool: Pool): Promise<Create> {
  const accounts = await readPgledgerAccounts(pool);
  return async ({ vendorId, amountCents }) => {
    const own = accounts.get(vendorId);
    if (own === undefined) throw new Error(`vendor ${vendorId} has no accounts`);
    await transferByPgledger(pool, own, amountCents);
  };
}

async function together(count: number, work: (caller: number) => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, caller) => work(caller)));
}

const started = Date.now().toString(36);
let references = 0;

function newPayment(vendorIds: readonly number[], turn: number): NewPayment {
  references += 1;
  return {
    vendorId: vendorIds[turn % vendorIds.length] ?? 0,
    paymentId: newId(),
    billerCode: 'kplc_prepaid',
    account: `14${String(references).padStart(8, '0')}0`,
    phone: null,
    amountCents: 10_000n,
    feeCents: 0n,
    vatCents: 0n,
    feePrice: null,
    merchantReference: `d-${started}-${references}`,
    duplicateSeconds: 0,
  };
}

serveParent({ ready: {}, answer: run, stop: async () => {} });
