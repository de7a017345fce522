import { Type } from 'typebox';
import type { Static } from 'typebox';
import { SCORE_KINDS } from './credit-fields.ts';
import { keptMonth } from './credit-monitor.ts';
import { orNull, text } from './fields.ts';

/** A scorecard as people see it. */

const measure = (title?: string) =>
  orNull(Type.Number(), {
    ...(title !== undefined && { title }),
    text: (value: number | null) => (value === null ? '–' : value.toFixed(3)),
  });

const listed = Type.Object({
  /** As `id@version`. */
  card: text({ title: 'Card' }),
  kind: Type.Enum([...SCORE_KINDS], { title: 'Kind' }),
  role: orNull(Type.Enum(['champion', 'challenger']), { title: 'Role' }),
  version: Type.Integer(),
  // On people whom it was not made from; null: the card does not say.
  auc: measure('AUC'),
  gini: measure('Gini'),
  ks: measure('KS'),
  /** On people of later months. */
  out_of_time_auc: measure(),
  samples: orNull(Type.Integer()),
  /** Where its training data is from. */
  origin: text({ title: 'Origin' }),
});
export type ListedScorecard = Static<typeof listed>;

export const cards = Type.Object({ cards: Type.Array(listed) });
export type ScorecardList = Static<typeof cards>;

export const detail = Type.Object({
  ...listed.properties,
  about: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()])),
  base_points: Type.Integer({ title: 'Points of everybody' }),
  characteristics: Type.Array(
    Type.Object({
      name: text(),
      meaning: text({ title: 'What it looks at' }),
      reason: text({ title: 'Reason' }),
      /** Ascending; the last one has no end. */
      bins: Type.Array(
        Type.Object({ below: Type.Optional(Type.Number()), points: Type.Integer() }),
      ),
      /** Points if it never happened; null: that cannot be. */
      never: orNull(Type.Integer()),
    }),
    { title: 'Points' },
  ),
  /** Null: the card does not say how its test went. */
  plots: orNull(
    Type.Object({
      samples: Type.Number(),
      bads: Type.Number(),
      roc: Type.Array(Type.Object({ goods: Type.Number(), bads: Type.Number() })),
      ks: Type.Object({ value: Type.Number(), below: Type.Number() }),
      bands: Type.Array(
        Type.Object({
          ...{ from: Type.Number(), goods: Type.Number(), bads: Type.Number() },
          ...{ predicted: Type.Number(), observed: Type.Number() },
        }),
      ),
    }),
  ),
  /** Of all cards of the same kind, newest first. */
  months: Type.Array(keptMonth, { title: 'Months' }),
});
export type ScorecardDetail = Static<typeof detail>;
