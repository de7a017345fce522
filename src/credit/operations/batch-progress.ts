import { createHash } from 'node:crypto';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { Authenticators } from '../../parties/http/authenticate.ts';
import type { Batch } from '../../batches/batch.ts';
import type { ResultsDeps } from '../../batches/http.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { parameter } from '../../platform/http/parameter.ts';
import { wireTimeText } from '../../platform/http/schemas.ts';
import type { ScoreBatches } from '../batches/batch.ts';

export interface BatchDeps extends Pick<Authenticators, 'byVendor'>, ResultsDeps {
  /** Undefined when the credit registry is not configured. */
  readonly scoreBatches: ScoreBatches | undefined;
  readonly wireTime: WireTime;
}

/** Throws: `scoring_unavailable`. */
export function requireBatches({ scoreBatches }: BatchDeps): ScoreBatches {
  if (scoreBatches === undefined) throw new Refusal('scoring_unavailable');
  return scoreBatches;
}

export const batchReference = parameter(
  /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/,
  '1 to 64 letters, digits, dots, hyphens and underscores',
  'Your own unique reference of the file. The same reference with the same file is the same batch.',
  { examples: ['portfolio-2026-11'] },
);

export const progressSchema = Type.Object({
  status: Type.Integer({
    description: '1: the batch was accepted. Its rows may still be refused.',
  }),
  text: Type.String({ examples: ['Batch queued and pending processing'] }),
  batchReference: Type.String(),
  batchId: Type.String({ description: 'Our own id; quote it when you ask for help.' }),
  batchStatus: Type.String({
    description: '`PROCESSING` while rows are waiting, then `DONE`.',
    examples: ['DONE'],
  }),
  product: Type.String({ examples: ['generic-score'] }),
  sha256: Type.String({ description: 'SHA-256 of the file.' }),
  rows: Type.Integer({ description: 'Rows in the file.' }),
  answered: Type.Integer({ description: 'Rows answered so far.' }),
  refused: Type.Integer({ description: 'Rows refused so far.' }),
  postedTime: wireTimeText('When the batch was saved.'),
});

/** Two rows of CSV; the document in the second row is not on file. */
export const EXAMPLE_FILE = `requestReference,name1,name2,nationalID
NOV0001,Amani,Wanjiru,900000001
NOV0002,Amani,Nobody,999999999
`;

export const EXAMPLE_BATCH = {
  status: 1,
  text: 'Batch processed',
  batchReference: 'portfolio-2026-11',
  batchId: '019aa5b1-7c00-7d2e-9c3f-5a1b2c3d4e5f',
  batchStatus: 'DONE',
  product: 'generic-score',
  sha256: createHash('sha256').update(EXAMPLE_FILE).digest('hex'),
  rows: 2,
  answered: 1,
  refused: 1,
  postedTime: '2026-11-21 09:20:00',
};

/** A batch as answers show it. */
export function progressOf(progress: Batch, wireTime: WireTime): Static<typeof progressSchema> {
  const isDone = progress.endedAt !== null;
  return {
    status: 1,
    text: isDone ? 'Batch processed' : 'Batch queued and pending processing',
    batchReference: progress.batchReference,
    batchId: progress.batchId,
    batchStatus: isDone ? 'DONE' : 'PROCESSING',
    product: progress.product ?? '',
    sha256: progress.fileSha256.toString('hex'),
    rows: progress.rowCount,
    answered: progress.acceptedCount,
    refused: progress.refusedCount,
    postedTime: wireTime.format(progress.createdAt),
  };
}
