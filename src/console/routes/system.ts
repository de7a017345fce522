import { checkPayments } from '../../payments/health.ts';
import { undoForgedReleases } from '../../payments/quarantine/forged.ts';
import { releaseQuarantine, StatementsMissing } from '../../payments/quarantine/release.ts';
import { proposeRelease, QUARANTINE_RELEASE } from '../../payments/quarantine/release-kind.ts';
import { readStakes } from '../../payments/quarantine/stakes.ts';
import { findOpenQuarantine, listEvents } from '../../payments/quarantine/store.ts';
import { readBackupAgeSeconds } from '../../platform/backup/store.ts';
import type { Clock } from '../../platform/base/clock.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { listAbsent } from '../../platform/history/processes-store.ts';
import type { HealthCheck } from '../../platform/health-check.ts';
import type { Readiness } from '../../platform/http/readiness.ts';
import { Audited, route } from '../route.ts';
import type { AnyRoute } from '../route.ts';
import type { ConfigurationAnswer, SystemAnswer } from '../system-answers.ts';
import { actorOf, auditedOf } from './proposal-decisions.ts';
import type { ProposalRoutesOptions } from './proposal-decisions.ts';
import { onlyReason } from './reason.ts';

/** Of quarantines. */
const EVENTS_SHOWN = 20;
const DAY_SECONDS = 86_400;

export interface SystemRoutesOptions extends ProposalRoutesOptions {
  readonly ledgerMac: Mac;
  readonly clock: Clock;
  readonly readiness: () => Promise<Readiness>;
  /** The process that answers. */
  readonly process: {
    readonly version: string;
    readonly mode: 'sandbox' | 'production';
    readonly roles: ReadonlySet<string>;
    readonly startedAt: Date;
    readonly variables: ConfigurationAnswer['variables'];
  };
}

/** How the service itself is: checks, backup, quarantine and configuration. */
export function systemRoutes(options: SystemRoutesOptions): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/system',
      permission: 'system.read',
      handle: async () => await readSystem(options),
    }),
    route({
      method: 'GET',
      path: '/system/configuration',
      permission: 'system.read',
      handle: async (): Promise<ConfigurationAnswer> =>
        await Promise.resolve({ variables: options.process.variables }),
    }),
    releaseRoute(options),
  ];
}

/** Ends it, or proposes to end it without the statements that are missing. */
function releaseRoute(options: SystemRoutesOptions): AnyRoute {
  return route({
    method: 'POST',
    path: '/system/quarantine/release',
    permission: 'system.act',
    action: 'quarantine.release',
    body: onlyReason,
    handle: async ({ body: { reason: note } }, { viewer }) => {
      try {
        const { quarantineId } = await releaseQuarantine(options, { by: viewer.login });
        return new Audited({ waits: false }, { target: quarantineId });
      } catch (error) {
        if (!(error instanceof StatementsMissing)) throw error;
        const row = await proposeRelease(options, { by: actorOf(viewer), note });
        return auditedOf(row, { waits: true });
      }
    },
  });
}

async function readSystem(options: SystemRoutesOptions): Promise<SystemAnswer> {
  const { pool, clock, readiness, process } = options;
  const { missing = null, workersAway } = await readiness();
  const backupAgeSeconds = await readBackupAgeSeconds(pool);
  const { version, mode, roles, startedAt } = process;
  const checks: HealthCheck[] = [
    { code: 'ready', state: missing === null ? 'ok' : 'failed', names: missing ? [missing] : [] },
    {
      code: 'workers',
      state: workersAway.length === 0 ? 'ok' : 'failed',
      names: workersAway,
    },
    backupCheck(backupAgeSeconds),
    ...(await checkPayments(pool, clock.now())),
  ];
  return {
    at: clock.now().toISOString(),
    checks,
    missing,
    process: { version, mode, roles: [...roles], startedAt: startedAt.toISOString() },
    backupAgeSeconds,
    quarantine: await readQuarantine(options),
    events: (await listEvents(pool, EVENTS_SHOWN)).map(({ at, action, actor }) => ({
      at: at.toISOString(),
      action,
      actor,
    })),
  };
}

/** A database that is backed up with its own tools has no row here. */
function backupCheck(seconds: number | null): HealthCheck {
  const isRecent = seconds !== null && seconds <= DAY_SECONDS;
  return {
    code: 'backup',
    state: isRecent ? 'ok' : 'warning',
    names: [],
    ...(seconds === null ? {} : { seconds }),
  };
}

async function readQuarantine(options: SystemRoutesOptions): Promise<SystemAnswer['quarantine']> {
  const { pool, proposals } = options;
  await undoForgedReleases(options);
  const open = await findOpenQuarantine(pool);
  if (open === undefined) return null;
  const [waiting] = await proposals.list({ open: true, kinds: [QUARANTINE_RELEASE], limit: 1 });
  return {
    enteredAt: open.enteredAt.toISOString(),
    lostFrom: open.lostFrom.toISOString(),
    lostUntil: open.lostUntil.toISOString(),
    reason: open.reason,
    seemsComplete: open.seemsComplete,
    unconfirmed: open.seemsComplete ? (await listAbsent(pool)).map(({ name }) => name) : [],
    operators: (await readStakes(pool, open)).map(({ operatorCode, open: count, covered }) => ({
      operator: operatorCode,
      open: count,
      covered,
    })),
    proposal: waiting === undefined ? null : { by: waiting.proposedBy, reason: waiting.note },
  };
}
