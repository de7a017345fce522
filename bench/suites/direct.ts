import { readFile } from 'node:fs/promises';
import { createPool } from '../../src/platform/db/pool.ts';
import type { DirectAnswer, DirectQuestion } from '../children/direct.ts';
import { addContestants } from '../contestants.ts';
import { countPgledgerTransfers, installPgledger } from '../pgledger.ts';
import { ONE_CALL_CONNECTIONS, PGLEDGER_CONNECTIONS } from '../ratios.ts';
import { countPayments } from '../store.ts';
import type { Stage } from '../stage.ts';
import { reconcile, runOf } from './suite.ts';
import type { Suite, SuiteOptions } from './suite.ts';

/** Callers of the lanes and of the other contestants. */
export const CALLERS = 256;
/** Connections of a lane, one for each core: without HTTP, the database does nearly all the work. */
export const LANE_CONNECTIONS = 2;
const WARM_UP_SECONDS = 1;

type Contestant = Pick<DirectQuestion, 'contestant' | 'callers' | 'connections'>;

const HOT: Readonly<Record<string, Contestant>> = {
  'lanes hot': { contestant: 'lanes', callers: CALLERS, connections: LANE_CONNECTIONS },
  'ceiling hot': { contestant: 'ceiling', callers: CALLERS, connections: LANE_CONNECTIONS },
  ...Object.fromEntries(
    ONE_CALL_CONNECTIONS.map((connections) => [
      `one call hot ${connections}`,
      { contestant: 'one-call', callers: connections, connections },
    ]),
  ),
};
const MANY: Readonly<Record<string, Contestant>> = {
  'lanes 1000': { contestant: 'lanes', callers: CALLERS, connections: LANE_CONNECTIONS },
  'ceiling 1000': { contestant: 'ceiling', callers: CALLERS, connections: LANE_CONNECTIONS },
};

const PGLEDGER_HOT: Readonly<Record<string, Contestant>> = Object.fromEntries(
  PGLEDGER_CONNECTIONS.map((connections) => [
    `pgledger hot ${connections}`,
    { contestant: 'pgledger', callers: connections, connections },
  ]),
);
const PGLEDGER_MANY: Readonly<Record<string, Contestant>> = {
  'pgledger 1000 8': { contestant: 'pgledger', callers: 8, connections: 8 },
};

const ON_ONE_VENDOR = { ...HOT, ...PGLEDGER_HOT };
const ALL = { ...ON_ONE_VENDOR, ...MANY, ...PGLEDGER_MANY };

/** Without HTTP: the cost of the database and its client. */
export const directSuite: Suite = {
  name: 'direct',
  contestants: Object.keys(ALL),
  open: async (stage, options) => {
    const ours = await openOurs(stage);
    const pgledger = await openPgledger(stage, options.pgledgerSql);
    const child = await stage.start('direct.ts', {});
    const run = async (name: string, seconds: number) => {
      const contestant = ALL[name];
      const books = name.startsWith('pgledger') ? pgledger : ours;
      if (contestant === undefined || books === undefined) throw new Error(`no contestant ${name}`);
      const vendors = name in ON_ONE_VENDOR ? stage.hot : stage.many;
      const vendorIds = vendors.map(({ vendorId }) => vendorId);
      await stage.checkpoint();
      const before = await books.count();
      const question: DirectQuestion = { ...contestant, url: books.url, vendorIds, seconds };
      const measured = await stage.measured(child, async () => {
        const answer = await child.ask<DirectAnswer>(question);
        return { ...answer, events: answer.creates };
      });
      reconcile(name, (await books.count()) - before, measured.result.creates);
      return runOf(name, measured);
    };
    for (const name of ['lanes hot', 'ceiling hot', 'lanes 1000']) await run(name, WARM_UP_SECONDS);
    return {
      run: (name) => run(name, options.seconds),
      close: async () => {
        await child.stop();
        await ours.close();
        await pgledger?.close();
      },
    };
  },
};

/** A database and how many creates it holds. */
interface Books {
  readonly url: string;
  count(): Promise<number>;
  close(): Promise<void>;
}

async function openOurs(stage: Stage): Promise<Books> {
  const url = await stage.database('direct');
  const pool = createPool({ url, max: 1, name: 'bench count', statementTimeoutMs: 0 });
  await addContestants(pool);
  return { url, count: () => countPayments(pool), close: () => pool.end() };
}

async function openPgledger(
  stage: Stage,
  file: SuiteOptions['pgledgerSql'],
): Promise<Books | undefined> {
  if (file === undefined) return undefined;
  const url = await stage.database('pgledger');
  const pool = createPool({ url, max: 1, name: 'bench count', statementTimeoutMs: 0 });
  const vendorIds = [...stage.hot, ...stage.many].map(({ vendorId }) => vendorId);
  await installPgledger(pool, await readFile(file, 'utf8'), vendorIds);
  return { url, count: () => countPgledgerTransfers(pool), close: () => pool.end() };
}
