import { PlainError } from '../../platform/base/plain-error.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { CreditOperation } from '../bureaus/bureau.ts';
import { listEnquiries } from '../enquiries/read-enquiries.ts';
import type { MonthFigures } from './monitor.ts';
import { readMonths, startOfMonths } from './months.ts';
import { addOverride } from './overrides-store.ts';
import { countOverrides } from './read-overrides.ts';
import type { Override } from './read-overrides.ts';

/**
 * Records a lender’s decision against the score of an answered enquiry.
 * Throws: `PlainError` if there is no such enquiry, or it has no score.
 */
export async function recordOverride(
  db: Queryable,
  asked: Pick<Override, 'vendorId' | 'decision' | 'reason' | 'decidedBy' | 'recordedAt'> & {
    readonly requestReference: string;
    readonly operation: CreditOperation;
  },
): Promise<Override> {
  const { requestReference, operation, ...made } = asked;
  const search = { requestReference, outcomes: ['answered'] as const, limit: 10 };
  const found = await listEnquiries(db, made.vendorId, search);
  const enquiry = found.find((one) => one.operation === operation);
  if (enquiry === undefined) {
    throw new PlainError('No answered enquiry has this reference.', { field: 'reference' });
  }
  const { score, scorecard: card, sequence, enquiredAt } = enquiry;
  if (score === null || score === '' || card === null) {
    throw new PlainError('This enquiry was answered without a score.', { field: 'reference' });
  }
  const override = { ...made, sequence, enquiredAt, card, score };
  await addOverride(db, override);
  return override;
}

/** The figures of months, with the overrides of the scores that were answered in them. */
export async function readMonthsWithOverrides(
  db: Queryable,
  asked: Parameters<typeof readMonths>[1],
): Promise<(MonthFigures & { readonly overrides: number })[]> {
  const figures = await readMonths(db, asked);
  const counted = await countOverrides(db, startOfMonths(asked), asked.timeZone);
  return figures.map((of) => ({
    ...of,
    overrides: counted
      .filter(({ month, card }) => of.role === 'champion' && month === of.month && card === of.card)
      .reduce((sum, { count }) => sum + count, 0),
  }));
}
