import { codeField, strict } from '../../platform/base/json-fields.ts';
import { crashPoint } from '#crash-points';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { compiled } from '../../platform/base/compiled.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { onTrial } from '../../platform/db/trial.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { kind } from '../../proposals/kind.ts';
import type { Actor, AnyKind, Line } from '../../proposals/kind.ts';
import type { Proposals } from '../../proposals/proposals.ts';
import type { ProposalRow } from '../../proposals/proposal.ts';
import { requireStatementFormat } from '../reconciliation/statement-format.ts';
import type { EndedPayment } from '../reconciliation/differences.ts';
import { importWithin } from '../reconciliation/import.ts';
import type { Imported, StatementImport } from '../reconciliation/import.ts';
import { readStatementFile } from '../reconciliation/read-statement.ts';
import type { ReadStatement } from '../reconciliation/read-statement.ts';
import { beginImport } from '../reconciliation/store.ts';
import type { StatementFormat } from '../../connectors/operator-statements.ts';
import { keepFile, withKeptFile } from './files.ts';

export const OPERATOR_STATEMENT = 'operator_statement';

const content = strict({
  operator: codeField,
  /** ISO 8601; from <= time of a movement < to. */
  from: Type.String({ maxLength: 24 }),
  to: Type.String({ maxLength: 24 }),
  complete: Type.Boolean(),
  toleranceMs: Type.Integer({ minimum: 0 }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  bytes: Type.Integer({ minimum: 1 }),
});
type Content = Static<typeof content>;

interface Facts {
  readonly request: StatementImport;
  readonly read: ReadStatement;
  /** Result of the import, tried out and undone; or the reason why it cannot be done. */
  readonly trial: Imported | string;
}

interface Plan {
  readonly request: StatementImport;
  readonly read: ReadStatement;
  readonly trial: Imported;
}

/**
 * A statement of an operator's that a person supplies. It may end payments and book what moved our float, so another
 * person decides, who sees exactly what it would do: the import is tried out, and undone. Statements that are pulled
 * from the operator need nobody.
 */
export const operatorStatementKind = (pool: Pool, mac: Mac): AnyKind =>
  kind<Content, Facts, Plan>({
    name: OPERATOR_STATEMENT,
    title: 'Statement of an operator',
    content: compiled(content),
    proposedBy: 'reconciliation.act',
    decidedBy: 'reconciliation.act',
    about: ({ operator, sha256 }) => `${operator} ${sha256}`,
    describe: ({ operator, from, to, complete, toleranceMs, sha256, bytes }) => [
      { label: 'Operator', text: operator },
      { label: 'From', text: from },
      { label: 'To', text: to },
      { label: 'Lists every movement', text: complete ? 'yes' : 'no' },
      { label: 'The operator’s clock may differ by', text: `${toleranceMs / 1000} s` },
      { label: 'File', text: `${bytes} bytes, SHA-256 ${sha256}` },
    ],
    read: async (db, asked, { lock }) => {
      const request = requestOf(asked, await requireStatementFormat(db, asked.operator), mac);
      const read = await withKeptFile(db, asked, async (file) =>
        readStatementFile({ ...request, file }),
      );
      const tryOut = async (client: Queryable): Promise<Imported> =>
        await importWithin(client, request, { ...read, pulled: false });
      // The time limits and the lock of an import are for all of the caller's database transaction.
      if (lock) await beginImport(db, asked.operator);
      const trial = await trialOf(async () => await onTrial(lock ? db : pool, tryOut));
      return { request, read, trial };
    },
    check: ({ read, trial }) => {
      const [problem] = read.problems;
      if (problem !== undefined) throw new PlainError(`Line ${problem.line}: ${problem.text}`);
      if (typeof trial === 'string') throw new PlainError(trial);
      if (trial.repeated) throw new PlainError('This file was imported before.');
    },
    plan: ({ request, read, trial }) => {
      if (typeof trial === 'string') throw new Error(trial);
      return { request, read, trial };
    },
    show: ({ trial }) => effectsOf(trial),
    apply: async (db, { request, read }) => {
      await importWithin(db, request, { ...read, pulled: false });
      crashPoint('statement:before-commit');
    },
    afterwards: async () => crashPoint('statement:after-commit'),
  });

function requestOf(
  { operator, from, to, complete, toleranceMs }: Content,
  format: StatementFormat,
  ledgerMac: Mac,
): Omit<StatementImport, 'onProgress'> & { readonly format: StatementFormat } {
  const period = { from: new Date(from), to: new Date(to) };
  return { ...period, ledgerMac, operator, format, complete, toleranceMs };
}

/** The reason why it cannot be done is for `check`. */
async function trialOf(work: () => Promise<Imported>): Promise<Imported | string> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PlainError) return error.message;
    throw error;
  }
}

/** More are counted, and in the sum. */
const MAX_NAMED = 50;

function effectsOf({ verdicts, ended, booked, float, ...counts }: Imported): Line[] {
  const { oursOnly, casesOpened } = counts;
  const of = (outcome: EndedPayment['outcome']) =>
    ended
      .filter((payment) => payment.outcome === outcome)
      .toSorted((one, other) => (one.reference < other.reference ? -1 : 1));
  return [
    ...endedLines('Payments that become paid', of('success')),
    ...endedLines('Payments that fail; their amounts return to the float', of('failed')),
    ...amountLine('Opening balance that is booked', booked?.openingCents ?? null),
    ...amountLine('Top-ups that are booked', booked?.topUpCents ?? 0n),
    ...amountLine('Charges that are booked', booked?.chargeCents ?? 0n),
    { label: 'Movements', text: countsText(verdicts) },
    { label: 'Payments that it does not list', text: String(oursOnly) },
    { label: 'Cases that are opened', text: String(casesOpened) },
    ...(float === null
      ? []
      : [{ label: 'Not in our books', text: formatMoney(float.unexplainedCents) }]),
  ];
}

function endedLines(label: string, payments: readonly EndedPayment[]): Line[] {
  if (payments.length === 0) return [];
  const cents = payments.reduce((sum, { amountCents }) => sum + amountCents, 0n);
  const named = payments.slice(0, MAX_NAMED).map(({ reference }) => reference);
  const more = payments.length > MAX_NAMED ? [`and ${payments.length - MAX_NAMED} more`] : [];
  const text = `${payments.length}: ${[...named, ...more].join(', ')}`;
  return [{ label, text, cents: String(cents) }];
}

function amountLine(label: string, cents: bigint | null): Line[] {
  return cents === null || cents === 0n ? [] : [{ label, cents: String(cents) }];
}

function countsText(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return parts.length === 0
    ? 'none'
    : parts.map(([name, count]) => `${name.replaceAll('_', ' ')} ${count}`).join(', ');
}

export type ProposedStatement =
  | { readonly kind: 'refused'; readonly problems: ReadStatement['problems'] }
  /** It was imported before; nothing is proposed. */
  | Imported
  | { readonly kind: 'proposed'; readonly row: ProposalRow };

/**
 * Proposes to import an operator's statement. A file that cannot be read, or was imported before, is not proposed.
 * Throws: `PlainError` if the file does not exist or the period is not over, and what `propose` throws.
 */
export async function proposeOperatorStatement(
  deps: { readonly pool: Pool; readonly ledgerMac: Mac; readonly proposals: Proposals },
  request: SuppliedStatement & { readonly by: Actor; readonly note: string },
): Promise<ProposedStatement> {
  const { pool, proposals } = deps;
  const { file, operator, complete, toleranceMs, by, note } = request;
  const { asked, read } = await readSupplied(deps, request);
  if (read.problems.length > 0) return { kind: 'refused', problems: read.problems };
  const trial = await onTrial(pool, async (client) =>
    importWithin(client, asked, { ...read, pulled: false }),
  );
  if (trial.repeated) return trial;
  const kept = await keepFile(pool, file);
  const [from, to] = [request.from.toISOString(), request.to.toISOString()];
  const period = { operator, from, to, complete, toleranceMs };
  const row = await proposals.propose({
    ...{ kind: OPERATOR_STATEMENT, content: { ...period, ...kept }, by, note },
  });
  return { kind: 'proposed', row };
}

/** A file that a person supplies, and how it is to be read. */
export interface SuppliedStatement {
  readonly file: string;
  readonly operator: string;
  readonly from: Date;
  readonly to: Date;
  readonly complete: boolean;
  readonly toleranceMs: number;
  readonly onLines?: ((lines: number) => void) | undefined;
}

/** Throws: `PlainError` if the file does not exist, or the operator's statements cannot be imported. */
export async function readSupplied(
  { pool, ledgerMac }: { readonly pool: Pool; readonly ledgerMac: Mac },
  { file, onLines, ...about }: SuppliedStatement,
): Promise<{ readonly asked: StatementImport; readonly read: ReadStatement }> {
  const format = await requireStatementFormat(pool, about.operator);
  const asked = { ...about, ledgerMac, format };
  const onProgress = ({ lines }: { readonly lines: number }): void => onLines?.(lines);
  return { asked, read: await readStatementFile({ ...asked, file, onProgress }) };
}
