import type { Command } from 'commander';
import { PlainError } from '../../platform/base/plain-error.ts';
import { setPull } from '../../payments/reconciliation/administer-pull.ts';
import { pullPeriod, pullingOf } from '../../payments/reconciliation/pull.ts';
import { listPulls } from '../../payments/reconciliation/pull-store.ts';
import type { PullRow } from '../../payments/reconciliation/pull-store.ts';
import { code, command, durationSeconds, periodEnd, periodStart } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { UsageError } from '../failure.ts';
import { table } from '../output.ts';
import { openConnector } from '../../payments/billers/open-connector.ts';
import { importAnswer } from './import-answer.ts';

/** `reconcile pull`, `reconcile pulls` and `reconcile set-pull`. */
export function addPullCommands(reconcile: Command, cli: Cli): void {
  addPull(reconcile, cli);
  addList(reconcile, cli);
  addSet(reconcile, cli);
}

function addPull(reconcile: Command, cli: Cli): void {
  command(
    reconcile,
    'pull',
    'Ask an operator for its movements of a period now, and import them. Movements that were imported before change nothing.',
  )
    .argument('<operator>', 'operator code', code)
    .requiredOption('--from <time>', 'start of the period: a day or a time')
    .requiredOption('--to <time>', 'its end: a day (included) or a time (not included)')
    .action(async (operator: string, options: { json?: boolean; from: string; to: string }) => {
      await cli.run(options, async (session) => {
        const { pool, sealing, config, wireTime } = session;
        const from = periodStart(options.from, '--from', wireTime);
        const to = periodEnd(options.to, '--to', wireTime);
        if (from >= to) throw new UsageError('--to must be after --from.');
        const { masterKeys } = await sealing();
        const { publicUrl } = config;
        const open = await openConnector(operator, { pool, masterKeys, publicUrl });
        try {
          const connector = pullingOf(open);
          if (connector === undefined) {
            const { movements } = open.declaration;
            throw new PlainError(
              `Operator ${operator} cannot be asked for its movements (${movements}).`,
            );
          }
          const deps = { pool, ledgerMac: await session.ledgerMac() };
          const { signal } = new AbortController();
          const asked = { from, to, signal };
          return importAnswer(await pullPeriod(deps, { operator, connector }, asked), operator);
        } finally {
          await open.close();
        }
      });
    });
}

function pullJson(row: PullRow) {
  return {
    operator: row.operator,
    status: row.status,
    every_minutes: row.everyMinutes,
    delay_minutes: row.delayMinutes,
    pulled_until: row.pulledUntil.toISOString(),
    last_error: row.lastError,
  };
}

function addList(reconcile: Command, cli: Cli): void {
  command(
    reconcile,
    'pulls',
    'Operators whose movements are pulled, and until when they were.',
  ).action(async (options: { json?: boolean }) => {
    await cli.run(options, async ({ pool, wireTime }) => {
      const rows = await listPulls(pool);
      return {
        json: { pulls: rows.map(pullJson) },
        text: table(
          [
            { title: 'OPERATOR' },
            { title: 'STATUS' },
            { title: 'EVERY MINUTES', align: 'right' },
            { title: 'DELAY MINUTES', align: 'right' },
            { title: 'PULLED UNTIL' },
            { title: 'LAST ERROR', wrapped: true },
          ],
          rows.map((row) => [
            row.operator,
            row.status,
            String(row.everyMinutes),
            String(row.delayMinutes),
            wireTime.format(row.pulledUntil),
            row.lastError ?? '',
          ]),
          'no operator can be asked for its movements',
        ),
      };
    });
  });
}

interface SetOptions {
  readonly json?: boolean;
  readonly every?: number;
  readonly delay?: number;
  readonly from?: string;
  readonly on?: boolean;
  readonly off?: boolean;
}

function addSet(reconcile: Command, cli: Cli): void {
  command(reconcile, 'set-pull', 'Set when an operator’s movements are pulled.')
    .argument('<operator>', 'operator code', code)
    .option('--every <time>', 'how much time a statement covers (default 24h)', durationSeconds)
    .option(
      '--delay <time>',
      'wait after the end of its period before it is pulled (default 1h)',
      durationSeconds,
    )
    .option('--from <time>', 'where the next statement begins: a day or a time')
    .option('--on', 'pull its movements')
    .option('--off', 'do not pull them')
    .action(async (operator: string, options: SetOptions) => {
      const { every, delay, from, on, off } = options;
      if (on === true && off === true) throw new UsageError('Give either --on or --off.');
      await cli.run(options, async ({ pool, wireTime }) => {
        const row = await setPull(pool, operator, {
          ...(every !== undefined && { everyMinutes: Math.round(every / 60) }),
          ...(delay !== undefined && { delayMinutes: Math.round(delay / 60) }),
          ...(from !== undefined && { pulledUntil: periodStart(from, '--from', wireTime) }),
          ...(on === true && { status: 'on' as const }),
          ...(off === true && { status: 'off' as const }),
        });
        return {
          json: pullJson(row),
          text: `Statements of ${operator} are ${row.status === 'off' ? 'not pulled' : `pulled from ${wireTime.format(row.pulledUntil)} on, every ${row.everyMinutes} minutes`}.`,
        };
      });
    });
}
