import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { audited as auditedAction, openEntry } from '../parties/people/audited.ts';
import type { ActionRules, AuditDeps, Noted } from '../parties/people/audited.ts';
import type { AuditResult } from '../parties/people/audit-entry.ts';
import { LineCounter } from './line-counter.ts';
import { Audited } from './route.ts';
import type { AnyRoute, Download, Viewer } from './route.ts';

/** A request of a person, as the audit log notes it. */
interface Asked extends ActionRules {
  readonly request: FastifyRequest;
  readonly viewer: Viewer;
  /** Such as `biller.offline`. */
  readonly action: string;
  readonly input: Parameters<AnyRoute['handle']>[0];
}

/** Runs an action between its two entries in the audit log. Throws: `too_many_requests`. */
export async function audited(
  of: Asked,
  deps: AuditDeps,
  handle: () => Promise<unknown>,
): Promise<unknown> {
  const { limit, outcomes } = of;
  return await auditedAction({ ...entryOf(of), limit, outcomes }, deps, async () => {
    const answer = await handle();
    return answer instanceof Audited ? answer : { answer };
  });
}

/** The file, with an entry in the audit log before its first byte, and its length after the last one. */
export async function auditedFile(of: Asked, deps: AuditDeps, file: Download): Promise<Readable> {
  const filter = file.filter ?? of.input.query;
  const entry = await openEntry({ ...entryOf(of), filter }, deps);
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

function entryOf({ request, viewer, action, input }: Asked): Noted {
  const reason = (input.body as { readonly reason?: unknown } | undefined)?.reason;
  return {
    personId: viewer.personId,
    vendorId: viewer.vendor?.vendorId ?? null,
    login: viewer.login,
    role: viewer.role,
    channel: 'console',
    action,
    target: Object.values(input.params as Record<string, string>).join(' ') || null,
    reason: typeof reason === 'string' && reason !== '' ? reason : null,
    address: request.ip,
    requestId: request.id,
  };
}
