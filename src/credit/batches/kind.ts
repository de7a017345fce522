import { createBatches } from '../../batches/batches.ts';
import type { BatchOptions } from '../../batches/batches.ts';
import type { Batch } from '../../batches/batch.ts';
import type { BatchKind } from '../../batches/kind.ts';
import type { ChunkRow } from '../../batches/read-batches.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { newId } from '../../platform/base/ids.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import type { ManyOptions } from '../enquiries/many.ts';
import { payloadOf, readKeptOfEach } from '../enquiries/read-kept.ts';
import { readAllCards } from '../governance/cards.ts';
import { contentLocation, rowAnswerOf } from './batch.ts';
import type { RowAnswer, ScoreBatches, ScoreOperation, ScoreRow } from './batch.ts';
import { prepareChunk, recordChunk } from './chunk.ts';
import type { PreparedChunk, RowRules } from './chunk.ts';

export type ScoreBatchesOptions = ManyOptions & BatchOptions & { readonly rules: RowRules };

/** Files of enquiries. */
export function createScoreBatches(options: ScoreBatchesOptions): ScoreBatches {
  return createBatches(scoreKind(options), options);
}

function scoreKind(
  options: ScoreBatchesOptions,
): BatchKind<ScoreRow, { readonly answer: RowAnswer | null }, PreparedChunk> {
  const { vault, bureau, rules } = options;
  return {
    name: 'enquiries',
    referenceField: 'batchReference',
    limits: {
      chunkRows: LIMITS.scoreChunkRows,
      open: LIMITS.scoreOpenBatches,
      underWay: LIMITS.scoreBatchesUnderWay,
    },
    isErased: true,
    newBatchId: newId,
    requireReady: () => {
      if (bureau.askMany !== undefined) return;
      throw new Refusal('scoring_unavailable', {
        text: 'Batches need the built-in credit registry; the bureau of this service answers single enquiries only',
      });
    },
    encode: (rows, batchId) => vault.seal(JSON.stringify(rows), contentLocation(batchId)),
    decode: (content, batchId) =>
      JSON.parse(vault.unseal(content, contentLocation(batchId))) as ScoreRow[],
    referenceOf: ({ requestReference }) => requestReference,
    prepare: async (chunk) => await prepareChunk(options, rules, chunk),
    record: async (prepared) => await recordChunk(options, prepared),
    acceptedOf: async (batch, chunk) => {
      const answers = await answersOf(options, batch, chunk);
      return (_row, reference) => ({ answer: answers.get(reference ?? '') ?? null });
    },
  };
}

/** The answers of a chunk's rows, by their references. */
async function answersOf(
  { pool, vault }: ScoreBatchesOptions,
  { vendorId, product }: Batch,
  { references }: ChunkRow,
): Promise<Map<string, RowAnswer>> {
  const cards = await readAllCards(pool);
  const kept = await readKeptOfEach(pool, {
    vendorId,
    operation: product as ScoreOperation,
    requestReferences: (references ?? []).filter((reference) => reference !== null),
  });
  return new Map(
    kept.flatMap((enquiry) => {
      const body = payloadOf(vault, enquiry)?.answer ?? null;
      if (body === null) return [];
      const card = cards.get(enquiry.scorecard ?? '');
      return [[enquiry.requestReference, rowAnswerOf(body, card)] as const];
    }),
  );
}
