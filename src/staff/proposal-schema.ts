import { Type } from 'typebox';
import type { Static } from 'typebox';
import { moneyOrNull, orNull, text, textOrNull, time, timeOrNull, titled } from './fields.ts';

/** A labelled row about a proposal. */
const lineView = Type.Object({
  label: text({ title: 'What' }),
  ...titled({ text: textOrNull, amount: moneyOrNull }),
});
export type LineView = Static<typeof lineView>;
const lines = Type.Array(lineView);

export const decision = Type.Enum(['approved', 'rejected', 'withdrawn', 'expired']);

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

const state = orNull(decision, {
  title: 'State',
  text: (_: unknown, row: Decided) => stateText(row),
});

/** Who proposed something and what was decided, in the rows of what people propose. */
export const decidedColumns = {
  proposed_by: text(),
  proposed_at: time(),
  decision: state,
  decided_by: textOrNull(),
  decided_at: timeOrNull(),
};

/** What a proposal has in lists, too. */
const common = {
  /** What is proposed, in words. */
  title: text(),
  /** The changes that were made, or that would have been made at the time of the proposal. */
  shown: lines,
  proposed_by: text(),
  expires_at: timeOrNull(),
  decided_by: textOrNull(),
  decided_at: timeOrNull(),
  decision_note: textOrNull(),
  /** It took effect at once, because there was no second person. */
  decided_alone: Type.Boolean(),
  /** Whoever asks proposed it, so another person has to approve it. */
  is_own: Type.Boolean(),
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
  ...titled({ note: text, proposed_at: time }),
  decision: state,
  ...common,
  /** The changes that an approval would make now; null: it was decided, or was altered. */
  would: orNull(lines, { title: 'Approval', spread: true }),
  /** Useful facts that may change until then. */
  remarks: orNull(lines, { title: '', spread: true }),
  /** Why it cannot be approved; null: it can. */
  problem: textOrNull({ title: 'Problem', isOptional: true }),
  /** Names what was seen, for the approval. */
  seen: textOrNull({ title: 'Seen', isOptional: true }),
});
export type ProposalView = Static<typeof proposalView>;

/** What an action answers that was carried out at once, or that another person has to approve first. Null: at once. */
export const proposedInstead = {
  proposal: textOrNull({ title: 'Proposal', isOptional: true }),
  decision: orNull(Type.String()),
  would: proposalView.properties.would,
  seen: textOrNull(),
};
/** It was carried out at once. */
export const NOTHING_PROPOSED = { proposal: null, decision: null, would: null, seen: null };

/** Width of a cell in the list. */
const MAX_WHAT = 60;

const shortened = (what: string): string =>
  what.length <= MAX_WHAT ? what : `${what.slice(0, MAX_WHAT - 1)}…`;

/** A proposal of any kind as lists show it. */
export const listedProposal = Type.Object({
  ...titled({ proposal: text, proposed_at: time, kind: text }),
  vid: textOrNull({ title: 'Vendor', nullText: '' }),
  decision: state,
  /** The changes, in one line. */
  what: text({ title: 'What', text: shortened }),
  /** The vendor, or what else it is about; null: our own accounts. */
  about: textOrNull(),
  amount: moneyOrNull(),
  content: orNull(lines),
  note: text(),
  ...common,
});
export type ListedProposal = Static<typeof listedProposal>;
