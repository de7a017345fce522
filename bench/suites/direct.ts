import { createPool } from '../../src/db/pool.ts';
import type { DirectAnswer, DirectQuestion } from '../children/direct.ts';
import { addContestants } from '../contestants.ts';
import { ONE_CALL_CONNECTIONS } from '../ratios.ts';
import { countTransactions } from '../store.ts';
import { reconcile, runOf } from './suite.ts';
import type { Suite } from './suite.ts';

/** Callers of the lanes, and of what they are compared with. */
export const CALLERS = 256;
/** As the service has by default. */
export const LANES = 2;
const WARM_UP_SECONDS = 1;

type Contestant = Pick<DirectQuestion, 'contestant' | 'callers' | 'connections'>;

const HOT: Readonly<Record<string, Contestant>> = {
  'lanes hot': { contestant: 'lanes', callers: CALLERS, connections: LANES },
  'ceiling hot': { contestant: 'ceiling', callers: CALLERS, connections: LANES },
  ...Object.fromEntries(
    ONE_CALL_CONNECTIONS.map((connections) => [
      `one call hot ${connections}`,
      { contestant: 'one-call', callers: connections, connections },
    ]),
  ),
};
const MANY: Readonly<Record<string, Contestant>> = {
  'lanes 1000': { contestant: 'lanes', callers: CALLERS, connections: LANES },
  'ceiling 1000': { contestant: 'ceiling', callers: CALLERS, connections: LANES },
};

/** Without HTTP: what the database and its client cost. */
export const directSuite: Suite = {
  name: 'direct',
  contestants: [...Object.keys(HOT), ...Object.keys(MANY)],
  open: async (stage, options) => {
    const url = await stage.database('direct');
    const pool = createPool({ url, max: 1, name: 'bench count', statementTimeoutMs: 0 });
    await addContestants(pool);
    const child = await stage.start('direct.ts', {});
    const run = async (name: string, seconds: number) => {
      const contestant = HOT[name] ?? MANY[name];
      if (contestant === undefined) throw new Error(`no contestant ${name}`);
      const vendorIds = (name in HOT ? stage.hot : stage.many).map(({ vendorId }) => vendorId);
      await stage.checkpoint();
      const before = await countTransactions(pool);
      const question: DirectQuestion = { ...contestant, url, vendorIds, seconds };
      const measured = await stage.measured(child, async () => {
        const answer = await child.ask<DirectAnswer>(question);
        return { ...answer, events: answer.creates };
      });
      reconcile(name, (await countTransactions(pool)) - before, measured.result.creates);
      return runOf(name, measured);
    };
    for (const name of ['lanes hot', 'ceiling hot', 'lanes 1000']) await run(name, WARM_UP_SECONDS);
    return {
      run: (name) => run(name, options.seconds),
      close: async () => {
        await child.stop();
        await pool.end();
      },
    };
  },
};
