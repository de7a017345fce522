import { formatMoney } from '../../platform/base/money.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { Block, ReportDocument } from '../../platform/documents/document.ts';
import type { BookPeriod } from '../house/store.ts';
import { firstCursor, readStatementHead, readStatementPage } from './statement.ts';
import type { StatementCursor, StatementHead, StatementLine } from './statement.ts';
import { referencesOf } from './statement-table.ts';

/** A line of a document: a payment with everything that it moved, or one other movement. */
export interface DocumentLine {
  /** Of its last movement in the period. */
  readonly at: Date;
  readonly what: string;
  readonly reference: string;
  /** Paid to the biller. */
  readonly amountCents: bigint;
  /** With taxes. */
  readonly feeCents: bigint;
  readonly changeCents: bigint;
  /** After it. */
  readonly balanceCents: bigint;
}

/** Movements in one document. */
const MAX_LINES = 20_000;
const PAGE = 500;

/** A vendor's account statement for people. Throws: `PlainError` if it is too long. */
export async function statementDocument(
  pool: Pool,
  {
    vendorId,
    vid,
    name,
  }: { readonly vendorId: number; readonly vid: string; readonly name: string },
  period: BookPeriod,
  { wireTime, madeAt }: { readonly wireTime: WireTime; readonly madeAt: Date },
): Promise<ReportDocument> {
  const of = { kind: 'vendor', vendorId, withOwnTerms: false } as const;
  const head = await readStatementHead(pool, of, period);
  if (head.count > MAX_LINES) {
    throw new PlainError(
      `The statement has ${head.count} movements, a document at most ${MAX_LINES}. Take CSV or XLSX, or a shorter period.`,
    );
  }
  const lines: StatementLine[] = [];
  for (let after: StatementCursor | null = firstCursor(head); after !== null;) {
    const page = await readStatementPage(pool, of, { after, to: head.to, limit: PAGE });
    lines.push(...page.lines);
    after = page.next;
  }
  const title = `Statement of ${name}`;
  return {
    ...{ title, language: 'en', footer: `${vid} · ${title}`, madeAt },
    blocks: blocksOf(head, byPayment(lines), { vid, wireTime }),
  };
}

/** One line for each payment, in the order of their last movements. Their changes sum to those of the movements. Pure. */
export function byPayment(lines: readonly StatementLine[]): DocumentLine[] {
  const last = new Map<string, { readonly index: number; readonly lines: StatementLine[] }>();
  for (const [index, line] of lines.entries()) {
    const isPayment = line.source.kind === 'payment';
    const key = isPayment ? line.sourceId : `${line.sourceId} ${line.leg} ${index}`;
    last.set(key, { index, lines: [...(last.get(key)?.lines ?? []), line] });
  }
  return [...last.values()]
    .toSorted((one, other) => one.index - other.index)
    .flatMap(({ lines: of }) => {
      const end = of.at(-1);
      return end === undefined ? [] : [lineOf(of, end)];
    });
}

function lineOf(of: readonly StatementLine[], end: StatementLine): DocumentLine {
  const creditedTo = (kinds: readonly string[]): bigint =>
    of
      .filter(({ debitAccount }) => debitAccount === 'reserved')
      .filter(({ creditAccount }) => kinds.includes(creditAccount.split(':')[0] ?? ''))
      .reduce((sum, { amountCents }) => sum + amountCents, 0n);
  const { reference, merchantReference } = referencesOf(end);
  const isPaid = of.some(({ movement }) => movement === 'paid');
  return {
    at: end.at,
    what: isPaid ? 'payment' : end.movement,
    reference: merchantReference ?? reference ?? '',
    amountCents: end.source.kind === 'payment' ? creditedTo(['operator']) : 0n,
    feeCents: creditedTo(['fees', 'vat', 'excise']),
    changeCents: of.reduce((sum, { changeCents }) => sum + changeCents, 0n),
    balanceCents: end.balanceCents,
  };
}

/** An amount; nothing instead of 0. */
const amount = (cents: bigint): string => (cents === 0n ? '' : formatMoney(cents));

function blocksOf(
  head: StatementHead,
  lines: readonly DocumentLine[],
  { vid, wireTime }: { readonly vid: string; readonly wireTime: WireTime },
): Block[] {
  const right = { width: 2, align: 'right' } as const;
  const facts: (readonly [string, string])[] = [
    ['Vendor', vid],
    ['From', wireTime.format(head.from)],
    ['Until', wireTime.format(head.to)],
    ['Currency', 'KES'],
    ['Balance before', formatMoney(head.openingCents)],
    ['Balance at the end', formatMoney(head.closingCents)],
    ['Of it in the float', formatMoney(head.closingFloatCents)],
  ];
  const early = 'The period has not ended: something may still be added.';
  return [
    { kind: 'facts', rows: facts },
    ...(head.endsEarly ? [{ kind: 'note', text: early } as const] : []),
    { kind: 'heading', text: 'By kind' },
    {
      kind: 'table',
      columns: [
        { title: 'Movement', width: 4 },
        { title: 'Number', ...right },
        { title: 'Change', ...right },
      ],
      rows: head.movements.map(({ movement, count, changeCents }) => [
        ...[movement, String(count), formatMoney(changeCents)],
      ]),
      empty: 'Nothing moved.',
    },
    { kind: 'heading', text: 'Payments and other movements' },
    {
      kind: 'table',
      columns: [
        { title: 'Time', width: 3 },
        { title: 'What', width: 2 },
        { title: 'Reference', width: 4 },
        { title: 'Paid', ...right },
        { title: 'Fee with taxes', ...right },
        { title: 'Change', ...right },
        { title: 'Balance', ...right },
      ],
      rows: lines.map((line) => [
        ...[wireTime.format(line.at), line.what, line.reference, amount(line.amountCents)],
        ...[amount(line.feeCents), formatMoney(line.changeCents), formatMoney(line.balanceCents)],
      ]),
      empty: 'Nothing moved.',
    },
  ];
}
