import { Option } from 'commander';
import type { Command } from 'commander';
import type { WireTime } from '../../platform/base/clock.ts';
import { newId } from '../../platform/base/ids.ts';
import { listAbsent } from '../../platform/history/processes-store.ts';
import type { UsingProcess } from '../../platform/history/processes-store.ts';
import { enterQuarantine } from '../../payments/quarantine/enter.ts';
import { readStakes, releaseQuarantine } from '../../payments/quarantine/release.ts';
import type { Stake } from '../../payments/quarantine/release.ts';
import { findOpenQuarantine, listEvents } from '../../payments/quarantine/store.ts';
import type { QuarantineRow } from '../../payments/quarantine/store.ts';
import { command, displayName, idOf, moment } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { UsageError } from '../failure.ts';
import type { Answer } from '../output.ts';
import { record, table } from '../output.ts';
import type { Session } from '../session.ts';
import { asPerson } from '../parties/as-person.ts';

export function addQuarantineCommands(program: Command, cli: Cli): void {
  const quarantine = program
    .command('quarantine')
    .description(
      'While the ledger may lack payments, after a restore or a promotion, nothing is sent.',
    );
  addStatus(quarantine, cli);
  addEnter(quarantine, cli);
  addRelease(quarantine, cli);
}

const EVENTS_SHOWN = 20;

function addStatus(quarantine: Command, cli: Cli): void {
  command(quarantine, 'status', 'Show the quarantine, and what its release waits for.').action(
    async (options: { json?: boolean }) => {
      await cli.run(options, async (session) => await status(session));
    },
  );
}

async function status({ pool, wireTime }: Session): Promise<Answer> {
  const open = await findOpenQuarantine(pool);
  const stakes = open === undefined ? [] : await readStakes(pool, open);
  const absent = open?.seemsComplete === true ? await listAbsent(pool) : [];
  const events = await listEvents(pool, EVENTS_SHOWN);
  const history = table(
    [{ title: 'AT' }, { title: 'WHAT' }, { title: 'WHO' }, { title: 'DETAIL' }],
    events.map((event) => [
      wireTime.format(event.at),
      event.action,
      event.actor,
      JSON.stringify(event.detail),
    ]),
    'never in quarantine',
  );
  const now =
    open === undefined
      ? 'Not in quarantine: payments are sent.\n'
      : quarantineText(open, { stakes, absent }, wireTime);
  return {
    json: {
      quarantine: open === undefined ? null : onWire(open),
      operators: stakes.map(({ operatorCode, open: payments, covered }) => ({
        operator_code: operatorCode,
        open: payments,
        covered,
      })),
      unconfirmed: absent.map(({ name, seenAt }) => ({
        process: name,
        seen_at: seenAt.toISOString(),
      })),
      events: events.map((event) => ({ ...event, at: event.at.toISOString() })),
    },
    text: `${now}\n${history}`,
  };
}

function onWire(open: QuarantineRow) {
  return {
    quarantine_id: open.quarantineId,
    entered_at: open.enteredAt.toISOString(),
    lost_from: open.lostFrom.toISOString(),
    lost_until: open.lostUntil.toISOString(),
    reason: open.reason,
    seems_complete: open.seemsComplete,
    force_proposed_by: open.forceProposedBy,
    force_reason: open.forceReason,
    force_proposal_id: open.forceProposalId,
    force_missing: open.forceMissing,
  };
}

function quarantineText(
  open: QuarantineRow,
  {
    stakes,
    absent,
  }: { readonly stakes: readonly Stake[]; readonly absent: readonly UsingProcess[] },
  wireTime: WireTime,
): string {
  const facts = record([
    ['IN QUARANTINE', `since ${wireTime.format(open.enteredAt)}: nothing is sent`],
    ['lost', `${wireTime.format(open.lostFrom)} to ${wireTime.format(open.lostUntil)}`],
    ['why', open.reason],
    ...(open.seemsComplete
      ? [['seems complete', 'nothing is known to be missing: --nothing-lost is possible'] as const]
      : []),
    ...absent.map(
      ({ name, seenAt }) =>
        ['not confirmed by', `${name}, last seen ${wireTime.format(seenAt)}`] as const,
    ),
    ...(open.forceProposedBy === null
      ? []
      : [
          ['force', `proposed by ${open.forceProposedBy}: ${open.forceReason ?? ''}`] as const,
          ['without', `the statements of ${open.forceMissing?.join(', ') ?? ''}`] as const,
          ['to confirm it', `quarantine release --confirm ${open.forceProposalId ?? ''}`] as const,
        ]),
  ]);
  const operators = table(
    [{ title: 'OPERATOR' }, { title: 'OPEN', align: 'right' }, { title: 'STATEMENT' }],
    stakes.map((stake) => [
      stake.operatorCode,
      String(stake.open),
      stake.covered ? 'covers the missing period' : 'MISSING',
    ]),
    'no operators',
  );
  return `${facts}\n${operators}`;
}

interface EnterOptions {
  readonly json?: boolean;
  readonly since: string;
  readonly until?: string;
  readonly by: string;
  readonly reason: string;
}

function addEnter(quarantine: Command, cli: Cli): void {
  command(
    quarantine,
    'enter',
    'Stop sending. The service does this automatically when it detects that the database was restored or replaced.',
  )
    .requiredOption('--since <time>', 'beginning of the missing period')
    .option('--until <time>', 'end of the missing period (default: now)')
    .requiredOption('--by <name>', 'who enters it', displayName)
    .requiredOption('--reason <text>', 'why', displayName)
    .action(async (options: EnterOptions) => {
      await cli.run(options, async ({ pool, wireTime }) => {
        const lostFrom = moment(options.since, '--since', wireTime);
        const lostUntil =
          options.until === undefined ? null : moment(options.until, '--until', wireTime);
        if (lostFrom.getTime() > Math.min((lostUntil ?? new Date()).getTime(), Date.now())) {
          throw new UsageError('--since must be before --until, and not in the future.');
        }
        const entry = { lostFrom, lostUntil, by: options.by, reason: options.reason };
        const entered = await enterQuarantine(pool, { ...entry, entryId: newId() });
        if (entered === undefined) throw new Error('a new entry was known before');
        return {
          json: { ...onWire(entered.quarantine), suspected: entered.suspected },
          text: `In quarantine: nothing is sent. ${entered.suspected} queued payments may have been sent in the missing period; their operators are queried.`,
        };
      });
    });
}

interface ReleaseOptions {
  readonly json?: boolean;
  readonly by: string;
  readonly force?: boolean;
  readonly confirm?: string;
  readonly nothingLost?: boolean;
  readonly reason?: string;
}

function addRelease(quarantine: Command, cli: Cli): void {
  command(
    quarantine,
    'release',
    'Resume sending. Refused until complete statements of every operator cover the missing period.',
  )
    .requiredOption('--by <name>', 'who releases it', displayName)
    .option('--force', 'propose to release without the statements; a second person must confirm')
    .addOption(
      new Option('--confirm <proposal>', 'confirm another person’s --force, as status shows it')
        .argParser(idOf('proposal'))
        .conflicts('force'),
    )
    .addOption(
      new Option(
        '--nothing-lost',
        'the ledger lacks nothing, because a synchronous standby was promoted; refused if anything contradicts it',
      ).conflicts(['force', 'confirm']),
    )
    .option('--reason <text>', 'why, with --force, --confirm or --nothing-lost', displayName)
    .action(async (options: ReleaseOptions) => {
      const { by, reason, confirm: confirms } = options;
      const lostNothing = options.nothingLost === true;
      const isForced = options.force === true || confirms !== undefined;
      if ((isForced || lostNothing) !== (reason !== undefined)) {
        throw new UsageError(
          '--reason must be given with --force, --confirm or --nothing-lost, and only with them.',
        );
      }
      await cli.run(options, async (session) => {
        const { pool } = session;
        const act = { by, permission: 'system.act', action: 'quarantine.release', reason } as const;
        const release =
          reason === undefined
            ? await releaseQuarantine(pool, { by })
            : await asPerson(cli, session, act, (who) =>
                releaseQuarantine(
                  pool,
                  lostNothing
                    ? { by: who, nothingLost: reason }
                    : { by: who, force: { reason, confirms } },
                ),
              );
        return {
          json: {
            released: release.kind === 'released',
            forced: release.kind === 'released' && release.forced,
            quarantine_id: release.quarantine.quarantineId,
            proposal: release.kind === 'proposed' ? release.proposalId : null,
          },
          text:
            release.kind === 'released'
              ? 'Released: payments are sent again.'
              : `Proposed. The quarantine stays until another person confirms it: quarantine release --confirm ${release.proposalId} --by … --reason …`,
        };
      });
    });
}
