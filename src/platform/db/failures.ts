import { Refusal } from '../base/errors.ts';
import { isConnectionError } from './pool.ts';

/** By PostgreSQL's error codes, in words that follow “the database”. */
const FAILURES: Readonly<Record<string, string>> = {
  '53100': 'has no disk space left',
  '53200': 'has no memory left',
  '53300': 'accepts no more connections',
  '55P03': 'waited too long for a lock that another session holds',
  '57014': 'took too long',
  '25006': 'accepts no writes: it is a standby, or read-only',
  '40P01': 'was busy with conflicting changes',
  '40001': 'was busy with conflicting changes',
};

/**
 * True if the server refuses the connection: wrong user or password (class 28), unknown database
 * (3D).
 */
export function isRefusedLogin(error: unknown): boolean {
  return /^(28|3D)/.test((error as { code?: string } | null)?.code ?? '');
}

/** Why a statement failed, for people. The text contains no data of rows. */
export function describeFailure(error: unknown): string {
  const { code = '' } = (error ?? {}) as { readonly code?: string };
  const known = FAILURES[code];
  if (known !== undefined) return `the database ${known}`;
  if (isRefusedLogin(error)) return 'the database refuses the login';
  if (isConnectionError(error)) return 'the database cannot be reached';
  return 'the database reports an error';
}

/** The statement waited too long for a lock. */
export function isLockTimeout(error: unknown): boolean {
  return (error as { readonly code?: unknown } | null)?.code === '55P03';
}

/** Nothing was committed, and the reason is the state of the database. */
export function refuseUnavailable(cause: unknown): Refusal {
  const { code = '' } = (cause ?? {}) as { readonly code?: string };
  const known = FAILURES[code];
  return new Refusal('unavailable', {
    ...(known === undefined ? {} : { text: `The service’s database ${known}` }),
    retryAfterSeconds: 5,
    cause,
  });
}
