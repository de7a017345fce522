import path from 'node:path';
import { checkLedger } from '../../../src/payments/audit/check.ts';
import { createPool } from '../../../src/platform/db/pool.ts';
import type { Pool } from '../../../src/platform/db/pool.ts';
import { VARIABLES } from '../../../src/environment.ts';
import { malipo } from '../../integration/cli-support.ts';
import { startBalancer } from '../../support/balancer.ts';
import type { Balancer } from '../../support/balancer.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporary.ts';
import { until } from '../../support/until.ts';
import { send } from '../../support/vendor-client.ts';
import type { VendorClient } from '../../support/vendor-client.ts';
import {
  MASTER_KEY,
  START_MS,
  addTestParties,
  firstVendor,
  fundedVendor,
  operatorsProgram,
  serviceProgram,
} from '../fleet.ts';
import type { OperatorsProgram, Program } from '../fleet.ts';
import { mountSmallVolume } from '../small-volume.ts';
import type { SmallVolume } from '../small-volume.ts';
import { startStandbyPair } from '../standby-pair.ts';
import type { StandbyPair } from '../standby-pair.ts';
import { startGateway } from './gateway.ts';
import type { Gateway } from './gateway.ts';
import { startLoad } from './load.ts';
import type { Load } from './load.ts';

/** Room for the database, its log, and some minutes of payments. */
const VOLUME_MB = 400;
/**
 * Longer than any answer takes on a busy machine. After a stop the dispatcher sends the waiting payments
 * at once; with a limit of a second it took the operator for silent, and its breaker opened.
 */
const ANSWER_WITHIN_MS = 10_000;
/** As in production. */
const {
  SHUTDOWN_DELAY_MS: {
    default: { production: SHUTDOWN_DELAY_MS },
  },
} = VARIABLES;

/** A service by roles, its database with a standby, its operators, and a vendor that pays bills. */
export interface Installation {
  readonly folder: string;
  /** All of the service's processes. */
  readonly programs: readonly Program[];
  /** Behind the load balancer that the vendor uses. */
  readonly apis: readonly Program[];
  readonly dispatcher: Program;
  readonly balancer: Balancer;
  readonly operators: OperatorsProgram;
  /** Between the service and the operators. */
  readonly gateway: Gateway;
  readonly database: StandbyPair;
  /** Of the primary. */
  readonly volume: SmallVolume;
  readonly pool: Pool;
  readonly vendor: VendorClient;
  readonly load: Load;
  /** Runs `malipo` and returns what it printed. Throws if it fails. */
  readonly malipo: (...args: string[]) => Promise<string>;
  stop(): Promise<void>;
}

export const BILLER = 'tokens';
export const OPERATOR = 'kplc';

export async function openInstallation(): Promise<Installation> {
  const folder = await makeTemporaryFolder();
  const volume = await mountSmallVolume(path.join(folder, 'volume'), VOLUME_MB);
  const database = await startStandbyPair({
    primary: path.join(volume.folder, 'postgres'),
    standby: path.join(folder, 'standby'),
  });
  const { url } = database;
  const pool = createPool({ url, max: 2, name: 'game day', onError: () => undefined });
  const operators = await operatorsProgram(path.join(folder, 'operators'));
  await operators.start();
  const gateway = await startGateway(operators.origin);
  const operatorOrigin = gateway.origin;
  const parties = await addTestParties(pool, {
    operatorOrigin,
    vendorCount: 1,
    answerWithinMs: ANSWER_WITHIN_MS,
  });
  const program = async (roles: string): Promise<Program> => {
    const env = { DATABASE_URL: url, FUND_WINDOW_SECONDS: '0', SHUTDOWN_DELAY_MS };
    return await serviceProgram({ name: roles, roles, folder, env });
  };
  const apis = [await program('api'), await program('api')] as const;
  const dispatcher = await program('dispatcher');
  const programs = [...apis, dispatcher, await program('jobs')];
  const killAll = (): void => programs.forEach((one) => one.signal('SIGKILL'));
  // They are in process groups of their own, and would outlive this process.
  process.once('exit', killAll);
  for (const one of programs) await one.start();
  await untilReady(programs);
  const balancer = await startBalancer(apis.map(({ origin }) => origin));
  await fundedVendor(apis[0], parties, '100000000.00');
  const vendor = firstVendor(balancer, parties);
  const load = startLoad(vendor);
  const environment = { DATABASE_URL: url, MASTER_KEY, HOME: folder };
  return {
    ...{ folder, programs, apis, dispatcher, balancer, operators, gateway, database, volume },
    ...{ pool, vendor, load },
    malipo: async (...args) => {
      const { exitCode, stdout, stderr } = await malipo(environment, ...args);
      if (exitCode !== 0) throw new Error(`malipo ${args.join(' ')}: ${stdout}${stderr}`);
      return stdout;
    },
    stop: async () => {
      await balancer.close();
      killAll();
      await Promise.all(programs.map(async (one) => await one.untilEnded()));
      gateway.close();
      operators.signal('SIGTERM');
      await operators.untilEnded();
      await pool.end();
      await database.stop();
      await volume.unmount();
      await removeFolder(folder);
    },
  };
}

/** What `/health/ready` says: `ready`, what is missing, or nothing without an answer. */
export async function readinessOf({ origin }: Pick<Program, 'origin'>): Promise<string> {
  try {
    const answer = await send(origin, { method: 'GET', path: '/health/ready' });
    const { status, missing } = JSON.parse(answer.text) as { status: string; missing?: string };
    return missing ?? status;
  } catch {
    return '';
  }
}

export async function areReady(programs: readonly Program[]): Promise<boolean> {
  const answers = await Promise.all(programs.map(readinessOf));
  return answers.every((answer) => answer === 'ready');
}

/** Throws with the last output of a program that ends instead. */
export async function untilReady(programs: readonly Program[]): Promise<void> {
  await until(
    'all are ready',
    async () => programs.some(({ ended }) => ended) || (await areReady(programs)),
    START_MS,
  );
  for (const program of programs.filter(({ ended }) => ended)) {
    const { ending, lastOutput } = await program.untilEnded();
    throw new Error(`${program.name} ended, ${JSON.stringify(ending)}: ${lastOutput}`);
  }
}

/** Findings at the end of the day: what is lost, paid twice or wrong. The load must be paused. */
export async function findLosses(at: Installation): Promise<string[]> {
  const { pool, load, operators } = at;
  await until('every payment is settled', async () => {
    const open = await pool.query('select from dispatch_queue');
    return open.rowCount === 0;
  });
  const read = await pool.query<{ merchant_reference: string; count: number }>(
    'select merchant_reference, count(*)::integer as count from payments group by 1',
  );
  const stored = new Map(read.rows.map((row) => [row.merchant_reference, row.count]));
  const times = new Map<string, number>();
  for (const { reference } of await operators.truth()) {
    times.set(reference, (times.get(reference) ?? 0) + 1);
  }
  const { violations } = await checkLedger(pool);
  return [
    ...load.accepted
      .filter(({ merchantReference }) => stored.get(merchantReference) !== 1)
      .map((one) => `${one.merchantReference} was accepted and is not stored once`),
    ...[...times].filter(([, count]) => count > 1).map(([name]) => `${name} was paid twice`),
    ...violations.map((violation) => JSON.stringify(violation)),
  ];
}
