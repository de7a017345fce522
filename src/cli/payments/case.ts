import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import type { WireTime } from '../../platform/base/clock.ts';
import { ID_FORM } from '../../platform/base/ids.ts';
import { decodeReference } from '../../parties/reference.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { proposeResolution } from '../../payments/corrections/case-resolution.ts';
import { openCaseByHand } from '../../payments/corrections/open-case.ts';
import {
  listCaseEvents,
  listOpenProposals,
  resolutionOf,
} from '../../payments/cases/case-proposals.ts';
import {
  CASE_KINDS,
  findCase,
  listCases,
  listCasesAbout,
  referenceOf,
} from '../../payments/cases/cases-store.ts';
import type { CaseEvent, CaseKind, CaseRow } from '../../payments/cases/cases-store.ts';
import { RESOLUTIONS } from '../../payments/corrections/resolutions.ts';
import {
  command,
  moneyAboveZero,
  noteText,
  printable,
  signerName,
  wholeNumber,
} from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { record, table } from '../output.ts';
import { requireVendor } from '../parties/vendors.ts';
import { asPerson } from '../parties/as-person.ts';
import { openProposals, waitingAnswer } from '../parties/proposal.ts';
import type { ProposalRow } from '../../proposals/store.ts';
import type { Answer } from '../output.ts';
import type { Session } from '../session.ts';

export function addCaseCommands(program: Command, cli: Cli): void {
  const cases = program
    .command('case')
    .description('Cases that people have to resolve. One person proposes, another approves.');
  addList(cases, cli);
  addShow(cases, cli);
  addOpen(cases, cli);
  addPropose(cases, cli);
}

function addList(cases: Command, cli: Cli): void {
  command(cases, 'list', 'Open cases, oldest first.')
    .option('--resolved', 'resolved cases instead of open ones')
    .addOption(new Option('--kind <kind>', 'of this kind only').choices(CASE_KINDS))
    .option('--vid <vid>', 'of this vendor only', signerName)
    .option('--limit <count>', 'at most this many', wholeNumber(1, 10_000), 100)
    .action(
      async (options: {
        json?: boolean;
        resolved?: boolean;
        kind?: CaseKind;
        vid?: string;
        limit: number;
      }) => {
        await cli.run(options, async ({ pool, wireTime }) => {
          const { kind, vid, limit } = options;
          const rows = await listCases(pool, {
            resolved: options.resolved === true,
            kind,
            vid,
            limit,
          });
          const open = await openProposalsOf(pool, rows);
          return {
            json: { cases: rows.map((row) => caseJson(row, open)) },
            text: listText(rows, open, wireTime),
          };
        });
      },
    );
}

type OpenProposals = Awaited<ReturnType<typeof listOpenProposals>>;

async function openProposalsOf(
  pool: Session['pool'],
  rows: readonly CaseRow[],
): Promise<OpenProposals> {
  return await listOpenProposals(
    pool,
    rows.map(({ caseId }) => caseId),
  );
}

function listText(rows: readonly CaseRow[], open: OpenProposals, wireTime: WireTime): string {
  return table(
    [
      { title: 'CASE' },
      { title: 'OPENED' },
      { title: 'KIND' },
      { title: 'VENDOR' },
      { title: 'OPERATOR' },
      { title: 'REFERENCE' },
      { title: 'PAID', align: 'right' },
      { title: 'STATE' },
    ],
    rows.map((row) => {
      const paidCents = row.facts['paid_cents'];
      return [
        row.caseId,
        wireTime.format(row.openedAt),
        row.kind,
        row.vid ?? 'house',
        row.operatorCode ?? '',
        referenceOf(row) ?? '',
        typeof paidCents === 'number' ? formatMoney(BigInt(paidCents)) : '',
        stateOf(row, open),
      ];
    }),
    'no cases',
  );
}

function stateOf(row: CaseRow, open: OpenProposals): string {
  if (row.resolvedAt !== null) return `${row.resolution}, approved by ${row.resolvedBy}`;
  const proposed = open.get(row.caseId);
  return proposed === undefined
    ? 'open'
    : `${resolutionOf(proposed)}, proposed by ${proposed.proposedBy}`;
}

function caseJson(row: CaseRow, open: OpenProposals) {
  const proposed = open.get(row.caseId);
  return {
    case: row.caseId,
    kind: row.kind,
    vid: row.vid,
    operator: row.operatorCode,
    reference: referenceOf(row),
    opened_at: row.openedAt.toISOString(),
    facts: row.facts,
    proposed: proposed === undefined ? null : resolutionOf(proposed),
    proposal_id: proposed?.proposalId ?? null,
    proposed_by: proposed?.proposedBy ?? row.proposedBy,
    proposed_at: proposed?.proposedAt.toISOString() ?? null,
    resolution: row.resolution,
    resolved_by: row.resolvedBy,
    resolved_at: row.resolvedAt?.toISOString() ?? null,
  };
}

function addShow(cases: Command, cli: Cli): void {
  command(
    cases,
    'show <case>',
    'Show a case: the facts, who did what, and what is proposed.',
  ).action(async (caseId: string, options: { json?: boolean }) => {
    await cli.run(options, async (session) => {
      const { pool, wireTime } = session;
      const row = await findCase(pool, id(caseId));
      if (row === undefined) throw new PlainError('This case does not exist.');
      const events = await listCaseEvents(pool, row);
      const others =
        row.paymentId === null ? [] : await listCasesAbout(pool, row.vendorId, row.paymentId);
      const related = others.filter((other) => other.caseId !== row.caseId);
      const open = await openProposalsOf(pool, [row, ...related]);
      const proposal = await proposalOf(session, open.get(row.caseId));
      return {
        json: {
          ...caseJson(row, open),
          proposal: proposal?.json ?? null,
          events: events.map((event) => ({ ...event, at: event.at.toISOString() })),
          related: related.map((other) => caseJson(other, open)),
        },
        text: `${caseText(row, open, wireTime)}\n${proposal === undefined ? '' : `${proposal.text}\n`}${eventsText(events, wireTime)}${
          related.length === 0
            ? ''
            : `\nOther cases about the transaction:\n${listText(related, open, wireTime)}`
        }`,
      };
    });
  });
}

const HOW_TO_DECIDE =
  'Nothing is posted yet: another person looks at it, and approves it in the console or with';

/** The proposal that waits. A case can be shown without the right master key. */
async function proposalOf(
  session: Session,
  row: ProposalRow | undefined,
): Promise<Answer | undefined> {
  if (row === undefined) return undefined;
  const proposals = await openProposals(session).catch(() => undefined);
  if (proposals === undefined) {
    const text =
      'Not verified: without the right MASTER_KEY it is not known whether the proposal was changed in the database.';
    return { json: { proposal: row.proposalId, problem: text }, text };
  }
  return await waitingAnswer(session, proposals, row, HOW_TO_DECIDE);
}

function caseText(row: CaseRow, open: OpenProposals, wireTime: WireTime): string {
  return record([
    ['case', row.caseId],
    ['kind', row.kind],
    ['vendor', row.vid ?? 'house'],
    ['operator', row.operatorCode ?? ''],
    ['reference', referenceOf(row) ?? ''],
    ['opened', wireTime.format(row.openedAt)],
    ['state', stateOf(row, open)],
    ...Object.entries(row.facts).map(
      ([name, value]) => [name.replace(/_cents$/, ''), factText(name, value)] as const,
    ),
  ]);
}

function factText(name: string, value: unknown): string {
  if (name.endsWith('_cents') && typeof value === 'number') return formatMoney(BigInt(value));
  return typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
}

function eventsText(events: readonly CaseEvent[], wireTime: WireTime): string {
  return table(
    [{ title: 'AT' }, { title: 'WHAT' }, { title: 'WHO' }, { title: 'DETAIL' }],
    events.map((event) => [
      wireTime.format(event.at),
      event.action,
      event.actor,
      JSON.stringify(event.detail),
    ]),
    'no action yet',
  );
}

function addOpen(cases: Command, cli: Cli): void {
  command(
    cases,
    'open',
    'Open a case about a payment whose result nobody reports, or whose real result differs from the ledger.',
  )
    .requiredOption('--vid <vid>', 'vendor ID', signerName)
    .requiredOption('--reference <reference>', 'ipay_reference of the payment')
    .requiredOption('--by <name>', 'who opens it')
    .requiredOption('--note <text>', 'why', noteText)
    .action(
      async (options: {
        json?: boolean;
        vid: string;
        reference: string;
        by: string;
        note: string;
      }) => {
        await cli.run(options, async (session) => {
          const { pool, wireTime } = session;
          const { vendorId } = await requireVendor(pool, options.vid);
          const location = decodeReference(options.reference);
          if (location?.vendorId !== vendorId) {
            throw new PlainError('This vendor has no payment with this reference.', {
              field: 'reference',
            });
          }
          const { paymentId } = location;
          const { note, reference: target } = options;
          const by = { by: options.by, permission: 'cases.act' } as const;
          const act = { ...by, action: 'case.open', target, reason: note };
          const row = await asPerson(cli, session, act, (opener) =>
            openCaseByHand(pool, { vendorId, paymentId, by: opener, note }),
          );
          const open = new Map<string, ProposalRow>();
          return { json: caseJson(row, open), text: caseText(row, open, wireTime) };
        });
      },
    );
}

interface ProposeOptions {
  readonly json?: boolean;
  readonly resolution: string;
  readonly by: string;
  readonly note: string;
  readonly amount?: bigint;
  readonly operatorReference?: string;
  readonly message?: string;
  readonly detail: Readonly<Record<string, string>>;
}

function addPropose(cases: Command, cli: Cli): void {
  const resolutions = Object.entries(RESOLUTIONS).map(([name, says]) => `${name}: ${says}`);
  command(cases, 'propose <case>', 'Propose how to resolve a case. Nothing is posted yet.')
    .addOption(
      new Option('--resolution <resolution>', resolutions.join('; '))
        .choices(Object.keys(RESOLUTIONS))
        .makeOptionMandatory(),
    )
    .requiredOption('--by <name>', 'who proposes it')
    .requiredOption('--note <text>', 'why', noteText)
    .option('--amount <amount>', 'in KES (default: derived from the facts)', moneyAboveZero)
    .option('--operator-reference <reference>', 'the operator’s own, for paid', printable(100))
    .option('--message <text>', 'message that the vendor sees', printable(500))
    .option('--detail <name=value>', 'a field of the result, such as token=…', readDetail, {})
    .action(async (caseId: string, options: ProposeOptions) => {
      await cli.run(options, async (session) => {
        const proposals = await openProposals(session);
        const { pool } = session;
        const { by, note } = options;
        const about = { action: 'case.propose', target: id(caseId), reason: note };
        const act = { by, permission: 'cases.act', ...about } as const;
        const proposal = {
          resolution: options.resolution,
          note,
          amount_cents: options.amount?.toString() ?? null,
          operator_reference: options.operatorReference ?? null,
          message: options.message ?? null,
          details: Object.keys(options.detail).length === 0 ? null : options.detail,
        };
        const row = await asPerson(cli, session, act, (_by, actor) =>
          proposeResolution({ pool, proposals }, { caseId: about.target, by: actor, proposal }),
        );
        return await waitingAnswer(session, proposals, row, HOW_TO_DECIDE);
      });
    });
}

const ID = new RegExp(`^${ID_FORM}$`);

function id(text: string): string {
  if (ID.test(text)) return text;
  throw new PlainError('It must be the id of a case, as shown by case list.', { field: 'case' });
}

function readDetail(
  text: string,
  details: Readonly<Record<string, string>>,
): Record<string, string> {
  const [, name = '', value = ''] = /^([a-z][a-z0-9_]{0,39})=(\P{C}{1,200})$/u.exec(text) ?? [];
  if (name === '') throw new InvalidArgumentError('It must be name=value.');
  return { ...details, [name]: value };
}
