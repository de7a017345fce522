import { Option } from 'commander';
import type { Command } from 'commander';
import type { WireTime } from '../../platform/base/clock.ts';
import { newId } from '../../platform/base/ids.ts';
import { enterQuarantine } from '../../payments/quarantine/enter.ts';
import { releaseQuarantine } from '../../payments/quarantine/release.ts';
import { proposeRelease } from '../../payments/quarantine/release-kind.ts';
import { readQuarantine } from '../../payments/quarantine/state.ts';
import type { QuarantineState } from '../../payments/quarantine/state.ts';
import type { QuarantineRow } from '../../payments/quarantine/read-quarantine.ts';
import { command, displayName, moment } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { UsageError } from '../failure.ts';
import type { Answer } from '../output.ts';
import { record, table } from '../output.ts';
import type { Session } from '../session.ts';
import { asPerson } from '../parties/as-person.ts';
import type { Act } from '../parties/as-person.ts';
import { openProposals, waitingAnswer } from '../parties/proposal.ts';

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

function addStatus(quarantine: Command, cli: Cli): void {
  command(quarantine, 'status', 'Show the quarantine, and what its release waits for.').action(
    async (options: { json?: boolean }) => {
      await cli.run(options, async (session) => await status(session));
    },
  );
}

async function status(session: Session): Promise<Answer> {
  const { pool, wireTime } = session;
  // After a restore the status can be read before the master key is at hand.
  const state = await readQuarantine(pool, await session.findLedgerMac());
  const { open, stakes, absent, waiting, events } = state;
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
      : quarantineText(open, state, wireTime);
  return {
    json: {
      quarantine: open === undefined ? null : onWire(open),
      proposal: waiting?.proposalId ?? null,
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
  };
}

function quarantineText(
  open: QuarantineRow,
  { stakes, absent, waiting }: QuarantineState,
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
    ...(waiting === undefined
      ? []
      : [
          ['without statements', `proposed by ${waiting.proposedBy}: ${waiting.note}`] as const,
          ['to decide it', `proposal show ${waiting.proposalId}`] as const,
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
    .option('--force', 'propose to release without the statements; another person has to approve')
    .addOption(
      new Option(
        '--nothing-lost',
        'the ledger lacks nothing, because a synchronous standby was promoted; refused if anything contradicts it',
      ).conflicts('force'),
    )
    .option('--reason <text>', 'why, with --force or --nothing-lost', displayName)
    .action(async (options: ReleaseOptions) => {
      const { by, reason, force = false, nothingLost = false } = options;
      if ((force || nothingLost) !== (reason !== undefined)) {
        throw new UsageError(
          '--reason must be given with --force or --nothing-lost, and only with them.',
        );
      }
      await cli.run(options, async (session) => {
        const { pool } = session;
        const deps = { pool, ledgerMac: await session.ledgerMac() };
        if (reason === undefined) return released(await releaseQuarantine(deps, { by }));
        const act = { by, permission: 'system.act', action: 'quarantine.release', reason } as const;
        if (force) return await propose(cli, session, act);
        return await asPerson(cli, session, act, async (who) =>
          released(await releaseQuarantine(deps, { by: who, nothingLost: reason })),
        );
      });
    });
}

async function propose(
  cli: Cli,
  session: Session,
  act: Act & { readonly reason: string },
): Promise<Answer> {
  const proposals = await openProposals(session);
  const row = await asPerson(cli, session, act, async (_name, by) =>
    proposeRelease({ pool: session.pool, proposals }, { by, note: act.reason }),
  );
  const state =
    'The quarantine stays until another person approves it, in the console or with this command:';
  return await waitingAnswer(session, proposals, row, state);
}

function released({ quarantineId }: QuarantineRow): Answer {
  return {
    json: { released: true, forced: false, quarantine_id: quarantineId },
    text: 'Released: payments are sent again.',
  };
}
