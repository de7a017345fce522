import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { HealthCheck } from '../platform/health-check.ts';
import { view } from './definition.ts';
import type { Noun } from './definition.ts';
import type { StaffDeps } from './deps.ts';
import { NOTHING, orNull, text, textOrNull, time, titled } from './fields.ts';
import { wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../payments/health.ts')),
  ...(await import('../platform/backup/store.ts')),
});

const DAY_SECONDS = 86_400;

const CODES = [
  ...['ready', 'workers', 'backup', 'quarantine', 'chain', 'queued', 'unknown'],
  ...['routes', 'floats', 'statements', 'receipts', 'webhooks'],
] as HealthCheck['code'][];

const check = Type.Object({
  code: Type.Enum(CODES, { title: 'Check' }),
  state: Type.Enum(['ok', 'warning', 'failed'], { title: 'State' }),
  /** The things at fault, such as operators. */
  names: Type.Array(text(), {
    title: 'At fault',
    text: (names: readonly string[]) => names.join(', '),
  }),
  /** An age, where one is looked at. */
  seconds: orNull(Type.Number(), { title: 'Seconds', unit: 'count' }),
});

const system = Type.Object({
  at: time(),
  /** What this process lacks, so that it cannot work. */
  missing: textOrNull({ title: 'Missing', isOptional: true }),
  /** Null: taken by none of our commands. */
  backup_age_seconds: orNull(Type.Number(), { title: 'Seconds since the last backup' }),
  checks: Type.Array(check),
  /** The one that answers; null: a command does. */
  process: orNull(
    Type.Object({
      version: text({ title: 'Version' }),
      mode: Type.Enum(['sandbox', 'production'], { title: 'Mode' }),
      roles: Type.Array(text()),
      started_at: time({ title: 'Running since' }),
    }),
  ),
});
export type SystemAnswer = Static<typeof system>;

const configuration = Type.Object({
  variables: Type.Array(
    Type.Object({
      name: text({ title: 'Name' }),
      description: text({ title: 'Description', wide: true }),
      ...titled({ value: textOrNull, is_set: Type.Boolean, is_secret: Type.Boolean }),
    }),
  ),
});
export type ConfigurationAnswer = Static<typeof configuration>;

export const SYSTEM: Noun = {
  command: 'system',
  summary: 'How the service itself is: checks, backup, configuration.',
  definitions: [
    view(core, {
      name: 'system.show',
      summary: 'The checks of the service, and its last backup. Fails if a check does.',
      route: 'GET /system',
      permission: 'system.read',
      isUsual: true,
      isWatched: true,
      input: NOTHING,
      output: system,
      failed: ({ checks }) => checks.some(({ state }) => state === 'failed'),
      handle: async ({ core: loaded, deps }) => {
        const { pool, clock, process } = deps;
        const seconds = await loaded.readBackupAgeSeconds(pool);
        const own = await process?.readiness();
        const checks = [
          ...(own === undefined ? [] : ownChecks(own)),
          backupCheck(seconds),
          ...(await loaded.checkPayments(pool, clock.now())),
        ];
        return {
          at: clock.now().toISOString(),
          ...{ missing: own?.missing ?? null, backup_age_seconds: seconds },
          checks: checks.map(({ names, seconds: age = null, ...of }) => ({
            ...{ ...of, names: [...names], seconds: age },
          })),
          process: process === undefined ? null : processOf(process),
        };
      },
    }),
    view(core, {
      name: 'system.configuration',
      summary: 'The environment variables of the process that answers, without secrets.',
      route: 'GET /system/configuration',
      permission: 'system.read',
      input: NOTHING,
      output: configuration,
      rows: 'variables',
      empty: 'a command has none: ask a service that runs',
      handle: async ({ deps: { process } }) => ({
        variables: (process?.variables ?? []).map(wireOf),
      }),
    }),
  ],
};

type Process = NonNullable<StaffDeps['process']>;

function ownChecks({
  missing,
  workersAway,
}: Awaited<ReturnType<Process['readiness']>>): HealthCheck[] {
  const names = missing === undefined ? [] : [missing];
  return [
    { code: 'ready', state: missing === undefined ? 'ok' : 'failed', names },
    { code: 'workers', state: workersAway.length === 0 ? 'ok' : 'failed', names: workersAway },
  ];
}

/** A database that is backed up with its own tools has no row here. */
function backupCheck(seconds: number | null): HealthCheck {
  const isRecent = seconds !== null && seconds <= DAY_SECONDS;
  const age = seconds === null ? {} : { seconds };
  return { code: 'backup', state: isRecent ? 'ok' : 'warning', names: [], ...age };
}

function processOf({ version, mode, roles, startedAt }: Process): SystemAnswer['process'] {
  return { version, mode, roles: [...roles], started_at: startedAt.toISOString() };
}
