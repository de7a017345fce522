import { findVendor } from '../../parties/read-vendors.ts';
import { findCollector, scopeOf } from '../../parties/read-collectors.ts';
import { isInScope } from '../../parties/vendor.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { mayActAlone } from '../../proposals/actors.ts';
import type { Actor } from '../../proposals/kind.ts';
import type { Proposals } from '../../proposals/proposals.ts';
import type { ProposalRow } from '../../proposals/proposal.ts';
import { movementBefore } from '../collections/collect.ts';
import type { CollectedIncome, Movement } from '../collections/collect.ts';
import { findCollection } from '../collections/store.ts';
import { proposeCollection } from './collection.ts';

/** Income that a person reports in a collector's name. */
export interface IncomeByHand {
  readonly collector: string;
  readonly vid: string;
  /** The collector's own. */
  readonly reference: string;
  readonly amountCents: bigint;
  /** Default: now; of a repeat, the time of the first report. */
  readonly paidAt: Date | undefined;
}

export interface ReportedByHand {
  readonly vendorId: number;
  /** Undefined: another person has to approve it first. */
  readonly movement: Movement | undefined;
  /** Undefined: it was reported before. */
  readonly row: ProposalRow | undefined;
}

/**
 * Collects income once per collector and reference: at once where there is no second person, otherwise it is proposed.
 * Throws: `unknown_vendor`, `vendor_suspended`, `collector_not_allowed`, `reference_reused`, `invalid_field`,
 * `PlainError`.
 */
export async function reportIncome(
  pool: Pool,
  proposals: Proposals,
  asked: IncomeByHand & { readonly by: Actor; readonly note: string | undefined },
): Promise<ReportedByHand> {
  const { vid, by, note, collector, reference } = asked;
  const income = await incomeOf(pool, asked);
  const { vendorId } = income;
  const before = await findCollection(pool, collector, reference);
  if (before !== undefined) {
    return { vendorId, movement: movementBefore(before, income), row: undefined };
  }
  if (note === undefined && !(await mayActAlone(pool))) {
    const text = 'Say why, and where it can be looked up, for the person who approves it.';
    throw new PlainError(text, { field: 'reason' });
  }
  const row = await proposeUnlessMade(pool, async () =>
    proposeCollection(proposals, { income, vid, by, note: note ?? 'no reason given' }),
  );
  const made = await findCollection(pool, collector, reference);
  if (made === undefined) return { vendorId, movement: undefined, row };
  return { vendorId, movement: { ...movementBefore(made, income), fresh: row !== undefined }, row };

  /** Undefined: the same report, at the same time, was quicker. */
  async function proposeUnlessMade(
    db: Queryable,
    propose: () => Promise<ProposalRow>,
  ): Promise<ProposalRow | undefined> {
    try {
      return await propose();
    } catch (error) {
      if ((await findCollection(db, collector, reference)) === undefined) throw error;
      return undefined;
    }
  }
}

/** Throws: what stands against it that nobody can approve. */
async function incomeOf(
  db: Queryable,
  { collector, vid, reference, amountCents, paidAt: given }: IncomeByHand,
): Promise<CollectedIncome> {
  const signer = await findCollector(db, collector);
  if (signer === undefined) {
    const text = `There is no collector ${collector}`;
    throw new Refusal('invalid_field', { field: 'collector', text });
  }
  if (signer.status === 'suspended') {
    const text = 'This collector is suspended';
    throw new Refusal('vendor_suspended', { field: 'collector', text });
  }
  if (!isInScope(scopeOf(signer), vid))
    throw new Refusal('collector_not_allowed', { field: 'vid' });
  const vendor = await findVendor(db, vid);
  if (vendor === undefined) throw new Refusal('unknown_vendor', { field: 'vid' });
  // Without a time, a repeat means the same collection, not another one.
  const paidAt = given ?? (await findCollection(db, collector, reference))?.paidAt ?? new Date();
  return { collector, reference, vendorId: vendor.vendorId, amountCents, paidAt };
}
