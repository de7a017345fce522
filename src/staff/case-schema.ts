import { Type } from 'typebox';
import type { Static } from 'typebox';
import { CASE_KINDS } from '../payments/cases/kinds.ts';
import { moneyOrNull, text, textOrNull, time, timeOrNull, titled } from './fields.ts';

interface Named {
  readonly proposed: string | null;
  readonly proposed_by: string | null;
  readonly resolution: string | null;
  readonly resolved_by: string | null;
}

/** Names the resolution, and who proposed or approved it, in one cell. */
function stateText(state: string, row: Named): string {
  if (state === 'open') return state;
  if (state === 'proposed') return `${row.proposed}, proposed by ${row.proposed_by}`;
  return `${row.resolution}, approved by ${row.resolved_by}`;
}

export const STATES = ['open', 'proposed', 'resolved'] as const;

/** What people do about a case, and the service. */
export const CASE_ACTIONS = [
  ...(['opened', 'proposed', 'approved', 'rejected', 'withdrawn', 'expired'] as const),
] as const;

/** A case as lists show it. */
export const caseView = Type.Object({
  ...titled({ case: text, opened_at: time }),
  kind: Type.Enum([...CASE_KINDS], { title: 'Kind' }),
  vid: textOrNull({ title: 'Vendor', nullText: 'house' }),
  operator: textOrNull({ title: 'Operator' }),
  /** The payment’s `ipay_reference`. */
  reference: textOrNull({ title: 'Reference' }),
  /** What the case is about, if the facts contain it. */
  amount: moneyOrNull({ title: 'Amount' }),
  state: Type.Enum([...STATES], { title: 'State', text: stateText }),
  /** The resolution that waits for another person. */
  proposed: textOrNull(),
  proposal: textOrNull(),
  proposed_by: textOrNull(),
  proposed_at: timeOrNull(),
  resolution: textOrNull(),
  resolved_by: textOrNull(),
  resolved_at: timeOrNull(),
  /** Amounts as decimal text, under names without `_cents`. */
  facts: Type.Record(Type.String(), Type.Unknown()),
});
export type CaseView = Static<typeof caseView>;
