import { endAudit, insertAudit } from '../../parties/people/audit-store.ts';
import type { AuditEntry } from '../../parties/people/audit-store.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { newId } from '../../platform/base/ids.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Pool } from '../../platform/db/pool.ts';

/** Who did what. Without a person: anybody who can run commands. */
type Note = Pick<AuditEntry, 'action' | 'target'> &
  Partial<Pick<AuditEntry, 'personId' | 'login' | 'role' | 'reason'>>;

/** Runs a command's work between its two entries in the audit log, as the console does. */
export async function noted<Result>(
  pool: Pool,
  note: Note,
  work: () => Promise<Result>,
): Promise<Result> {
  const auditId = newId();
  await insertAudit(pool, {
    personId: null,
    login: COMMAND_LINE,
    role: null,
    channel: 'command',
    reason: null,
    ...note,
    auditId,
    at: new Date(),
    vendorId: null,
    address: COMMAND_LINE,
    requestId: auditId,
  });
  const end = async (result: 'done' | 'refused' | 'failed'): Promise<void> =>
    await endAudit(pool, auditId, { result, at: new Date() });
  try {
    const result = await work();
    await end('done');
    return result;
  } catch (error) {
    const isRefused = error instanceof Refusal || error instanceof PlainError;
    await end(isRefused ? 'refused' : 'failed');
    throw error;
  }
}

const COMMAND_LINE = 'command line';
