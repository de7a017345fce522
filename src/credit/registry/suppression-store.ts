import { isoDay } from '../../platform/base/days.ts';
import { newId } from '../../platform/base/ids.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { Sector } from '../../parties/vendor.ts';
import type { ProductType, RiskClass } from '../facts.ts';
import type { SuppressionRule } from './suppression.ts';

interface RuleRow {
  rule: string;
  reason: string;
  balanceUpToCents: bigint | null;
  originalUpToCents: bigint | null;
  products: ProductType[] | null;
  sectors: Sector[] | null;
  riskClasses: RiskClass[] | null;
  statesFrom: string | null;
  statesUntil: string | null;
}

/** All rules, by name. */
export async function readSuppressionRules(db: Queryable): Promise<SuppressionRule[]> {
  const read = await db.query<RuleRow>({
    name: 'credit_suppression_rules',
    text: `select rule, reason, balance_up_to_cents as "balanceUpToCents",
      original_up_to_cents as "originalUpToCents", products, sectors,
        risk_classes as "riskClasses", states_from::text as "statesFrom",
          states_until::text as "statesUntil"
      from suppression_rules order by rule`,
    values: [],
  });
  return read.rows.map((row) => ({
    rule: row.rule,
    reason: row.reason,
    balanceUpToCents: row.balanceUpToCents,
    originalUpToCents: row.originalUpToCents,
    products: row.products,
    sectors: row.sectors,
    riskClasses: row.riskClasses,
    statesFrom: dateOf(row.statesFrom),
    statesUntil: dateOf(row.statesUntil),
  }));
}

function dateOf(day: string | null): Date | null {
  return day === null ? null : new Date(`${day}T00:00:00Z`);
}

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

/** A change of a rule, as recorded. */
export interface SuppressionChange {
  readonly changeId: string;
  readonly rule: string;
  readonly changedAt: Date;
  readonly reason: string;
  /** The columns of `suppression_rules` from then on; null: removed. */
  readonly became: Readonly<Record<string, unknown>> | null;
}

/** A page of changes, newest first. @param page.after the page after this change. */
export async function listSuppressionChanges(
  db: Queryable,
  page: { readonly after?: string | undefined; readonly limit: number },
): Promise<SuppressionChange[]> {
  const read = await db.query<SuppressionChange>(
    `select change_id as "changeId", rule, changed_at as "changedAt", reason, became
     from suppression_changes
     where $2::uuid is null or (changed_at, change_id) <
       ((select changed_at from suppression_changes where change_id = $2), $2)
     order by changed_at desc, change_id desc limit $1`,
    [page.limit, page.after ?? null],
  );
  return read.rows;
}
