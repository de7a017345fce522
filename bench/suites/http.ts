import { encodeReference } from '../../src/parties/reference.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { BareQuestion } from '../children/bare.ts';
import { drive } from '../load/drive.ts';
import { balanceRequests, createRequests, statusRequests } from '../load/requests.ts';
import type { SignedRequest } from '../load/requests.ts';
import type { BenchVendor, Stage } from '../stage.ts';
import { countPayments, samplePayments } from '../store.ts';
import { reconcile, runOf } from './suite.ts';
import type { OpenSuite, Suite } from './suite.ts';

export const HELLO_PATH = '/bench/hello';
export const PER_REQUEST_PATH = '/bench/per-request';

/** More than the service answers in a second on one core. */
export const MAX_PER_SECOND = 60_000;
/** More than the bare server does. */
const MAX_BARE_PER_SECOND = 120_000;
const SAMPLED = 20_000;

const BARE = 'bare 256';

interface Contestant {
  readonly connections: number;
  readonly requests: (count: number) => Promise<SignedRequest[]> | SignedRequest[];
  /** Each answer is a new payment. */
  readonly creates: boolean;
}

/** Over HTTP, all against one process of the service, except the bare server. */
export const httpSuite: Suite = {
  name: 'http',
  contestants: [
    ...['bare 256', 'hello 64', 'hello 256'],
    ...['create hot 64', 'create 1000 64', 'create hot 256', 'create 1000 256'],
    ...['per request hot 256', 'balance 64', 'status 64'],
  ],
  open: async (stage, options) => {
    const url = await stage.database('http');
    const pool = createPool({ url, max: 1, name: 'bench count', statementTimeoutMs: 0 });
    const server = await stage.start<{ port: number }>('server.ts', {
      DATABASE_URL: url,
      ROLES: 'api',
    });
    const bare = await startBare(stage);
    const contestants = contestantsOf(stage, async () => {
      const rows = await samplePayments(pool, SAMPLED);
      return rows.map((row) => ({
        vendor: vendorById(stage, row.vendor_id),
        reference: encodeReference(row.vendor_id, row.payment_id),
      }));
    });
    const run = async (name: string, seconds: number) => {
      const contestant = contestants[name];
      if (contestant === undefined) throw new Error(`no contestant ${name}`);
      const { connections, creates } = contestant;
      const [child, maxPerSecond] =
        name === BARE ? [bare, MAX_BARE_PER_SECOND] : [server, MAX_PER_SECOND];
      const requests = await contestant.requests(maxPerSecond * seconds);
      await stage.checkpoint();
      const before = await countPayments(pool);
      const measured = await stage.measured(child, async () => {
        const driven = await drive({
          port: child.first.port,
          requests,
          connections,
          seconds,
          folder: stage.folder,
          sharesCoreOf: child.pid,
        });
        return { ...driven, events: driven.answered };
      });
      const { answered, p50Ms, p99Ms } = measured.result;
      reconcile(name, (await countPayments(pool)) - before, creates ? answered : 0);
      return { ...runOf(name, measured), p50Ms, p99Ms };
    };
    // Warms up connections and plans, and creates payments for the status queries. Node’s compiler needs
    // tens of thousands of requests until their cost no longer falls.
    for (const name of [
      ...[BARE, BARE, 'hello 64', 'hello 256', 'hello 256', 'hello 256'],
      ...['create hot 64', 'create hot 256', 'create 1000 256', 'create 1000 256'],
      'per request hot 256',
    ]) {
      await run(name, 2);
    }
    const open: OpenSuite = {
      run: (name) => run(name, options.seconds),
      close: async () => {
        await Promise.all([server.stop(), bare.stop()]);
        await pool.end();
      },
    };
    return open;
  },
};

async function startBare(stage: Stage) {
  const bare = await stage.start<{ port: number }>('bare.ts', {});
  const keys: BareQuestion = new Map(stage.many.map(({ vid, key }) => [vid, key]));
  await bare.ask(keys);
  return bare;
}

function vendorById(stage: Stage, vendorId: number): BenchVendor {
  const vendor = [...stage.hot, ...stage.many][vendorId - (stage.hot[0]?.vendorId ?? 0)];
  if (vendor?.vendorId !== vendorId) throw new Error(`no vendor ${vendorId}`);
  return vendor;
}

function contestantsOf(
  stage: Stage,
  sample: () => Promise<Parameters<typeof statusRequests>[0]>,
): Readonly<Record<string, Contestant>> {
  const creates = (
    vendors: readonly BenchVendor[],
    connections: number,
    path?: string,
  ): Contestant => ({
    connections,
    creates: path !== HELLO_PATH,
    requests: (count) => createRequests(vendors, count, path),
  });
  return {
    [BARE]: creates(stage.many, 256, HELLO_PATH),
    'hello 64': creates(stage.many, 64, HELLO_PATH),
    'hello 256': creates(stage.many, 256, HELLO_PATH),
    'create hot 64': creates(stage.hot, 64),
    'create hot 256': creates(stage.hot, 256),
    'create 1000 64': creates(stage.many, 64),
    'create 1000 256': creates(stage.many, 256),
    'per request hot 256': creates(stage.hot, 256, PER_REQUEST_PATH),
    'balance 64': {
      connections: 64,
      creates: false,
      requests: (count) => balanceRequests(stage.many, count),
    },
    'status 64': {
      connections: 64,
      creates: false,
      requests: async (count) => statusRequests(await sample(), count),
    },
  };
}
