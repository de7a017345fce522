import type { Queryable } from '../../platform/db/pool.ts';
import { listAudit } from './audit-store.ts';
import type { AuditFilter, AuditRow } from './audit-store.ts';
import { loginFrom } from './login.ts';

/** An entry of the audit log, as people see it. */
export type AuditEntry = Omit<AuditRow, 'personId' | 'vendorId' | 'endedAt'>;

/** Entries of the audit log, newest first. @param filter.login as people type it. */
export async function readAudit(
  db: Queryable,
  filter: Omit<AuditFilter, 'before'> & {
    readonly before?: { readonly at: Date; readonly id: string } | undefined;
  },
): Promise<AuditEntry[]> {
  const { login, before } = filter;
  const rows = await listAudit(db, {
    ...filter,
    login: login === undefined ? undefined : loginFrom(login),
    before: before && { at: before.at, auditId: before.id },
  });
  return rows.map(({ personId: _person, vendorId: _vendor, endedAt: _ended, ...entry }) => entry);
}
