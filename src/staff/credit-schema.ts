import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { Content } from '../credit/decisions/content.ts';
import { DOCUMENT_TYPES } from '../credit/registry/documents.ts';
import * as fields from './fields.ts';
import { orNull, text, textOrNull, time, titled } from './fields.ts';
import { decision } from './proposal-schema.ts';
import type { RuleView } from './credit-rules.ts';
import type { OnWire } from './wire.ts';

/** What people who decide learn about people on file. */

/** What a lender would get about a person today. */
const standing = Type.Object({
  ...titled({ accounts: fields.count, in_default: fields.count, disputed: fields.count }),
  /** Empty: none. */
  ...titled({ score: text, grade: text }),
});
export type StandingView = Static<typeof standing>;

/** Enough of a person to compare with another one. */
export const person = Type.Object({
  ...titled({ crn: text, name: text }),
  other_names: Type.Array(text()),
  date_of_birth: text({ title: 'Born' }),
  documents: Type.Array(
    Type.Object({
      type: Type.Enum([...DOCUMENT_TYPES]),
      /** The last three characters. */
      ending: text(),
      /** The other person has the same one. */
      is_shared: Type.Boolean(),
    }),
  ),
  standing,
});
export type PersonView = Static<typeof person>;

/** Two people apart, and as one person. */
export const mergePreview = Type.Object({
  from: Type.Object(person.properties, { title: 'Given up' }),
  into: Type.Object(person.properties, { title: 'Stays' }),
  together: Type.Object(standing.properties, { title: 'As one person' }),
});

/** An account, and what lenders learn about its person before and after a decision. */
const account = {
  ...titled({ crn: text, account: text, lender: text, product: text, balance: fields.money }),
  ...titled({ overdue: fields.money, days_in_arrears: Type.Integer }),
  before: Type.Object(standing.properties, { title: 'Before' }),
  after: Type.Object(standing.properties, { title: 'After' }),
};
export const accountPreview = Type.Object(account);
export type AccountPreview = Static<typeof accountPreview>;
export const disputePreview = Type.Object({
  ...account,
  ...titled({ opened_at: time, statement: text }),
});
export type DisputePreview = Static<typeof disputePreview>;

/** A proposal in a list. */
export const listedCreditProposal = Type.Object({
  ...titled({ proposal: text, proposed_at: time }),
  /** `altered`: it was changed in the database, and nothing of it can be believed. */
  what: text({ title: 'What' }),
  decision: orNull(decision, { title: 'State', nullText: 'waits' }),
  proposed_by: text({ title: 'Proposed by' }),
  /** Null: it is about people, and whoever asks may not see reports. */
  reason: textOrNull({ title: 'Reason' }),
});
export type ListedCreditProposal = Omit<Static<typeof listedCreditProposal>, 'what'> & {
  readonly what: Content['kind'] | 'altered';
};

/** What is proposed. */
export type CreditContent =
  | OnWire<Exclude<Content, { kind: 'suppression' | 'suppression_end' }>>
  | { readonly kind: 'suppression'; readonly rule: RuleView; readonly former: RuleView | null }
  | { readonly kind: 'suppression_end'; readonly former: RuleView };

export const creditContent = orNull(Type.Record(Type.String(), Type.Unknown()));
