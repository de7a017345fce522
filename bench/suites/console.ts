import { DEMO_PEOPLE } from '../../sandbox/data.ts';
import { isAllowed } from '../../src/parties/people/permissions.ts';
import { definedRoutes } from '../../test/support/defined-routes.ts';
import { openLedgerMac } from '../../src/parties/ledger-key.ts';
import { addPerson } from '../../src/parties/people/administer.ts';
import type { Role } from '../../src/parties/people/roles.ts';
import type { MasterKeys } from '../../src/platform/base/sealing.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { fillConsole } from '../console-fill.ts';
import { CONSOLE_GROUPS, consolePaths, SEARCH_PATH } from '../console-paths.ts';
import type { ConsoleGroup, ConsoleSamples } from '../console-paths.ts';
import { beginChainNow, BUSY_VENDOR } from '../console-store.ts';
import { type Driven, drive, type Load } from '../load/drive.ts';
import { signInPerson } from '../load/person.ts';
import type { Person } from '../load/person.ts';
import { createRequests } from '../load/requests.ts';
import { median } from '../ratios.ts';
import type { Child, Measured, Stage } from '../stage.ts';
import { countPayments } from '../store.ts';
import { MAX_PER_SECOND } from './http.ts';
import { reconcile } from './suite.ts';
import type { Suite, SuiteOptions } from './suite.ts';

export const BESIDE_CONSOLE = 'create beside the console';
export const WITHOUT_CONSOLE = 'create without the console';

/** Number of times that each answer is read in a run. */
const READS = 7;
const CONNECTIONS = 64;
/** Pages repeat their answers every 3 to 30 seconds; this is a person with many open. */
const EVERY_MS = 500;
/** Each poll of the console is one of few, so a short run would count none of the slow ones. */
const MIN_SECONDS = 20;
/** Rows of the audit log and of the request log. */
const LOG_ROWS = 200_000;
/** A vendor with few payments. */
const QUIET_VENDOR = 'bench-00500';
const VENDORS_PERSON = { login: 'busy-vendor', role: 'vendor_administrator' } as const;
/** A vendor's people see the same lists, of their vendor alone. */
const VENDORS_PATHS: readonly Pick<ReadPath, 'path' | 'body'>[] = [
  { path: '/home' },
  { path: '/payments' },
  { path: '/payments?status=FAILED' },
  { path: SEARCH_PATH, body: { search: 'order-17' } },
];

interface ReadPath {
  readonly path: string;
  readonly body?: Readonly<Record<string, string>>;
  readonly group: ConsoleGroup;
  readonly person: Person;
}

/** Filled once. Nobody is connected to it, so that it can be copied. */
const FILLED = 'console_filled';

/**
 * The console's API on a used database: how long its answers take, and what they cost creates. Each run
 * that creates payments has its own copy, or every round would find more payments than the one before.
 */
export const consoleSuite: Suite = {
  name: 'console',
  contestants: [...CONSOLE_GROUPS, WITHOUT_CONSOLE, BESIDE_CONSOLE],
  open: async (stage, options) => {
    const samples = await fill(await stage.database(FILLED), options);
    const reading = await openConsole(stage, 'console', samples);
    return {
      run: async (name) => {
        const group = CONSOLE_GROUPS.find((one) => one === name);
        if (group === undefined) {
          const seconds = Math.max(MIN_SECONDS, options.seconds);
          const value = await createBeside(stage, samples, {
            seconds,
            watched: name === BESIDE_CONSOLE,
          });
          return { contestant: name, value };
        }
        const inGroup = reading.paths.filter((one) => one.group === group);
        return {
          contestant: name,
          value: await slowest(
            inGroup,
            (work) => stage.measured(reading.server, work),
            options.log,
          ),
          unit: 'seconds',
        };
      },
      close: reading.close,
    };
  },
};

async function fill(url: string, { consoleRows, log }: SuiteOptions): Promise<ConsoleSamples> {
  const pool = createPool({ url, max: 1, name: 'bench console', statementTimeoutMs: 0 });
  try {
    const rows = { payments: consoleRows, logRows: LOG_ROWS };
    const samples = await fillConsole(pool, { ...rows, quietVid: QUIET_VENDOR, log });
    await beginChainNow(pool);
    return samples;
  } finally {
    await pool.end();
  }
}

/** A server on a copy of the filled database, and its pages. */
interface OpenConsole {
  readonly pool: Pool;
  readonly server: Child<{ port: number }>;
  readonly paths: readonly ReadPath[];
  readonly close: () => Promise<void>;
}

async function openConsole(
  stage: Stage,
  name: string,
  samples: ConsoleSamples,
): Promise<OpenConsole> {
  const url = await stage.copy(name, FILLED);
  const pool = createPool({ url, max: 1, name: 'bench console', statementTimeoutMs: 0 });
  const server = await stage.start<{ port: number }>('server.ts', {
    DATABASE_URL: url,
    ROLES: 'api',
    CONSOLE_READS_PER_SECOND: '0',
  });
  return {
    pool,
    server,
    paths: await readPaths(
      pool,
      { port: server.first.port, masterKeys: stage.masterKeys },
      samples,
    ),
    close: async () => {
      await server.stop();
      await pool.end();
      await stage.drop(name);
    },
  };
}

/** Payments created per second, with or without a person who watches the console. */
async function createBeside(
  stage: Stage,
  samples: ConsoleSamples,
  { seconds, watched }: { readonly seconds: number; readonly watched: boolean },
): Promise<number> {
  const { pool, server, paths, close } = await openConsole(stage, 'console_creates', samples);
  try {
    const requests = createRequests(stage.many, MAX_PER_SECOND * seconds);
    const before = await countPayments(pool);
    await stage.checkpoint();
    const { port } = server.first;
    const load = { port, connections: CONNECTIONS, folder: stage.folder, requests, seconds };
    const { answered, rate } = await (watched ? driveBeside(load, paths) : drive(load));
    reconcile('creates', (await countPayments(pool)) - before, answered);
    return rate;
  } finally {
    await close();
  }
}

/** Drives the load while a person watches the console. */
async function driveBeside(load: Load, paths: readonly ReadPath[]): Promise<Driven> {
  const watching = watch(paths);
  try {
    return await drive(load);
  } finally {
    await watching.stop();
  }
}

/** Each path with somebody who may read it. */
async function readPaths(
  pool: Pool,
  service: { readonly port: number; readonly masterKeys: MasterKeys },
  samples: ConsoleSamples,
): Promise<ReadPath[]> {
  const { login, role } = VENDORS_PERSON;
  const deps = { pool, ledgerMac: await openLedgerMac(pool, service.masterKeys) };
  await addPerson(deps, { login, role, name: 'Busy Vendor', vid: BUSY_VENDOR }, new Date());
  const vendor = await signInPerson(pool, { ...service, login });
  const readers: { readonly role: Role; readonly person: Person }[] = [];
  for (const one of DEMO_PEOPLE.filter((each) => !('vid' in each))) {
    const person = await signInPerson(pool, { ...service, login: one.login });
    readers.push({ role: one.role, person });
  }
  readers.push({ role, person: vendor });
  const paths = consolePaths(await definedRoutes(), samples).map((one): ReadPath => {
    const { route, ...asked } = one;
    const reader = readers.find((each) => isAllowed(each.role, route.of.permission));
    if (reader === undefined) throw new Error(`nobody may read ${route.path}`);
    return { ...asked, person: reader.person };
  });
  for (const asked of VENDORS_PATHS) {
    paths.push({ ...asked, group: 'console lists', person: vendor });
  }
  return [...paths, ...(await nextPages(paths))];
}

/** The second page of each list that has one. */
async function nextPages(paths: readonly ReadPath[]): Promise<ReadPath[]> {
  const pages: ReadPath[] = [];
  for (const { path, body, group, person } of paths) {
    const { next } = (await person.read(path, body)).answer;
    if (typeof next !== 'string') continue;
    const cursor = new URLSearchParams({ cursor: next }).toString();
    pages.push(
      body === undefined
        ? { path: `${path}${path.includes('?') ? '&' : '?'}${cursor}`, group, person }
        : { path, body: { ...body, cursor: next }, group, person },
    );
  }
  return pages;
}

/** Seconds of the path whose median is the longest. The log has CPU time as well, which a busy machine changes less. */
async function slowest(
  paths: readonly ReadPath[],
  measured: <Result>(work: () => Promise<Result>) => Promise<Measured<Result>>,
  log: SuiteOptions['log'],
): Promise<number> {
  const medians: { readonly path: string; readonly ms: number; readonly cpuMs: number }[] = [];
  for (const read of paths) {
    const { result: times, ...cpu } = await measured(() => timesOf(read, log));
    const path = [read.path, ...Object.values(read.body ?? {})].join(' ');
    const cpuSeconds = cpu.nodeCpuSeconds + cpu.postgresCpuSeconds;
    medians.push({ path, ms: median(times), cpuMs: (cpuSeconds * 1000) / times.length });
  }
  medians.sort((one, other) => other.ms - one.ms);
  for (const { path, ms, cpuMs } of medians) {
    log(`  ${ms.toFixed(0).padStart(6)} ms, ${cpuMs.toFixed(0).padStart(5)} ms of CPU ${path}`);
  }
  return (medians[0]?.ms ?? 0) / 1000;
}

/** Times several reads, in milliseconds. */
async function timesOf(
  { path, body, person }: ReadPath,
  log: SuiteOptions['log'],
): Promise<number[]> {
  const times: number[] = [];
  for (let read = 0; read < READS; read += 1) {
    const { ms, status } = await person.read(path, body);
    times.push(ms);
    if (status !== 503) continue;
    log(`  unavailable: ${path}`);
    break;
  }
  return times;
}

/** The administrator has the console open, and reads every path that a page of it asks for. */
function watch(paths: readonly ReadPath[]): ReturnType<Person['watch']> {
  const [first] = paths;
  if (first === undefined) throw new Error('there are no paths');
  const own = paths.filter(({ person }) => person === first.person);
  return first.person.watch(mixed(own), EVERY_MS);
}

/**
 * In an order in which neighbours are far apart in the list, so that the few paths which a run has time
 * for are of all kinds: the list begins with all filters of the payments.
 */
function mixed<Item>(items: readonly Item[]): readonly Item[] {
  const GOLDEN = (Math.sqrt(5) - 1) / 2;
  return items
    .map((item, place) => ({ item, at: (place * GOLDEN) % 1 }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ item }) => item);
}
