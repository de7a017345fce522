import type { Queryable } from '../../platform/db/pool.ts';

/** Where somebody did it: on a page, with a token, by a command, or a vendor’s program with its key. */
export type Channel = 'console' | 'api' | 'command' | 'vendor';

export interface AuditEntry {
  readonly auditId: string;
  readonly at: Date;
  readonly personId: string | null;
  readonly vendorId: number | null;
  readonly login: string;
  readonly role: string | null;
  readonly channel: Channel;
  /** The name of the token of a program. Default: a person acted. */
  readonly token?: string | null | undefined;
  /** Such as `biller.offline`. */
  readonly action: string;
  readonly target: string | null;
  readonly reason: string | null;
  readonly address: string;
  readonly requestId: string;
  /** Filter of an export; JSON. */
  readonly filter?: unknown;
}

export interface AuditResult {
  readonly result: 'done' | 'refused' | 'failed';
  readonly target?: string | undefined;
  /** State before and after the action; JSON. */
  readonly before?: unknown;
  readonly after?: unknown;
}

export interface AuditRow extends AuditEntry {
  readonly token: string | null;
  readonly filter: unknown;
  readonly endedAt: Date | null;
  readonly result: AuditResult['result'] | null;
  readonly before: unknown;
  readonly after: unknown;
}

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

export interface AuditFilter {
  readonly login?: string | undefined;
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  /** Entries before this one. */
  readonly before?: { readonly at: Date; readonly auditId: string } | undefined;
  readonly limit: number;
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
      filter.login ?? null,
      filter.action ?? null,
      filter.target ?? null,
      filter.from ?? null,
      filter.to ?? null,
      filter.before?.at ?? null,
      filter.before?.auditId ?? null,
      filter.limit,
    ],
  );
  return listed.rows;
}

function json(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
