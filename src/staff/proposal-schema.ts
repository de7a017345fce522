import { Type } from 'typebox';
import type { Static } from 'typebox';
import { moneyOrNull, orNull, text, textOrNull, time, timeOrNull } from './fields.ts';

/** A labelled row about a proposal. */
const lineView = Type.Object({
  label: text({ title: 'What' }),
  text: textOrNull({ title: 'Text' }),
  amount: moneyOrNull({ title: 'Amount' }),
});
export type LineView = Static<typeof lineView>;
const lines = Type.Array(lineView);

const decision = Type.Enum(['approved', 'rejected', 'withdrawn', 'expired']);

interface Decided {
  readonly proposed_by: string;
  readonly decision: string | null;
  readonly decided_by: string | null;
  readonly decided_alone?: boolean;
}

/** Names the proposer and the decision in one cell. */
export function stateText({
  proposed_by: by,
  decision: decided,
  decided_by: decider,
  decided_alone: isAlone,
}: Decided): string {
  if (decided === null) return `proposed by ${by}`;
  if (isAlone === true) return `in force at once, by ${by} alone`;
  return `proposed by ${by}, ${decided} by ${decider}`;
}

/** Who proposed something and what was decided, in the rows of what people propose. */
export const decidedColumns = {
  proposed_by: text(),
  proposed_at: time(),
  decision: orNull(decision, {
    title: 'State',
    text: (_: unknown, row: Decided) => stateText(row),
  }),
  decided_by: textOrNull(),
  decided_at: timeOrNull(),
};

/** A proposal of any kind, with what an approval would do now. */
export const proposalView = Type.Object({
  proposal: text({ title: 'Proposal' }),
  /** Such as `payout`. */
  kind: text({ title: 'Kind' }),
  /** The vendor that it concerns. */
  vid: textOrNull({ title: 'Vendor', isOptional: true }),
  /** Null: it was changed in the database, so nothing of it can be believed; it can be rejected. */
  content: orNull(lines, {
    title: '',
    spread: true,
    nullText: 'it was changed in the database: reject it',
  }),
  /** The changes that were made, or that would have been made at the time of the proposal. */
  shown: lines,
  note: text({ title: 'Note' }),
  proposed_by: text(),
  proposed_at: time({ title: 'Proposed' }),
  expires_at: timeOrNull(),
  decision: orNull(decision, {
    title: 'State',
    text: (_: unknown, row: Decided) => stateText(row),
  }),
  decided_by: textOrNull(),
  decided_at: timeOrNull(),
  decision_note: textOrNull(),
  /** It took effect at once, because there was no second person. */
  decided_alone: Type.Boolean(),
  /** Whoever asks proposed it, so another person has to approve it. */
  is_own: Type.Boolean(),
  /** The changes that an approval would make now; null: it was decided, was altered, or is only listed. */
  would: orNull(lines, { title: 'Approval', spread: true }),
  /** Useful facts that may change until then. */
  remarks: orNull(lines, { title: '', spread: true }),
  /** Why it cannot be approved; null: it can. */
  problem: textOrNull({ title: 'Problem', isOptional: true }),
  /** Names what was seen, for the approval. */
  seen: textOrNull({ title: 'Seen', isOptional: true }),
});
export type ProposalView = Static<typeof proposalView>;
