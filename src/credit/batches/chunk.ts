import type { RowRefusal } from '../../batches/batch.ts';
import type { Chunk } from '../../batches/kind.ts';
import { insertChunk } from '../../batches/store.ts';
import { ERRORS, Refusal } from '../../platform/base/errors.ts';
import type { BureauFinding } from '../bureaus/bureau.ts';
import { prepareMany, recordMany } from '../enquiries/many.ts';
import type { EnquiryEnding, ManyOptions, PreparedEnquiries } from '../enquiries/many.ts';
import type { Enquiry } from '../enquiries/service.ts';
import type { RowContent, ScoreOperation, ScoreRow } from './batch.ts';

/** Makes enquiries of rows and bodies of findings: the same as for single enquiries. */
export interface RowRules {
  /** Undefined if the vendor may no longer ask. Throws: a Refusal about the row. */
  enquiryOf(
    content: RowContent,
    by: { readonly vendorId: number; readonly operation: ScoreOperation; readonly keyId: string },
  ): Enquiry | undefined;
  present(finding: BureauFinding, enquiry: Enquiry): object;
}

/** Rows whose enquiries are answered and not recorded. */
export interface PreparedChunk {
  readonly chunk: Chunk<ScoreRow>;
  /** Results of rows that are no enquiries, by their index. */
  readonly refused: ReadonlyMap<number, EnquiryEnding>;
  /** The indexes of the other rows. */
  readonly asked: readonly number[];
  readonly enquiries: PreparedEnquiries;
}

/** Answers some rows, and records nothing. */
export async function prepareChunk(
  options: ManyOptions,
  rules: RowRules,
  chunk: Chunk<ScoreRow>,
): Promise<PreparedChunk> {
  const { vendorId, product, keyId } = chunk;
  const by = { vendorId, operation: product as ScoreOperation, keyId: keyId ?? '' };
  const refused = new Map<number, EnquiryEnding>();
  const asked: { readonly index: number; readonly enquiry: Enquiry }[] = [];
  for (const [index, row] of chunk.rows.entries()) {
    const read = readRow(row, (content) => rules.enquiryOf(content, by));
    if ('kind' in read) refused.set(index, read);
    else asked.push({ index, enquiry: read });
  }
  const enquiries = await prepareMany(
    options,
    asked.map(({ enquiry }) => enquiry),
    (finding, enquiry) => rules.present(finding, enquiry),
  );
  return { chunk, refused, asked: asked.map(({ index }) => index), enquiries };
}

/** Records the rows with their enquiries in one commit. Throws: `NotNext`. */
export async function recordChunk(
  options: ManyOptions,
  { chunk, refused, asked, enquiries }: PreparedChunk,
): Promise<void> {
  await recordMany(options, enquiries, async (client, made) => {
    const ended = made.map((ending, at) => [asked[at] ?? 0, ending] as const);
    const exceptions = [...refused, ...ended].flatMap(([index, ending]) => {
      if (ending.kind === 'answered') return [];
      const { kind: _, ...refusal } = ending;
      return [{ row: chunk.firstRow + index, text: ERRORS[ending.code].text, ...refusal }];
    });
    await insertChunk(client, { ...chunk, exceptions });
  });
}

function readRow(
  row: ScoreRow,
  enquiryOf: (content: RowContent) => Enquiry | undefined,
): Enquiry | EnquiryEnding {
  if ('refusal' in row) return refusedBy(row.refusal);
  try {
    return enquiryOf(row.content) ?? { kind: 'refused', code: 'vendor_suspended', field: 'vid' };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return refusedBy(error);
  }
}

/** Without the text, which may repeat what the row has about a person. */
function refusedBy({
  code,
  field,
}: Pick<RowRefusal, 'code'> & { field?: string | undefined }): EnquiryEnding {
  return { kind: 'refused', code, ...(field === undefined ? {} : { field }) };
}
