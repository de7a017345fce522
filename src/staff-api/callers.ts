import type { FastifyRequest } from 'fastify';
import type { PersonLimits } from '../parties/people/person-limits.ts';
import type { SessionLookUps } from '../parties/people/session-look-ups.ts';
import { isFrom } from '../parties/people/tokens.ts';
import type { ProgramToken, Tokens } from '../parties/people/tokens.ts';
import { Refusal } from '../platform/base/errors.ts';
import { signedIn } from '../staff/viewer.ts';
import type { Viewer } from '../staff/viewer.ts';

export interface CallerDeps {
  readonly lookUps: SessionLookUps;
  readonly tokenLookUps: SessionLookUps<ProgramToken>;
  readonly tokens: Pick<Tokens, 'noteUsed'>;
  readonly limits: PersonLimits;
}

/** Who calls, and by what its requests and its keys are counted. */
export interface Caller {
  readonly viewer: Viewer;
  /** The id of the person, or of the token. */
  readonly id: string;
}

const BEARER = /^Bearer ([\x21-\x7e]{1,200})$/i;

/** The text of the token; empty: there is none. */
export function tokenOf({ headers: { authorization = '' } }: FastifyRequest): string {
  return BEARER.exec(authorization)?.[1] ?? '';
}

/**
 * Whoever the token of a request stands for. Nobody else: no cookie counts, so no page of another site can use it.
 * Throws: `not_signed_in`, `not_confirmed`, `not_permitted`, `too_many_requests`.
 */
export async function callerOf(request: FastifyRequest, deps: CallerDeps): Promise<Caller> {
  const token = tokenOf(request);
  const program = await deps.tokenLookUps.find(token, request);
  if (program !== undefined && isFrom(program, request.ip)) {
    await deps.tokens.noteUsed(program);
    return named(request, { viewer: programViewer(program), id: program.row.tokenId });
  }
  const session = await deps.lookUps.find(token, request);
  if (session === undefined) throw new Refusal('not_signed_in', { text: 'Send a valid token' });
  if (!session.isConfirmed) throw new Refusal('not_confirmed');
  // A vendor's programs have keys, and the API below /v1.
  if (session.vendorId !== null) throw new Refusal('not_permitted');
  return named(request, { viewer: signedIn(session), id: session.personId });
}

/** A command says as whom it was told to act. Throws: `not_permitted`. */
function named(request: FastifyRequest, caller: Caller): Caller {
  const by = request.headers['x-malipo-person'];
  const { login } = caller.viewer;
  if (by === undefined || by === login) return caller;
  throw new Refusal('not_permitted', { field: 'by', text: `The token is of ${login}` });
}

function programViewer({ row, permissions }: ProgramToken): Viewer {
  const { personId, login, tokenRole: role, tokenName: token } = row;
  const actor = { personId, name: login, program: token };
  return { personId, login, role, vendor: undefined, permissions, token, actor };
}
