import { readVids } from '../../parties/read-vendors.ts';
import { encodeReference } from '../../parties/reference.ts';
import type { ReadPart } from '../../platform/base/long-reads.ts';
import { inTurns } from '../../platform/base/turns.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { FILE_PAGE_ROWS, SLICE_ROWS } from '../../platform/export/rows.ts';
import type { Cell, ExportTable } from '../../platform/export/rows.ts';
import type { BookPeriod } from '../house/store.ts';
import type { StatementOf } from './statement-accounts.ts';
import { firstCursor, readStatementHead, readStatementPage } from './statement.ts';
import type { StatementCursor, StatementHead, StatementLine } from './statement.ts';

/** References in a line of a statement. Null: it has none. */
export interface LineReferences {
  /** Ours: of the payment, collection, fund movement or payout. */
  readonly reference: string | null;
  /** The vendor's. */
  readonly merchantReference: string | null;
  readonly collector: string | null;
  readonly collectorReference: string | null;
  readonly operator: string | null;
  readonly operatorReference: string | null;
  /** The bank's transfer of a payout. */
  readonly bankReference: string | null;
  /** A correction's case, which two people decided. */
  readonly caseId: string | null;
}

const NONE: LineReferences = {
  reference: null,
  merchantReference: null,
  collector: null,
  collectorReference: null,
  operator: null,
  operatorReference: null,
  bankReference: null,
  caseId: null,
};

/** Pure. */
export function referencesOf(
  line: Pick<StatementLine, 'vendorId' | 'sourceId' | 'source'>,
): LineReferences {
  const { source, vendorId, sourceId } = line;
  const reference = vendorId === null ? null : encodeReference(vendorId, sourceId);
  switch (source.kind) {
    case 'payment': {
      const { merchantReference, operator, operatorReference } = source;
      return { ...NONE, reference, merchantReference, operator, operatorReference };
    }
    case 'collection': {
      const { collector, reference: collectorReference } = source;
      return { ...NONE, reference, collector, collectorReference };
    }
    case 'correction':
      return { ...NONE, reference: source.reference, caseId: source.caseId };
    case 'statement':
      return { ...NONE, operatorReference: source.reference };
    case 'journal':
    case 'receipt':
    case 'entry':
      return { ...NONE, reference: source.reference };
    case 'funding':
      return { ...NONE, reference };
    case 'payout':
      return { ...NONE, reference, bankReference: source.bankReference };
  }
}

/**
 * A statement as a table: its lines between a row for the opening and one for the closing balance.
 * @param read runs the reading of the head, and of each page.
 */
export async function statementTable(
  pool: Pool,
  of: StatementOf,
  period: BookPeriod,
  read: ReadPart = async (work) => await work(),
): Promise<{ readonly head: StatementHead; readonly table: ExportTable }> {
  const head = await read(async () => await readStatementHead(pool, of, period));
  return {
    head,
    table: {
      titles: columnsOf(of).map(([title]) => title),
      rows: rowsOf(pool, of, { head, read }),
    },
  };
}

type Column = readonly [
  title: string,
  cell: (line: StatementLine, named: LineReferences, vid: string | null) => Cell,
  only?: StatementOf['kind'],
];

const COLUMNS: readonly Column[] = [
  ['time', ({ at }) => at],
  ['vendor', (_line, _named, vid) => vid, 'operator'],
  ['movement', ({ movement }) => movement],
  ['reference', (_line, named) => named.reference],
  ['merchant_reference', (_line, named) => named.merchantReference],
  ['collector', (_line, named) => named.collector],
  ['collector_reference', (_line, named) => named.collectorReference],
  ['operator', (_line, named) => named.operator],
  ['operator_reference', (_line, named) => named.operatorReference],
  ['bank_reference', (_line, named) => named.bankReference],
  ['case', (_line, named) => named.caseId],
  ['debit_account', ({ debitAccount }) => debitAccount],
  ['credit_account', ({ creditAccount }) => creditAccount],
  ['amount', ({ amountCents }) => amountCents],
  ['change', ({ changeCents }) => changeCents],
  ['balance', ({ balanceCents }) => balanceCents],
  ['float', ({ floatCents }) => floatCents, 'vendor'],
];

function columnsOf({ kind }: StatementOf): readonly Column[] {
  return COLUMNS.filter(([, , only]) => only === undefined || only === kind);
}

async function* rowsOf(
  pool: Pool,
  of: StatementOf,
  { head, read }: { readonly head: StatementHead; readonly read: ReadPart },
): AsyncGenerator<readonly (readonly Cell[])[]> {
  const vids = of.kind === 'operator' ? await readVids(pool) : new Map<number, string>();
  const { to } = head;
  const columns = columnsOf(of);
  let at = firstCursor(head);
  yield [balanceRow(of, 'opening', head.from, at)];
  for (let after: StatementCursor | null = at; after !== null;) {
    const wanted: Wanted = { after, to, limit: FILE_PAGE_ROWS };
    const page = await read(async () => await readStatementPage(pool, of, wanted));
    for await (const lines of inTurns(page.lines, SLICE_ROWS)) {
      yield lines.map((line) => {
        const named = referencesOf(line);
        const vid = vids.get(line.vendorId ?? 0) ?? null;
        return columns.map(([, cellOf]) => cellOf(line, named, vid));
      });
    }
    const { balanceCents, floatCents } = page.lines.at(-1) ?? at;
    at = { ...at, balanceCents, floatCents };
    after = page.next;
  }
  yield [balanceRow(of, 'closing', to, at)];
}

type Wanted = Parameters<typeof readStatementPage>[2];
type Sums = Pick<StatementLine, 'balanceCents' | 'floatCents'>;

function balanceRow(of: StatementOf, movement: string, at: Date, sums: Sums): Cell[] {
  return columnsOf(of).map(([title]): Cell => {
    if (title === 'time') return at;
    if (title === 'movement') return movement;
    if (title === 'balance') return sums.balanceCents;
    return title === 'float' ? sums.floatCents : null;
  });
}
