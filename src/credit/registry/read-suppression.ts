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
