import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import type { WireTime } from '../../platform/base/clock.ts';
import { decodeReference, ID_FORM } from '../../platform/base/ids.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import {
  approveResolution,
  previewResolution,
  proposeResolution,
  referenceOf,
  rejectProposal,
} from '../../payments/corrections/cases.ts';
import { openCaseByHand } from '../../payments/corrections/open-case.ts';
import {
  CASE_KINDS,
  findCase,
  listCaseEvents,
  listCases,
  listCasesAbout,
} from '../../payments/cases/cases-store.ts';
import type { CaseKind, CaseRow } from '../../payments/cases/cases-store.ts';
import { planLines } from '../../payments/corrections/plan-lines.ts';
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

export function addCaseCommands(program: Command, cli: Cli): void {
  const cases = program
    .command('case')
    .description('Cases that people have to resolve. One person proposes, another approves.');
  addList(cases, cli);
  addShow(cases, cli);
  addOpen(cases, cli);
  addPropose(cases, cli);
  addDecisions(cases, cli);
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
          return { json: { cases: rows.map(caseJson) }, text: listText(rows, wireTime) };
        });
      },
    );
}

function listText(rows: readonly CaseRow[], wireTime: WireTime): string {
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
        stateOf(row),
      ];
    }),
    'no cases',
  );
}

function stateOf(row: CaseRow): string {
  if (row.resolvedAt !== null) return `${row.resolution}, approved by ${row.resolvedBy}`;
  if (row.proposal === null) return 'open';
  return `${row.proposal.resolution}, proposed by ${row.proposedBy}`;
}

function caseJson(row: CaseRow) {
  return {
    case: row.caseId,
    kind: row.kind,
    vid: row.vid,
    operator: row.operatorCode,
    reference: referenceOf(row),
    opened_at: row.openedAt.toISOString(),
    facts: row.facts,
    proposal: row.proposal,
    proposal_id: row.proposalId,
    proposed_by: row.proposedBy,
    proposed_at: row.proposedAt?.toISOString() ?? null,
    resolution: row.resolution,
    resolved_by: row.resolvedBy,
    resolved_at: row.resolvedAt?.toISOString() ?? null,
  };
}

function addShow(cases: Command, cli: Cli): void {
  command(cases, 'show <case>', 'Show a case: the facts, and who did what.').action(
    async (caseId: string, options: { json?: boolean }) => {
      await cli.run(options, async ({ pool, wireTime, findLedgerMac }) => {
        const row = await findCase(pool, id(caseId));
        if (row === undefined) throw new PlainError('This case does not exist.');
        const events = (await listCaseEvents(pool, row)).map((event) => ({
          ...event,
          at: event.at.toISOString(),
        }));
        const others =
          row.paymentId === null ? [] : await listCasesAbout(pool, row.vendorId, row.paymentId);
        const related = others.filter((other) => other.caseId !== row.caseId);
        // A case can be shown without the right master key.
        const mac = await findLedgerMac().catch(() => undefined);
        const would = await previewResolution(pool, row, mac);
        return {
          json: { ...caseJson(row), would_post: would, events, related: related.map(caseJson) },
          text: `${caseText(row, wireTime)}\n${wouldText(would)}${eventsText(events, wireTime)}${
            related.length === 0
              ? ''
              : `\nOther cases about the transaction:\n${listText(related, wireTime)}`
          }`,
        };
      });
    },
  );
}

function caseText(row: CaseRow, wireTime: WireTime): string {
  return record([
    ['case', row.caseId],
    ['kind', row.kind],
    ['vendor', row.vid ?? 'house'],
    ['operator', row.operatorCode ?? ''],
    ['reference', referenceOf(row) ?? ''],
    ['opened', wireTime.format(row.openedAt)],
    ['state', stateOf(row)],
    ...Object.entries(row.facts).map(
      ([name, value]) => [name.replace(/_cents$/, ''), factText(name, value)] as const,
    ),
    ...proposalFacts(row),
  ]);
}

/** Everything that the second person approves. */
function proposalFacts({ proposal, proposalId }: CaseRow): (readonly [string, string])[] {
  if (proposal === null || proposalId === null) return [];
  const { amount_cents: cents, details } = proposal;
  const given = [
    ['its amount', cents === null ? null : formatMoney(BigInt(cents))],
    ['its operator reference', proposal.operator_reference],
    ['its message', proposal.message],
    ['its details', details === null ? null : JSON.stringify(details)],
  ] as const;
  return [
    ['proposal', proposalId],
    ['its note', proposal.note],
    ...given.flatMap(([name, text]) => (text === null ? [] : [[name, text] as const])),
  ];
}

function wouldText(would: readonly string[]): string {
  if (would.length === 0) return '';
  const lines = would.map((line) => `  ${line}\n`).join('');
  return `When another person approves it (case approve … --proposal …):\n${lines}\n`;
}

function factText(name: string, value: unknown): string {
  if (name.endsWith('_cents') && typeof value === 'number') return formatMoney(BigInt(value));
  return typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
}

function eventsText(
  events: readonly { at: string; action: string; actor: string; detail: object }[],
  wireTime: WireTime,
): string {
  return table(
    [{ title: 'AT' }, { title: 'WHAT' }, { title: 'WHO' }, { title: 'DETAIL' }],
    events.map((event) => [
      wireTime.format(new Date(event.at)),
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
        await cli.run(options, async ({ pool, wireTime }) => {
          const { vendorId } = await requireVendor(pool, options.vid);
          const location = decodeReference(options.reference);
          if (location?.vendorId !== vendorId) {
            throw new PlainError('This vendor has no payment with this reference.', {
              field: 'reference',
            });
          }
          const { paymentId } = location;
          const { by } = options;
          const row = await openCaseByHand(pool, {
            vendorId,
            paymentId,
            by,
            note: options.note,
          });
          return { json: caseJson(row), text: caseText(row, wireTime) };
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
        const { pool, wireTime } = session;
        const act = { ...actOn(caseId, 'case.propose', options), reason: options.note };
        const deps = { pool, ledgerMac: await session.ledgerMac() };
        const proposal = {
          resolution: options.resolution,
          note: options.note,
          amount_cents: options.amount?.toString() ?? null,
          operator_reference: options.operatorReference ?? null,
          message: options.message ?? null,
          details: Object.keys(options.detail).length === 0 ? null : options.detail,
        };
        const { row, plan } = await asPerson(cli, session, act, (by) =>
          proposeResolution(deps, { caseId: act.target, by, proposal }),
        );
        const would = planLines(plan);
        return {
          json: { ...caseJson(row), would_post: would },
          text: `${caseText(row, wireTime)}\n${wouldText(would)}`,
        };
      });
    });
}

function addDecisions(cases: Command, cli: Cli): void {
  command(cases, 'approve <case>', 'Approve and carry out another person’s proposal.')
    .requiredOption('--proposal <id>', 'what is approved, as case show names it')
    .requiredOption('--by <name>', 'who approves it; not who proposed it')
    .action(async (caseId: string, options: { json?: boolean; proposal: string; by: string }) => {
      await cli.run(options, async (session) => {
        const { pool, wireTime, ledgerMac } = session;
        const proposalId = id(options.proposal, 'proposal');
        const act = actOn(caseId, 'case.approve', options);
        const deps = { pool, ledgerMac: await ledgerMac() };
        const { row, plan } = await asPerson(cli, session, act, (by) =>
          approveResolution(deps, { caseId: act.target, proposalId, by }),
        );
        const posted = planLines(plan);
        return {
          json: { ...caseJson(row), posted },
          text: `${caseText(row, wireTime)}\n${posted.map((line) => `  ${line}\n`).join('')}`,
        };
      });
    });
  command(cases, 'reject <case>', 'Reject a proposal. The case stays open.')
    .requiredOption('--by <name>', 'who rejects it')
    .requiredOption('--note <text>', 'why', noteText)
    .action(async (caseId: string, options: { json?: boolean; by: string; note: string }) => {
      await cli.run(options, async (session) => {
        const { pool, wireTime } = session;
        const { note } = options;
        const act = { ...actOn(caseId, 'case.reject', options), reason: note };
        const row = await asPerson(cli, session, act, (by) =>
          rejectProposal(pool, { caseId: act.target, by, note }),
        );
        return { json: caseJson(row), text: caseText(row, wireTime) };
      });
    });
}

function actOn(caseId: string, action: string, { by }: { readonly by: string }) {
  return { by, permission: 'cases.act', action, target: id(caseId) } as const;
}

const ID = new RegExp(`^${ID_FORM}$`);

function id(text: string, field: 'case' | 'proposal' = 'case'): string {
  if (ID.test(text)) return text;
  const where = field === 'case' ? 'list' : 'show';
  throw new PlainError(`It must be the id of a ${field}, as shown by case ${where}.`, { field });
}

function readDetail(
  text: string,
  details: Readonly<Record<string, string>>,
): Record<string, string> {
  const [, name = '', value = ''] = /^([a-z][a-z0-9_]{0,39})=(\P{C}{1,200})$/u.exec(text) ?? [];
  if (name === '') throw new InvalidArgumentError('It must be name=value.');
  return { ...details, [name]: value };
}
