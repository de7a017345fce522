import { Refusal } from '../../platform/base/errors.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { BureauFinding } from '../bureaus/bureau.ts';
import { prepareMany, recordMany } from '../enquiries/many.ts';
import type { EnquiryEnding, ManyOptions, PreparedEnquiries } from '../enquiries/many.ts';
import type { Enquiry } from '../enquiries/service.ts';
import type { RowContent, ScoreOperation, ScoreRow } from './batch.ts';
import { insertChunk } from './store.ts';
import type { BatchKey, LeasedBatch, RefusedRow } from './store.ts';

/** Makes enquiries of rows and bodies of findings: the same as for single enquiries. */
export interface RowRules {
  /** Undefined if the vendor may no longer ask. Throws: a Refusal about the row. */
  enquiryOf(
    content: RowContent,
    by: { readonly vendorId: number; readonly operation: ScoreOperation; readonly keyId: string },
  ): Enquiry | undefined;
  present(finding: BureauFinding, enquiry: Enquiry): object;
}

export interface ChunkOptions extends ManyOptions {
  readonly leaseMs: number;
}

/** Some rows of a batch. */
type Chunk = BatchKey & LeasedBatch & { readonly firstRow: number };

/** Rows whose enquiries are answered and not recorded. */
export interface PreparedChunk {
  readonly chunk: Chunk;
  readonly rows: readonly ScoreRow[];
  /** Results of rows that are no enquiries, by their index. */
  readonly refused: ReadonlyMap<number, EnquiryEnding>;
  /** The indexes of the other rows. */
  readonly asked: readonly number[];
  readonly enquiries: PreparedEnquiries;
}

/** Another process answers the batch: our lease had ended. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

/** Answers some rows, and records nothing. */
export async function prepareChunk(
  options: ChunkOptions,
  rules: RowRules,
  chunk: Chunk,
  rows: readonly ScoreRow[],
): Promise<PreparedChunk> {
  const refused = new Map<number, EnquiryEnding>();
  const asked: { readonly index: number; readonly enquiry: Enquiry }[] = [];
  for (const [index, row] of rows.entries()) {
    const read = readRow(row, (content) => rules.enquiryOf(content, chunk));
    if ('kind' in read) refused.set(index, read);
    else asked.push({ index, enquiry: read });
  }
  const enquiries = await prepareMany(
    options,
    asked.map(({ enquiry }) => enquiry),
    (finding, enquiry) => rules.present(finding, enquiry),
  );
  return { chunk, rows, refused, asked: asked.map(({ index }) => index), enquiries };
}

/** Records the rows with their enquiries in one commit. Throws: `Overtaken`. */
export async function recordChunk(
  options: ChunkOptions,
  { chunk, rows, refused, asked, enquiries }: PreparedChunk,
): Promise<void> {
  await recordMany(options, enquiries, async (client, made) => {
    const ended = made.map((ending, at) => [asked[at] ?? 0, ending] as const);
    const refusals = refusalsOf([...refused, ...ended], chunk.firstRow);
    await moveOn(client, options, chunk, { rows, refusals });
  });
}

/** Records a row that could not be answered. Throws: `Overtaken`. */
export async function refuseRow(
  options: ChunkOptions,
  batch: BatchKey & LeasedBatch,
  row: number,
  content: ScoreRow | undefined,
): Promise<void> {
  const rows = content === undefined ? [] : [content];
  const refusals: RefusedRow[] = [{ row, code: 'internal_error' }];
  await databaseTransaction(options.pool, async (client) => {
    await moveOn(client, options, { ...batch, firstRow: row }, { rows, refusals });
  });
}

async function moveOn(
  client: Queryable,
  { leaseMs }: ChunkOptions,
  chunk: Chunk,
  { rows, refusals }: { readonly rows: readonly ScoreRow[]; readonly refusals: RefusedRow[] },
): Promise<void> {
  const requestReferences = rows.map(({ requestReference }) => requestReference);
  const moved = await insertChunk(client, { ...chunk, requestReferences, refusals, leaseMs });
  if (!moved) throw new Overtaken('Another process answers this batch');
}

function readRow(
  row: ScoreRow,
  enquiryOf: (content: RowContent) => Enquiry | undefined,
): Enquiry | EnquiryEnding {
  if ('refusal' in row) return { kind: 'refused', ...row.refusal };
  try {
    return enquiryOf(row.content) ?? { kind: 'refused', code: 'vendor_suspended', field: 'vid' };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, field } = error;
    return { kind: 'refused', code, ...(field === undefined ? {} : { field }) };
  }
}

function refusalsOf(
  endings: readonly (readonly [number, EnquiryEnding])[],
  firstRow: number,
): RefusedRow[] {
  return endings.flatMap(([index, ending]) => {
    if (ending.kind === 'answered') return [];
    const { kind: _kind, ...refusal } = ending;
    return [{ row: firstRow + index, ...refusal }];
  });
}
