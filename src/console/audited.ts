import type { FastifyRequest } from 'fastify';
import { audited as auditedAction } from '../parties/people/audited.ts';
import type { AuditDeps, Noted } from '../parties/people/audited.ts';
import { Audited } from './route.ts';
import type { AnyRoute, Viewer } from './route.ts';

/** A request of a person, as the audit log notes it. */
interface Asked {
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
  return await auditedAction(entryOf(of), deps, async () => {
    const answer = await handle();
    return answer instanceof Audited ? answer : { answer };
  });
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
