import { centsAboveZero, filledText, strict } from '../../platform/base/json-fields.ts';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { WireTime } from '../../platform/base/clock.ts';
import { compiled } from '../../platform/base/compiled.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { requireText } from '../../platform/base/proposal.ts';
import { plainReference } from '../../platform/base/written-alike.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { kind } from '../../proposals/kind.ts';
import type { Actor, AnyKind, Approved } from '../../proposals/kind.ts';
import type { Proposals } from '../../proposals/proposals.ts';
import type { ProposalFilter } from '../../proposals/store.ts';
import type { ProposalRow } from '../../proposals/proposal.ts';
import { findCollector } from '../../parties/read-collectors.ts';
import { findOperator } from '../billers/store.ts';
import type { HouseAccount } from './account.ts';
import { requireReference } from './entry.ts';
import { bookedLines, timeField } from './fields.ts';
import { MAX_OPENING_LINES, requireBalanced, transfersOf } from './journal.ts';
import type { JournalLine, JournalTransfer } from './journal.ts';
import { insertJournal, isJournalBooked, isOpeningBooked } from './journals-store.ts';
import { isClassed } from './own-accounts.ts';
import { listUnknownAccounts } from './own-accounts-store.ts';
import { listUnknownBanks, postHouseTransfer } from './store.ts';

export const HOUSE_JOURNAL = 'house_journal';

const content = strict({
  /** Reference of the document. Each document is entered only once. */
  reference: filledText(200),
  lines: Type.Array(
    strict({
      account: filledText(80),
      side: Type.Enum(['debit', 'credit']),
      cents: centsAboveZero,
    }),
    { minItems: 2, maxItems: MAX_OPENING_LINES },
  ),
  movedAt: timeField,
  /** Where it can be looked up. */
  evidence: filledText(1000),
  /** The opening trial balance of the system that was used before. */
  isOpening: Type.Boolean(),
});
type Content = Static<typeof content>;

interface Facts {
  /** A name in the lines that does not exist; null: all exist. */
  readonly unknown: string | null;
  readonly isBooked: boolean;
  /** True: an opening trial balance is booked. */
  readonly isOpened: boolean;
}

interface Plan {
  readonly lines: Content['lines'];
  readonly transfers: readonly JournalTransfer[];
}

interface Deps {
  readonly ledgerMac: Mac;
  /** Formats times in texts. */
  readonly wireTime: WireTime;
}

/** A journal by two people: lines that balance. What it is about has happened, so it waits until somebody decides. */
export const houseJournalKind = ({ ledgerMac, wireTime }: Deps): AnyKind =>
  kind<Content, Facts, Plan>({
    name: HOUSE_JOURNAL,
    title: 'Journal',
    content: compiled(content),
    proposedBy: 'finance.act',
    decidedBy: 'finance.act',
    about: ({ reference }) => plainReference(reference),
    describe: (of) => [
      { label: 'Reference', text: of.reference },
      { label: 'Evidence', text: of.evidence },
      ...(of.isOpening ? [{ label: 'Opening trial balance' }] : []),
      { label: 'Money moved', text: wireTime.format(new Date(of.movedAt)) },
    ],
    read: async (db, { lines, reference }) => ({
      unknown: await findUnknown(
        db,
        lines.map(({ account }) => account),
      ),
      isBooked: await isJournalBooked(db, plainReference(reference)),
      isOpened: await isOpeningBooked(db),
    }),
    check: ({ unknown, isBooked, isOpened }, { isOpening }) => {
      if (unknown !== null) throw new PlainError(unknown, { field: 'lines' });
      if (isOpening && isOpened)
        throw new PlainError('An opening trial balance is booked already.');
      if (!isBooked) return;
      throw new PlainError('This reference was entered before.', { field: 'reference' });
    },
    plan: (_facts, { content: { lines } }) => ({ lines, transfers: transfersOf(linesOf(lines)) }),
    show: ({ lines }) => bookedLines(lines),
    apply: async (db, plan, approval) => await apply(db, ledgerMac, plan, approval),
  });

/** The problem with an account that is not in the chart, or names an operator or a bank account which does not exist. */
export async function findUnknown(
  db: Queryable,
  accounts: readonly string[],
): Promise<string | null> {
  const codesOf = (prefix: string): string[] =>
    accounts
      .map((account) => account.split(':'))
      .filter(([before]) => before === prefix)
      .map(([, ...code]) => code.join(':'));
  const [bank] = await listUnknownBanks(db, codesOf('bank'));
  if (bank !== undefined) return `There is no account bank:${bank}.`;
  for (const name of codesOf('collector')) {
    if ((await findCollector(db, name)) === undefined) return `There is no collector ${name}.`;
  }
  for (const code of [...codesOf('operator-charges'), ...codesOf('commission-due')]) {
    if ((await findOperator(db, code)) === undefined) return `Operator ${code} does not exist.`;
  }
  const own = accounts.filter(isClassed);
  const [account] = await listUnknownAccounts(db, own);
  if (account !== undefined)
    return `There is no account ${account}. Add it with house chart propose.`;
  return null;
}

async function apply(
  db: Queryable,
  mac: Mac,
  { lines, transfers }: Plan,
  { proposal, by, at }: Approved<Content>,
): Promise<void> {
  const { proposalId: journalId, content: of, note, proposedBy } = proposal;
  const { reference, evidence, isOpening } = of;
  const movedAt = new Date(of.movedAt);
  const texts = { reference, note, evidence };
  const journal = { journalId, ...texts, lines, movedAt, isOpening, proposedBy };
  if (!(await insertJournal(db, { ...journal, decidedBy: by, decidedAt: at }))) {
    throw new PlainError('This reference was entered before.', { field: 'reference' });
  }
  const people = { proposedBy, approvedBy: by, texts: [reference, note, evidence] };
  for (const [index, { amountCents, ...sides }] of transfers.entries()) {
    await postHouseTransfer(db, mac, {
      ...{ source: 'journal', sourceId: journalId, part: index + 1 },
      // `requireBalanced` knows no other accounts.
      debitAccount: sides.debitAccount as HouseAccount,
      creditAccount: sides.creditAccount as HouseAccount,
      ...{ amountCents, movedAt, ...people },
    });
  }
}

export interface JournalRequest {
  readonly lines: readonly JournalLine[];
  readonly reference: string;
  readonly movedAt: Date;
  /** Why. */
  readonly note: string;
  readonly evidence: string;
  /** The opening trial balance of the system that was used before. */
  readonly isOpening?: boolean;
  readonly by: Actor;
}

/** Proposes a journal. Nothing is booked yet. Throws: `PlainError` with the problem. */
export async function proposeJournal(
  proposals: Proposals,
  { lines, reference, movedAt, note, evidence, isOpening = false, by }: JournalRequest,
): Promise<ProposalRow> {
  requireBalanced(lines, isOpening);
  if (movedAt > new Date()) throw new PlainError('It must not be in the future.', { field: 'at' });
  const of = {
    reference: requireReference(reference),
    lines: lines.map(({ account, side, amountCents }) => ({
      ...{ account, side, cents: String(amountCents) },
    })),
    movedAt: movedAt.toISOString(),
    evidence: requireText(evidence, 'evidence'),
    isOpening,
  };
  return await proposals.propose({ kind: HOUSE_JOURNAL, content: of, by, note });
}

/** A journal, with what has become of it. */
export interface Journal {
  readonly row: ProposalRow;
  readonly content: Content;
  readonly lines: readonly JournalLine[];
}

/** Newest first. @param filter.open only those that wait for another person. */
export async function listJournals(
  proposals: Proposals,
  filter: Pick<ProposalFilter, 'open' | 'before' | 'limit'>,
): Promise<Journal[]> {
  return (await proposals.list({ ...filter, kinds: [HOUSE_JOURNAL] })).map(journalOf);
}

export function journalOf(row: ProposalRow): Journal {
  const of = row.content as Content;
  return { row, content: of, lines: linesOf(of.lines) };
}

function linesOf(lines: Content['lines']): JournalLine[] {
  return lines.map(({ account, side, cents }) => ({ account, side, amountCents: BigInt(cents) }));
}
