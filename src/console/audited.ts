import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { countActions, endAudit, insertAudit } from '../parties/people/audit-store.ts';
import type { AuditResult } from '../parties/people/audit-store.ts';
import type { Clock } from '../platform/base/clock.ts';
import { Refusal } from '../platform/base/errors.ts';
import { newId } from '../platform/base/ids.ts';
import type { Pool } from '../platform/db/pool.ts';
import { LineCounter } from './line-counter.ts';
import { Audited } from './route.ts';
import type { ActionLimit, AnyRoute, Download, Viewer } from './route.ts';

export interface AuditDeps {
  readonly pool: Pool;
  readonly clock: Clock;
}

/** The entry that is written before the action. */
export interface Noted {
  readonly request: FastifyRequest;
  readonly viewer: Viewer;
  /** Such as `biller.offline`. */
  readonly action: string;
  readonly input: Parameters<AnyRoute['handle']>[0];
  readonly limit?: ActionLimit | undefined;
  readonly outcomes?: AnyRoute['outcomes'] | undefined;
}

/** Runs an action between its two entries in the audit log. Throws: `too_many_requests`. */
export async function audited(
  of: Noted,
  deps: AuditDeps,
  handle: () => Promise<unknown>,
): Promise<unknown> {
  const entry = await note(of, deps);
  try {
    await requireWithinLimit(of, entry, deps);
    const answer = await handle();
    const change = answer instanceof Audited ? answer : undefined;
    await entry.end({ ...change?.change, result: 'done' });
    return change === undefined ? answer : change.answer;
  } catch (error) {
    await entry.end({ result: resultOf(error, of.outcomes) });
    throw error;
  }
}

function resultOf(error: unknown, outcomes: AnyRoute['outcomes'] = []): AuditResult['result'] {
  if (!(error instanceof Refusal)) return 'failed';
  return outcomes.includes(error.code) ? 'done' : 'refused';
}

/** The file, with an entry in the audit log before its first byte, and its length after the last one. */
export async function auditedFile(of: Noted, deps: AuditDeps, file: Download): Promise<Readable> {
  const entry = await note(of, deps, file.filter ?? of.input.query);
  return Readable.from(counted(file, (result) => entry.end(result)));
}

async function* counted(
  { body, type }: Download,
  end: (result: AuditResult) => Promise<void>,
): AsyncGenerator {
  const lines = type.startsWith('text/csv') ? new LineCounter() : undefined;
  let bytes = 0;
  // The export fails if the browser or the database disconnects before the end.
  let result: AuditResult['result'] = 'failed';
  try {
    for await (const chunk of body as AsyncIterable<string | Buffer>) {
      lines?.add(chunk);
      bytes += Buffer.byteLength(chunk);
      yield chunk;
    }
    result = 'done';
  } finally {
    await end({ result, after: lines === undefined ? { bytes } : { rows: lines.belowTitle } });
  }
}

interface OpenEntry {
  readonly auditId: string;
  readonly at: Date;
  readonly target: string | null;
  readonly end: (result: AuditResult) => Promise<void>;
}

async function note(of: Noted, { pool, clock }: AuditDeps, filter?: unknown): Promise<OpenEntry> {
  const { request, viewer, input } = of;
  const auditId = newId();
  const at = clock.now();
  const reason = (input.body as { readonly reason?: unknown } | undefined)?.reason;
  const target = Object.values(input.params as Record<string, string>).join(' ') || null;
  await insertAudit(pool, {
    auditId,
    at,
    personId: viewer.personId,
    vendorId: viewer.vendor?.vendorId ?? null,
    login: viewer.login,
    role: viewer.role,
    action: of.action,
    target,
    reason: typeof reason === 'string' && reason !== '' ? reason : null,
    address: request.ip,
    requestId: request.id,
    filter,
  });
  const end = async (result: AuditResult): Promise<void> =>
    await endAudit(pool, auditId, { ...result, at: clock.now() });
  return { auditId, at, target, end };
}

/** Throws: `too_many_requests`. */
async function requireWithinLimit(
  { limit, action, viewer: { personId } }: Noted,
  { auditId, at, target }: OpenEntry,
  { pool }: AuditDeps,
): Promise<void> {
  if (limit === undefined) return;
  const rules = [
    ...(target === null || limit.perTarget === undefined
      ? []
      : [{ ...limit.perTarget, by: { target } }]),
    { ...limit.perPerson, by: { personId } },
  ];
  for (const { count, seconds, text, by } of rules) {
    const since = new Date(at.getTime() - seconds * 1000);
    const done = await countActions(pool, { auditId, action, ...by }, since);
    if (done.count < count || done.firstAt === null) continue;
    const waitMs = done.firstAt.getTime() - since.getTime();
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
    throw new Refusal('too_many_requests', {
      text: `${text} Try again in ${retryAfterSeconds} seconds.`,
      retryAfterSeconds,
    });
  }
}
