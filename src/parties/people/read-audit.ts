import type { Queryable } from '../../platform/db/pool.ts';
import { loginFrom } from './login.ts';
import type { AuditEntry, AuditResult } from './audit-entry.ts';

export interface AuditRow extends AuditEntry {
  readonly token: string | null;
  readonly filter: unknown;
  readonly endedAt: Date | null;
  readonly result: AuditResult['result'] | null;
  readonly before: unknown;
  readonly after: unknown;
}

export interface AuditFilter {
  /** As people type it. */
  readonly login?: string | undefined;
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  /** Entries before this one. */
  readonly before?: { readonly at: Date; readonly id: string } | undefined;
  readonly limit: number;
}

/** Newest first. */
export async function listAudit(db: Queryable, filter: AuditFilter): Promise<AuditRow[]> {
  const listed = await db.query<AuditRow>(
    `select a.audit_id as "auditId", a.at, a.person_id as "personId", a.vendor_id as "vendorId",
       a.login, a.role, a.action, coalesce(a.target, r.target) as target, a.reason, a.address,
       a.request_id as "requestId", a.channel, a.token, a.filter, r.ended_at as "endedAt", r.result, r.before, r.after
     from audit_log a left join audit_results r on r.audit_id = a.audit_id
     where ($1::text is null or a.login = $1) and ($2::text is null or a.action = $2)
       -- An array, so that both indexes are used.
       and ($3::text is null or a.audit_id = any (array(
         select audit_id from audit_log where target = $3
         union select audit_id from audit_results where target = $3)))
       and ($4::timestamptz is null or a.at >= $4)
       and ($5::timestamptz is null or a.at < $5)
       and ($6::timestamptz is null or (a.at, a.audit_id) < ($6, $7::uuid))
     order by a.at desc, a.audit_id desc limit $8`,
    [
      filter.login === undefined ? null : loginFrom(filter.login),
      filter.action ?? null,
      filter.target ?? null,
      filter.from ?? null,
      filter.to ?? null,
      filter.before?.at ?? null,
      filter.before?.id ?? null,
      filter.limit,
    ],
  );
  return listed.rows;
}
