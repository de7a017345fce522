import type { Queryable } from '../../platform/db/pool.ts';
import type { TopUpFacts, TopUpKind, TopUpRule } from './rule.ts';

export interface RuleRow {
  ruleId: string;
  vendorId: number;
  kind: TopUpKind;
  thresholdCents: bigint;
  targetCents: bigint | null;
  maximumCents: bigint | null;
  dailyCents: bigint | null;
  pauseSeconds: number;
  sourceCode: string | null;
  phone: string | null;
  setBy: string;
  setAt: Date;
  endedBy: string | null;
  endedAt: Date | null;
}

export const RULES = `select rule_id as "ruleId", vendor_id as "vendorId", kind,
    threshold_cents as "thresholdCents", target_cents as "targetCents",
    maximum_cents as "maximumCents", daily_cents as "dailyCents",
    pause_seconds as "pauseSeconds", source_code as "sourceCode", phone, set_by as "setBy",
    set_at as "setAt", ended_by as "endedBy", ended_at as "endedAt"
  from top_up_rules`;

/** The active rules of all vendors; funding comes before asking for money. */
export async function listActiveRules(db: Queryable): Promise<RuleRow[]> {
  return (await db.query<RuleRow>(`${RULES} where ended_at is null order by vendor_id, kind`)).rows;
}

/** Newest first, with those that were ended. */
export async function listRulesOf(db: Queryable, vendorId: number): Promise<RuleRow[]> {
  const listed = await db.query<RuleRow>(
    `${RULES} where vendor_id = $1 order by set_at desc, rule_id desc limit 50`,
    [vendorId],
  );
  return listed.rows;
}

/** The terms of a rule. */
export function termsOf(row: RuleRow): TopUpRule {
  const { kind, thresholdCents, pauseSeconds } = row;
  if (kind === 'fund') return { kind, thresholdCents, pauseSeconds };
  const { targetCents, maximumCents, dailyCents, sourceCode, phone } = row;
  if (targetCents === null || maximumCents === null || dailyCents === null) {
    throw new Error(`rule ${row.ruleId} has no limits`);
  }
  if (sourceCode === null || phone === null) throw new Error(`rule ${row.ruleId} has no phone`);
  const limits = { targetCents, maximumCents, dailyCents };
  return { kind, thresholdCents, pauseSeconds, ...limits, sourceCode, phone };
}

/**
 * Reads earlier top-ups by the vendor's rules of this kind, by the database's clock: ending a rule and
 * setting it again resets no limit.
 */
export async function readHistory(
  db: Queryable,
  of: { readonly vendorId: number; readonly kind: TopUpKind; readonly dayStart: Date },
): Promise<Pick<TopUpFacts, 'now' | 'lastAt' | 'todayCents'>> {
  const read = await db.query<Pick<TopUpFacts, 'now' | 'lastAt' | 'todayCents'>>(
    `select now() as now, max(t.at) as "lastAt",
       coalesce(sum(t.amount_cents) filter (where t.at >= $3 and t.state <> 'refused'), 0)::bigint
         as "todayCents"
     from top_ups t join top_up_rules r using (rule_id) where t.vendor_id = $1 and r.kind = $2`,
    [of.vendorId, of.kind, of.dayStart],
  );
  return read.rows[0] ?? { now: new Date(), lastAt: null, todayCents: 0n };
}

export interface TopUpRow {
  topUpId: string;
  ruleId: string;
  kind: TopUpKind;
  setBy: string;
  at: Date;
  amountCents: bigint;
  floatCents: bigint;
  state: 'started' | 'funded' | 'sent' | 'refused' | 'unknown';
  reason: string | null;
}

/** Lists the top-ups of all vendors, newest first. */
export async function listNewestTopUps(
  db: Queryable,
  limit: number,
): Promise<(TopUpRow & { vendorId: number })[]> {
  const listed = await db.query<TopUpRow & { vendorId: number }>(
    `select t.top_up_id as "topUpId", t.rule_id as "ruleId", t.vendor_id as "vendorId", r.kind,
       r.set_by as "setBy", t.at, t.amount_cents as "amountCents", t.float_cents as "floatCents",
       t.state, t.reason
     from top_ups t join top_up_rules r using (rule_id)
     order by t.at desc, t.top_up_id desc limit $1`,
    [limit],
  );
  return listed.rows;
}

/** Newest first, with who configured each. */
export async function listTopUps(
  db: Queryable,
  vendorId: number,
  limit: number,
): Promise<TopUpRow[]> {
  const listed = await db.query<TopUpRow>(
    `select t.top_up_id as "topUpId", t.rule_id as "ruleId", r.kind, r.set_by as "setBy", t.at,
       t.amount_cents as "amountCents", t.float_cents as "floatCents", t.state, t.reason
     from top_ups t join top_up_rules r using (rule_id)
     where t.vendor_id = $1 order by t.at desc, t.top_up_id desc limit $2`,
    [vendorId, limit],
  );
  return listed.rows;
}
