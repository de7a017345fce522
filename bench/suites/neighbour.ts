import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { createVault } from '../../src/credit/registry/vault.ts';
import { changeVendor } from '../../src/parties/administer.ts';
import { openLedgerMac } from '../../src/parties/ledger-key.ts';
import { addPerson } from '../../src/parties/people/administer.ts';
import { setWebhook } from '../../src/payments/events/administer.ts';
import { completeSums } from '../../src/payments/ledger/sums.ts';
import { createWireTime } from '../../src/platform/base/clock.ts';
import { DAY_MS } from '../../src/platform/base/days.ts';
import { LIMITS as SERVICE_LIMITS } from '../../src/platform/base/limits.ts';
import { encodeReference } from '../../src/parties/reference.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { loadRegistry } from '../credit/load.ts';
import type { Elsewhere, NeighbourQuestion } from '../children/neighbour.ts';
import {
  beginChainNow,
  BUSY_VENDOR,
  insertUsedLists,
  insertUsedMonths,
  samplePayment,
} from '../console-store.ts';
import { drive } from '../load/drive.ts';
import { sendBulk } from '../load/neighbour.ts';
import type { Answers, NeighbourOptions } from '../load/neighbour.ts';
import { startSession } from '../load/person.ts';
import { createRequests } from '../load/requests.ts';
import { measuredLists } from '../self-service-lists.ts';
import type { BenchVendor, Stage } from '../stage.ts';
import { moveOperators, settleDown } from '../store.ts';
import type { Suite } from './suite.ts';

const ALONE = 'payments of a vendor';
const BESIDE = 'payments of a vendor beside a busy one';

const PAYMENTS = 30_000;
const REQUESTS = 1_200;
/** Of the vendor that is measured: few enough that it is never busy itself. */
const CREATES_PER_SECOND = 50;
const CONNECTIONS = 64;
/** With few requests, a high percentile is chance. */
const MIN_SECONDS = 12;
/** People in the registry of credit information. */
const PEOPLE = 2_000;
/** The last three are the service's usual ones. Requests with a `hash` are not limited unless a limit is set. */
const LIMITS = { signed: 60, selfService: 20, consoleReads: 20, consoleChanges: 2 };
const LOGIN = 'neighbour';

/**
 * How long the creates of one vendor take while another one uses all operations that it may, each at its limit:
 * creates, bulk files, enquiries, lists, files, replays and webhook tests of its programs, and the console. It is
 * a tenth faster than its limits, by the clock.
 */
export const neighbourSuite: Suite = {
  name: 'neighbour',
  contestants: [ALONE, BESIDE],
  open: async (stage, options) => {
    const elsewhere = await stage.start<Elsewhere>(
      'neighbour.ts',
      { OPERATORS_FOLDER: path.join(stage.folder, 'neighbours-operators') },
      { takesWhatIsLeft: true },
    );
    const ask = async (start?: NeighbourOptions): Promise<Answers> =>
      await elsewhere.ask<Answers>({ start } satisfies NeighbourQuestion);
    const url = await stage.database('neighbour');
    const pool = createPool({ url, max: 1, name: 'bench neighbour', statementTimeoutMs: 0 });
    await moveOperators(pool, elsewhere.first.operators);
    const vendor = await fill(pool, stage, elsewhere.first.receiver);
    const indexKey = randomBytes(32);
    await fillRegistry(pool, stage, indexKey);
    options.log(`neighbour: ${PAYMENTS} payments were written`);
    const server = await stage.start<{ port: number }>('server.ts', {
      ...{ DATABASE_URL: url, SIGNER_REQUESTS_PER_SECOND: String(LIMITS.signed) },
      CREDIT_INDEX_KEY: indexKey.toString('base64'),
    });
    const { port } = server.first;
    const neighbour = await neighbourOf(pool, stage, { port, vendor });
    const run = async (name: string, withRare: boolean) => {
      const seconds = Math.max(MIN_SECONDS, options.seconds);
      const requests = createRequests(stage.many.slice(-1), CREATES_PER_SECOND * seconds + 1);
      await stage.checkpoint();
      if (name === BESIDE) await ask({ ...neighbour, withRare });
      const load = { port, connections: CONNECTIONS, folder: stage.folder };
      const { result: driven, ...cpu } = await stage.measured(
        server,
        async () => await drive({ ...load, requests, seconds, rate: CREATES_PER_SECOND }),
      );
      const { nodeCpuSeconds, postgresCpuSeconds } = cpu;
      options.log(
        `  CPU of the service ${nodeCpuSeconds.toFixed(1)} s, of PostgreSQL ${postgresCpuSeconds.toFixed(1)} s in ${seconds} s`,
      );
      for (const [kind, { served, refused }] of await ask()) {
        options.log(`  ${kind}: ${served} served, ${refused} refused`);
      }
      const { p50Ms, p99Ms } = driven;
      return { contestant: name, value: p99Ms / 1000, unit: 'seconds', p50Ms, p99Ms } as const;
    };
    // The first runs in a new database have a longer tail.
    for (const name of [ALONE, BESIDE]) await run(name, false);
    return {
      run: async (name) => await run(name, true),
      close: async () => {
        await server.stop();
        await elsewhere.stop();
        await pool.end();
      },
    };
  },
};

/** Three months of payments; the busy vendor has every fifth. */
async function fill(pool: Pool, stage: Stage, receiver: string): Promise<BenchVendor> {
  await insertUsedMonths(pool, PAYMENTS);
  await insertUsedLists(pool, REQUESTS);
  await completeSums(pool);
  await beginChainNow(pool);
  await settleDown(pool);
  const vendor = stage.hot.find(({ vid }) => vid === BUSY_VENDOR);
  if (vendor === undefined) throw new Error(`there is no vendor ${BUSY_VENDOR}`);
  const sealing = async () => ({ masterKeys: stage.masterKeys, certain: true });
  await setWebhook(pool, vendor, { url: receiver, allowsPrivate: true, sealing });
  return vendor;
}

/** Credit information, about which the busy vendor may ask as it likes. */
async function fillRegistry(pool: Pool, { masterKeys }: Stage, indexKey: Buffer): Promise<void> {
  const index = { current: indexKey, previous: undefined };
  const vault = createVault({ master: masterKeys, index });
  await loadRegistry({ pool, vault, subjects: PEOPLE, report: () => undefined });
  await changeVendor(pool, BUSY_VENDOR, { enquiryPolicy: 'open' });
}

/** Its administrator has every page of the console open that a vendor's people may read. */
async function neighbourOf(
  pool: Pool,
  { masterKeys }: Stage,
  { port, vendor }: Pick<NeighbourOptions, 'port' | 'vendor'>,
): Promise<Omit<NeighbourOptions, 'withRare'>> {
  const { vid } = vendor;
  const ledgerMac = await openLedgerMac(pool, masterKeys);
  const administrator = { login: LOGIN, role: 'vendor_administrator', name: 'Neighbour' } as const;
  await addPerson({ pool, ledgerMac }, { ...administrator, vid }, new Date());
  const sample = await samplePayment(pool, vid);
  const { account, merchantReference, vendorId, paymentId } = sample;
  const reference = encodeReference(vendorId, paymentId);
  const wireTime = createWireTime('Africa/Nairobi');
  const dayAgo = (days: number): string =>
    wireTime.format(new Date(Date.now() - days * DAY_MS)).slice(0, 10);
  return {
    ...{ port, vendor, reference, people: PEOPLE, limits: LIMITS },
    largeBatch: await sendLargeBatch(port, vendor),
    replayed: { from: dayAgo(29), to: dayAgo(0) },
    session: await startSession(pool, { masterKeys, login: LOGIN }),
    lists: measuredLists({ account, merchantReference, reference, dayAgo }),
    pages: [
      { path: '/home' },
      { path: '/payments?status=FAILED&biller=dstv' },
      { path: '/payments?min=99999' },
      { path: '/payments/search', body: { search: 'nobody' } },
      { path: `/vendors/${vid}/events?state=given_up` },
      { path: `/vendors/${vid}/requests?only=refused` },
      { path: `/vendors/${vid}/account-statement?from=${dayAgo(90)}` },
      { path: '/bulk' },
      { path: `/payments/${reference}` },
    ],
  };
}

/** A file of as many rows as one may have; they are all refused, so that nothing is paid. */
async function sendLargeBatch(port: number, vendor: BenchVendor): Promise<string> {
  const asked = { batch: 'large', rows: SERVICE_LIMITS.bulkRows, amount: '0.01' };
  const answer = await sendBulk(`http://127.0.0.1:${port}`, vendor, asked);
  if (!answer.ok) throw new Error(`the large file was refused: ${await answer.text()}`);
  return asked.batch;
}
