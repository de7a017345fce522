import { createWireTime } from '../../src/platform/base/clock.ts';
import { encodeReference } from '../../src/platform/base/ids.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import { BUSY_VENDOR, insertUsedMonths, insertUsedPages, samplePayment } from '../console-store.ts';
import { drive } from '../load/drive.ts';
import { signInPerson } from '../load/person.ts';
import type { Person } from '../load/person.ts';
import { createRequests } from '../load/requests.ts';
import { median } from '../ratios.ts';
import { countPayments } from '../store.ts';
import { MAX_PER_SECOND } from './http.ts';
import { reconcile } from './suite.ts';
import type { Suite, SuiteOptions } from './suite.ts';

export const CONSOLE_GROUPS = ['console lists', 'console searches', 'console charts'] as const;
export const BESIDE_CONSOLE = 'create beside the console';
export const WITHOUT_CONSOLE = 'create without the console';

type Group = (typeof CONSOLE_GROUPS)[number];

/** How often each answer is read in a run. */
const READS = 7;
const CONNECTIONS = 64;
/** Pages repeat their answers every 3 to 30 seconds; this is a person with many open. */
const EVERY_MS = 500;
/** Each poll of the console is one of few, so a short run would count none of the slow ones. */
const LEAST_SECONDS = 10;
const DAY_MS = 86_400_000;

/** The console's API on a used database: how long its answers take, and what they cost creates. */
export const consoleSuite: Suite = {
  name: 'console',
  contestants: [...CONSOLE_GROUPS, WITHOUT_CONSOLE, BESIDE_CONSOLE],
  open: async (stage, options) => {
    const url = await stage.database('console');
    const pool = createPool({ url, max: 1, name: 'bench console', statementTimeoutMs: 0 });
    options.log(`console: ${options.consoleRows} payments are written`);
    await insertUsedMonths(pool, options.consoleRows);
    await insertUsedPages(pool);
    const server = await stage.start<{ port: number }>('server.ts', {
      DATABASE_URL: url,
      ROLES: 'api',
      CONSOLE_READS_PER_SECOND: '0',
    });
    const { port } = server.first;
    const person = await signInPerson(pool, { port, login: 'admin' });
    const risk = await signInPerson(pool, { port, login: 'risk' });
    const paths = await pathsOf(pool, person);
    const create = async (seconds: number): Promise<number> => {
      const requests = createRequests(stage.many, MAX_PER_SECOND * seconds);
      const before = await countPayments(pool);
      const load = { port, connections: CONNECTIONS, folder: stage.folder, requests, seconds };
      const { answered, rate } = await drive(load);
      reconcile('creates', (await countPayments(pool)) - before, answered);
      return rate;
    };
    return {
      run: async (name) => {
        const group = CONSOLE_GROUPS.find((one) => one === name);
        if (group !== undefined) {
          const seconds = await slowest(paths[group], { person, risk, log: options.log });
          return { contestant: name, value: seconds, unit: 'seconds' };
        }
        await stage.checkpoint();
        const seconds = Math.max(LEAST_SECONDS, options.seconds);
        if (name === WITHOUT_CONSOLE) return { contestant: name, value: await create(seconds) };
        const polled = Object.values(paths).flat();
        const watching = person.watch(polled.filter(isOfStaff), EVERY_MS);
        try {
          return { contestant: name, value: await create(seconds) };
        } finally {
          await watching.stop();
        }
      },
      close: async () => {
        await server.stop();
        await pool.end();
      },
    };
  },
};

/** Reports are for one role only. */
function isOfStaff(path: string): boolean {
  return !path.startsWith('/credit/');
}

/** Seconds of the path whose median is the longest. */
async function slowest(
  paths: readonly string[],
  by: { readonly person: Person; readonly risk: Person } & Pick<SuiteOptions, 'log'>,
): Promise<number> {
  const medians: { readonly path: string; readonly ms: number }[] = [];
  for (const path of paths) {
    const who = isOfStaff(path) ? by.person : by.risk;
    const times: number[] = [];
    for (let read = 0; read < READS; read += 1) {
      const { ms, status } = await who.read(path);
      times.push(ms);
      if (status !== 503) continue;
      by.log(`  unavailable: ${path}`);
      break;
    }
    medians.push({ path, ms: median(times) });
  }
  medians.sort((one, other) => other.ms - one.ms);
  for (const { path, ms } of medians) by.log(`  ${ms.toFixed(0).padStart(6)} ms ${path}`);
  return (medians[0]?.ms ?? 0) / 1000;
}

async function pathsOf(
  pool: Parameters<typeof samplePayment>[0],
  person: Person,
): Promise<Readonly<Record<Group, readonly string[]>>> {
  const sample = await samplePayment(pool);
  const reference = encodeReference(sample.vendorId, sample.paymentId);
  const days = createWireTime('Africa/Nairobi');
  const dayAgo = (ago: number): string =>
    days.format(new Date(Date.now() - ago * DAY_MS)).slice(0, 10);
  const vendor = `/vendors/${BUSY_VENDOR}`;
  const payments = (query: Readonly<Record<string, string>>): string =>
    `/payments?${new URLSearchParams(query).toString()}`;
  const { answer } = await person.read('/payments');
  if (typeof answer['next'] !== 'string') throw new Error('the list of payments has one page only');
  return {
    'console lists': [
      '/payments',
      payments({ cursor: answer['next'] }),
      payments({ status: 'FAILED' }),
      payments({ status: 'PENDING' }),
      payments({ biller: 'dstv' }),
      payments({ biller: 'gotv' }),
      payments({ operator: 'kplc' }),
      payments({ vid: BUSY_VENDOR }),
      payments({ vid: 'bench-00500' }),
      payments({ vid: BUSY_VENDOR, status: 'FAILED', biller: 'dstv' }),
      payments({ from: dayAgo(60), to: dayAgo(59) }),
      payments({ min: '8990' }),
      payments({ min: '99999' }),
      ...['/cases', '/approvals', '/vendors', '/billers', '/operators', '/people', '/journals'],
      ...['/payouts', '/top-ups', '/system', '/audit', '/audit?action=biller.offline'],
      '/audit?action=no.such-action',
      `/audit?login=admin&from=${dayAgo(30)}`,
      ...[vendor, `${vendor}/events`, `${vendor}/events?state=given_up`, `${vendor}/requests`],
      ...[`${vendor}/requests?only=refused`, `${vendor}/statement`, `${vendor}/keys`],
      ...['/ledger', '/ledger/vendors/float', `/reconciliation/${dayAgo(2)}`],
      '/credit/enquiries?vid=demo',
    ],
    'console searches': [
      ...[sample.account, sample.phone, sample.merchantReference, reference].map((search) =>
        payments({ search }),
      ),
      payments({ search: 'nobody-has-this' }),
      payments({ search: 'KES 1,450' }),
      payments({ search: '123.45' }),
      payments({ search: `${BUSY_VENDOR} ${dayAgo(40)}` }),
      payments({ search: `${sample.phone} ${BUSY_VENDOR}` }),
      '/audit?target=target-17',
      '/audit?target=no-such-target',
      `/payments/${reference}`,
    ],
    'console charts': [
      ...['/home', '/billers/kplc_prepaid', '/billers/zuku', '/operators/kplc'],
      ...['/margin', '/margin?by=day', '/margin?by=vendor', `/margin?from=${dayAgo(90)}`],
      `/ledger?from=${dayAgo(90)}`,
      `${vendor}/statement?from=${dayAgo(90)}`,
    ],
  };
}
