import { isoDay } from '../../platform/base/days.ts';
import { newId } from '../../platform/base/ids.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { SuppressionRule } from './suppression.ts';

/**
 * Puts a rule into force at once, replacing one with the same name; the same statement records the
 * change.
 */
export async function putSuppressionRule(
  db: Queryable,
  rule: SuppressionRule,
  change: { readonly reason: string; readonly at: Date },
): Promise<void> {
  await db.query(
    `with put as (
       insert into suppression_rules (rule, reason, balance_up_to_cents, original_up_to_cents,
         products, sectors, risk_classes, states_from, states_until)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
       on conflict (rule) do update set reason = excluded.reason,
         balance_up_to_cents = excluded.balance_up_to_cents,
         original_up_to_cents = excluded.original_up_to_cents, products = excluded.products,
         sectors = excluded.sectors, risk_classes = excluded.risk_classes,
         states_from = excluded.states_from, states_until = excluded.states_until
       returning *)
     insert into suppression_changes (change_id, rule, changed_at, reason, became)
     select $10, rule, $11, $12, to_jsonb(put) from put`,
    [
      rule.rule,
      rule.reason,
      rule.balanceUpToCents,
      rule.originalUpToCents,
      rule.products,
      rule.sectors,
      rule.riskClasses,
      rule.statesFrom && isoDay(rule.statesFrom),
      rule.statesUntil && isoDay(rule.statesUntil),
      newId(),
      change.at,
      change.reason,
    ],
  );
}

/** Removes a rule and records that. Returns false if no rule has this name. */
export async function removeSuppressionRule(
  db: Queryable,
  removed: { readonly rule: string; readonly reason: string; readonly at: Date },
): Promise<boolean> {
  const done = await db.query(
    `with gone as (delete from suppression_rules where rule = $1 returning rule)
     insert into suppression_changes (change_id, rule, changed_at, reason, became)
     select $2, rule, $3, $4, null from gone`,
    [removed.rule, newId(), removed.at, removed.reason],
  );
  return done.rowCount === 1;
}
