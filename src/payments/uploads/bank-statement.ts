import { statementsOf } from '../../connectors/registry.ts';
import { readVids } from '../../parties/read-vendors.ts';
import { compiled } from '../../platform/base/compiled.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { jsonText } from '../../platform/base/proposal.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { kind } from '../../proposals/kind.ts';
import type { Actor, AnyKind, Line } from '../../proposals/kind.ts';
import type { Proposals } from '../../proposals/proposals.ts';
import type { ProposalRow } from '../../proposals/proposal.ts';
import { requireSource } from '../receipts/administer.ts';
import { doubtText } from '../receipts/doubts.ts';
import { foreseeEntry, foreseeOther, Preview } from '../receipts/foresee.ts';
import type { Foreseen } from '../receipts/foresee.ts';
import type { SourceRow } from '../receipts/sources-store.ts';
import { entriesInOrder, othersOf, readReports } from '../receipts/statements/import.ts';
import type { ReportedLine } from '../receipts/statements/report.ts';
import { takeAccepted } from './accepted.ts';
import type { UploadDeps } from './accepted.ts';
import { BANK_STATEMENT, content } from './content.ts';
import type { BankStatement } from './content.ts';
import { keepFile, withKeptFile } from './files.ts';
import { insertAccepted } from './store.ts';

interface Facts {
  readonly problem: string | null;
  readonly plan: Plan;
}

interface Plan {
  /** Sums that the import would credit, by vendor. */
  readonly credited: ReadonlyMap<string, Sum>;
  /** Everything else, by what would happen to it. */
  readonly other: ReadonlyMap<string, Sum>;
}

interface Sum {
  readonly count: number;
  readonly cents: bigint;
}

/**
 * A bank statement that a person supplies. It credits vendors, so another person decides, who sees whom. The decision
 * accepts the file; its lines are taken after it (`accepted.ts`), each in commits of its own.
 */
export const bankStatementKind = (deps: UploadDeps): AnyKind =>
  kind<BankStatement, Facts, Plan>({
    name: BANK_STATEMENT,
    title: 'Statement of a bank',
    content: compiled(content),
    proposedBy: 'receipts.act',
    decidedBy: 'receipts.act',
    about: ({ source, sha256 }) => `${source} ${sha256}`,
    describe: ({ source, sha256, bytes, acceptedLines }) => [
      { label: 'Source', text: source },
      { label: 'File', text: `${bytes} bytes, SHA-256 ${sha256}` },
      ...(acceptedLines.length === 0
        ? []
        : [{ label: 'Lines compared with the bank', text: acceptedLines.join(', ') }]),
    ],
    read: async (db, asked) => {
      try {
        await requireSameSettings(db, asked);
        const { lines } = await readKept(deps, db, asked);
        return { problem: null, plan: await planOf(db, lines) };
      } catch (error) {
        if (!(error instanceof PlainError)) throw error;
        const nothing = { credited: new Map<string, Sum>(), other: new Map<string, Sum>() };
        return { problem: error.message, plan: nothing };
      }
    },
    check: ({ problem }) => {
      if (problem !== null) throw new PlainError(problem);
    },
    plan: ({ plan }) => plan,
    show: ({ credited, other }) => [
      ...linesOf(credited, (vid) => `Credited to ${vid}`),
      ...linesOf(other, (outcome) => OTHER_LABELS[outcome] ?? outcome),
    ],
    apply: async (db, _plan, { proposal: { proposalId, content: asked }, at }) => {
      await insertAccepted(db, { proposalId, sourceCode: asked.source, at });
    },
    afterwards: async ({ proposalId }) => {
      try {
        await takeAccepted(deps, proposalId, async (db, asked) => readKept(deps, db, asked));
      } catch (error) {
        // It is decided. The job tries again, for example when another import to the source has ended.
        deps.log.warn({ err: error, proposalId }, 'an accepted bank statement was not taken yet');
      }
    },
  });

const OTHER_LABELS: Readonly<Record<string, string>> = {
  waiting: 'Waits for people',
  repeated: 'Known already',
  conflicts: 'Contradicts what is known',
  reversed: 'Was taken back',
  credit_returned: 'Returned by the bank: a case is opened',
  debit: 'Money that went out',
  debit_returned: 'Money that went out and came back',
  no_payment: 'Money in from accounts of ours',
  pending: 'Not booked',
};

/**
 * Reads the lines of a kept file with the settings that the source had when it was proposed, whatever they are now.
 * Throws: `PlainError` if it cannot be read with them.
 */
export async function readKept(
  { wireTime }: Pick<UploadDeps, 'wireTime'>,
  db: Queryable,
  asked: BankStatement,
): Promise<{ readonly source: SourceRow; readonly lines: readonly ReportedLine[] }> {
  const { settings, collector } = asked;
  const source = { ...(await requireStatementSource(db, asked.source)), settings, collector };
  const acceptedLines = new Set(asked.acceptedLines);
  const { lines } = await withKeptFile(db, asked, async (file) =>
    readReports(source, { file, wireTime, acceptedLines }),
  );
  return { source, lines };
}

/** Throws: `PlainError` if the source would now read or collect otherwise: the preview would show neither. */
async function requireSameSettings(db: Queryable, asked: BankStatement): Promise<void> {
  const { settings, collector } = await requireStatementSource(db, asked.source);
  if (jsonText([settings, collector]) === jsonText([asked.settings, asked.collector])) return;
  throw new PlainError(
    `The settings of source ${asked.source} have changed since the file was proposed. Propose it again.`,
    { field: 'source' },
  );
}

async function requireStatementSource(db: Queryable, sourceCode: string): Promise<SourceRow> {
  const source = await requireSource(db, sourceCode);
  if (statementsOf(source) === undefined) {
    throw new PlainError('This source does not take bank statements.', { field: 'source' });
  }
  if (source.status === 'active') return source;
  throw new PlainError(`Source ${sourceCode} is suspended.`, { field: 'source' });
}

/** A line of a file with what it would do now. */
interface ForeseenLine extends ReportedLine {
  readonly foreseen: Foreseen;
}

/** The effect that the lines of a file would have now, in the order of the file. */
async function foreseeLines(
  db: Queryable,
  lines: readonly ReportedLine[],
): Promise<readonly ForeseenLine[]> {
  const found: ForeseenLine[] = [];
  const preview = new Preview();
  for (const entry of await entriesInOrder(db, lines)) {
    const reports = entry.map(({ report }) => report);
    for (const [index, foreseen] of (await foreseeEntry(db, reports, preview)).entries()) {
      const line = entry[index];
      if (line !== undefined) found.push({ ...line, foreseen });
    }
  }
  for (const { line, nth } of othersOf(lines)) {
    found.push({ ...line, foreseen: await foreseeOther(db, line, nth, preview) });
  }
  return found.toSorted((one, other) => one.line.line - other.line.line);
}

/** A row of a file, and what its import would do with it now. Amounts are in cents. */
export interface PreviewedLine {
  readonly line: number;
  readonly outcome: Foreseen['kind'] | 'ignored';
  readonly at: Date | null;
  readonly amountCents: bigint | null;
  readonly reference: string | null;
  readonly account: string | null;
  readonly vid: string | null;
  /** Why it waits, or is not credited. */
  readonly because: string | null;
  readonly text: string;
}

/**
 * Looks at a file as its import would take it now, and changes nothing. Lists every row: what would be credited, what waits
 * for people and why, and what is ignored.
 * Throws: `PlainError` if the file would be refused.
 */
export async function previewBankStatement(
  { pool, wireTime }: Pick<UploadDeps, 'pool' | 'wireTime'>,
  request: Pick<BankStatement, 'source' | 'acceptedLines'> & { readonly file: string },
): Promise<{ readonly form: string | null; readonly lines: readonly PreviewedLine[] }> {
  const row = await requireStatementSource(pool, request.source);
  const { file } = request;
  const acceptedLines = new Set(request.acceptedLines);
  const { lines, notes } = await readReports(row, { file, wireTime, acceptedLines });
  const vids = await readVids(pool);
  const seen = (await foreseeLines(pool, lines)).map(({ line, report, foreseen }) => ({
    ...{ line: line.line, outcome: foreseen.kind, at: line.at, amountCents: line.amountCents },
    ...{ reference: line.isMade === true ? null : line.reference, account: report.account },
    vid: foreseen.kind === 'credited' ? (vids.get(foreseen.vendorId) ?? null) : null,
    because: becauseOf(foreseen, report.account) ?? line.type ?? null,
    text: line.text,
  }));
  const nothing = { at: null, amountCents: null, reference: null, account: null, vid: null };
  const ignored = notes
    .filter(({ note }) => note !== 'form')
    .map(({ line, note, text }) => ({
      ...{ ...nothing, line, outcome: 'ignored' as const, because: NOTE_TEXTS[note], text },
    }));
  return {
    form: notes.find(({ note }) => note === 'form')?.text ?? null,
    lines: [...seen, ...ignored].toSorted((one, other) => one.line - other.line),
  };
}

const NOTE_TEXTS = { form: '', balance: 'a balance', total: 'a total', text: 'text' } as const;

function becauseOf(foreseen: Foreseen, account: string | null): string | null {
  if (foreseen.kind !== 'waiting') return null;
  if (foreseen.doubt !== null) return doubtText(foreseen.doubt);
  return account === null ? 'no account number was found' : 'no vendor can be credited';
}

async function planOf(db: Queryable, lines: readonly ReportedLine[]): Promise<Plan> {
  const vids = await readVids(db);
  const credited = new Map<string, Sum>();
  const other = new Map<string, Sum>();
  const add = (sums: Map<string, Sum>, name: string, cents: bigint): void => {
    const { count, cents: before } = sums.get(name) ?? { count: 0, cents: 0n };
    sums.set(name, { count: count + 1, cents: before + cents });
  };
  const note = (foreseen: Foreseen, cents: bigint): void => {
    if (foreseen.kind === 'credited') {
      add(credited, vids.get(foreseen.vendorId) ?? String(foreseen.vendorId), cents);
    } else add(other, foreseen.kind, cents);
  };
  for (const { report, foreseen } of await foreseeLines(db, lines)) {
    note(foreseen, report.amountCents);
  }
  return { credited, other };
}

function linesOf(sums: ReadonlyMap<string, Sum>, labelOf: (name: string) => string): Line[] {
  return [...sums]
    .map(([name, { count, cents }]) => ({
      ...{ label: labelOf(name), text: `${count} lines`, cents: String(cents) },
    }))
    .toSorted((one, another) => (one.label < another.label ? -1 : 1));
}

/**
 * Proposes to take the credits of a bank statement.
 * Throws: `PlainError` if it cannot be read, and what `propose` throws.
 */
export async function proposeBankStatement(
  deps: Pick<UploadDeps, 'pool' | 'wireTime'> & { readonly proposals: Proposals },
  request: {
    readonly source: string;
    readonly file: string;
    readonly acceptedLines: readonly number[];
    readonly by: Actor;
    readonly note: string;
  },
): Promise<ProposalRow> {
  const { pool, wireTime, proposals } = deps;
  const { source, file, acceptedLines, by, note } = request;
  const row = await requireStatementSource(pool, source);
  // All problems of the file are found before it is kept.
  await readReports(row, { file, wireTime, acceptedLines: new Set(acceptedLines) });
  const kept = await keepFile(pool, file);
  const { settings, collector } = row;
  const asked = { source, acceptedLines: [...acceptedLines], ...kept, settings, collector };
  return await proposals.propose({ kind: BANK_STATEMENT, content: asked, by, note });
}
