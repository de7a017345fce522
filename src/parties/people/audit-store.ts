import type { Queryable } from '../../platform/db/pool.ts';
import type { AuditEntry, AuditResult } from './audit-entry.ts';

/** Adds the entry before the action is carried out, so that no action is unrecorded. */
export async function insertAudit(db: Queryable, entry: AuditEntry): Promise<void> {
  await db.query(
    `insert into audit_log (audit_id, at, person_id, vendor_id, login, role, action, target, reason,
       address, request_id, filter, channel, token)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      entry.auditId,
      entry.at,
      entry.personId,
      entry.vendorId,
      entry.login,
      entry.role,
      entry.action,
      entry.target,
      entry.reason,
      entry.address,
      entry.requestId,
      json(entry.filter),
      entry.channel,
      entry.token ?? null,
    ],
  );
}

/** Adds the result, once. */
export async function endAudit(
  db: Queryable,
  auditId: string,
  ended: AuditResult & { readonly at: Date },
): Promise<void> {
  await db.query(
    `insert into audit_results (audit_id, ended_at, result, target, before, after)
     values ($1, $2, $3, $4, $5, $6)`,
    [auditId, ended.at, ended.result, ended.target ?? null, json(ended.before), json(ended.after)],
  );
}

export interface ActionsRow {
  count: number;
  /** The first of them; null: there was none. */
  firstAt: Date | null;
}

/**
 * Counts how often an action was done since a time, to the same target or by the same person. Refused
 * attempts do not count.
 * @param entry.auditId the entry of the action under way, which does not count.
 */
export async function countActions(
  db: Queryable,
  entry: Pick<AuditEntry, 'auditId' | 'action'> &
    ({ readonly target: string } | { readonly personId: string }),
  since: Date,
): Promise<ActionsRow> {
  const counted = await db.query<ActionsRow>(
    `select count(*)::integer as count, min(a.at) as "firstAt"
     from audit_log a left join audit_results r on r.audit_id = a.audit_id
     where (a.target = $1 or a.person_id = $2) and a.at > $3 and a.action = $4
       and a.audit_id <> $5 and r.result is distinct from 'refused'`,
    [
      'target' in entry ? entry.target : null,
      'personId' in entry ? entry.personId : null,
      since,
      entry.action,
      entry.auditId,
    ],
  );
  return counted.rows[0] ?? { count: 0, firstAt: null };
}

function json(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
