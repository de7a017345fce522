import type { Queryable } from '../../platform/db/pool.ts';
import type { TopUpKind, TopUpRule } from './rule.ts';
import { RULES } from './read-rules.ts';
import type { RuleRow, TopUpRow } from './read-rules.ts';

/** The rule, locked until the caller's database transaction ends; undefined: it was ended. */
export async function lockRule(db: Queryable, ruleId: string): Promise<RuleRow | undefined> {
  const locked = await db.query<RuleRow>(
    `${RULES} where rule_id = $1 and ended_at is null for update`,
    [ruleId],
  );
  return locked.rows[0];
}

export async function insertRule(
  db: Queryable,
  rule: {
    readonly ruleId: string;
    readonly vendorId: number;
    readonly by: string;
    readonly terms: TopUpRule;
  },
): Promise<void> {
  const { terms } = rule;
  const push = terms.kind === 'push' ? terms : undefined;
  await db.query(
    `insert into top_up_rules (rule_id, vendor_id, kind, threshold_cents, target_cents, maximum_cents,
       daily_cents, pause_seconds, source_code, phone, set_by, set_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, now())`,
    [
      rule.ruleId,
      rule.vendorId,
      terms.kind,
      terms.thresholdCents,
      push?.targetCents ?? null,
      push?.maximumCents ?? null,
      push?.dailyCents ?? null,
      terms.pauseSeconds,
      push?.sourceCode ?? null,
      push?.phone ?? null,
      rule.by,
    ],
  );
}

/** Returns false if the vendor has no active rule of this kind. */
export async function endRule(
  db: Queryable,
  rule: { readonly vendorId: number; readonly kind: TopUpKind; readonly by: string },
): Promise<boolean> {
  const ended = await db.query(
    `update top_up_rules set ended_at = now(), ended_by = $3
     where vendor_id = $1 and kind = $2 and ended_at is null`,
    [rule.vendorId, rule.kind, rule.by],
  );
  return ended.rowCount === 1;
}

export async function insertTopUp(
  db: Queryable,
  row: Pick<TopUpRow, 'topUpId' | 'ruleId' | 'amountCents' | 'floatCents'> & {
    readonly vendorId: number;
  },
): Promise<void> {
  await db.query(
    `insert into top_ups (top_up_id, rule_id, vendor_id, at, amount_cents, float_cents, state)
     values ($1, $2, $3, now(), $4, $5, 'started')`,
    [row.topUpId, row.ruleId, row.vendorId, row.amountCents, row.floatCents],
  );
}

export async function setTopUpState(
  db: Queryable,
  topUpId: string,
  to: Pick<TopUpRow, 'state' | 'reason' | 'amountCents'>,
): Promise<void> {
  await db.query(
    'update top_ups set state = $2, reason = $3, amount_cents = $4 where top_up_id = $1',
    [topUpId, to.state, to.reason, to.amountCents],
  );
}
