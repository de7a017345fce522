import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { until } from '../../support/until.ts';
import { readinessOf } from './installation.ts';
import type { Installation } from './installation.ts';
import type { Scenario } from './scenario.ts';

const run = promisify(execFile);
/** A server that recovers from its log may need this long on a busy machine. */
const RECOVERY_MS = 120_000;
/** The two minutes, and the time to the next beat of another process. */
const EXPECTED_MS = 180_000;

async function readiness({ apis: [api] }: Installation): Promise<string> {
  return api === undefined ? '' : `/health/ready: ${await readinessOf(api)}`;
}

const processStopped: Scenario = {
  name: 'stopped',
  fault: 'the dispatcher is stopped by a signal (SIGSTOP)',
  alert: 'MalipoDown',
  section: 'a-process-is-down-or-not-ready',
  command: 'ps -o pid,stat,etime,args -p PID',
  begin: async ({ dispatcher }) => dispatcher.signal('SIGSTOP'),
  look: async ({ dispatcher }) => {
    const { stdout } = await run('ps', ['-o', 'pid,stat,etime', '-p', String(dispatcher.pid)]);
    return stdout;
  },
  end: async ({ dispatcher }) => {
    dispatcher.signal('SIGKILL');
    await dispatcher.untilEnded();
    await dispatcher.start();
    return 'restarted';
  },
};

const diskFull: Scenario = {
  name: 'disk-full',
  fault: 'the volume of the database and its log is full',
  alert: 'MalipoNotReady',
  section: 'the-disk-is-full',
  command: 'df -h',
  obstacle: ({ volume }) =>
    volume.isSmall ? undefined : 'a small volume needs the right to mount',
  begin: async ({ volume }) => await volume.fill(),
  look: async (at) => {
    const { stdout } = await run('df', ['-h', '--output=size,avail,pcent', at.volume.folder]);
    return `${await readiness(at)}\n${stdout}`;
  },
  end: async ({ volume, database }) => {
    await volume.empty();
    const hasEnded = database.primaryEnded;
    await until(
      'the database works',
      async () => {
        if (database.primaryEnded) await database.restartPrimary();
        return true;
      },
      RECOVERY_MS,
    );
    return hasEnded ? 'space freed, PostgreSQL started again' : 'space freed, nothing restarted';
  },
};

const failover: Scenario = {
  name: 'failover',
  fault: 'the machine of the primary database is lost',
  alert: 'MalipoNotReady',
  section: 'the-database-is-unavailable',
  command: "psql -h STANDBY -c 'select pg_promote()'",
  // A process that was killed is expected for two minutes: nobody else knows what it did last.
  prepare: async ({ pool, programs }) => {
    const areKnown = async (): Promise<boolean> =>
      (await pool.query('select from database_processes')).rowCount === programs.length;
    await until('only running processes are expected', areKnown, EXPECTED_MS);
  },
  begin: async ({ database }) => await database.killPrimary(),
  look: readiness,
  end: async ({ database }) => {
    await database.promote();
    return 'the standby is promoted';
  },
};

/** The failover comes last: nothing is left to fail over to. */
export const MACHINE_SCENARIOS: readonly Scenario[] = [processStopped, diskFull, failover];
