import { PlainError } from '../base/plain-error.ts';
import { isConnectionError } from './pool.ts';
import type { Pool } from './pool.ts';

type UrlVariable = 'DATABASE_URL' | 'DATABASE_OWNER_URL';

/**
 * True if the server refuses the connection: wrong user or password (class 28), unknown database
 * (3D).
 */
export function isRefusedLogin(error: unknown): boolean {
  return /^(28|3D)/.test((error as { code?: string } | null)?.code ?? '');
}

/**
 * Describes a database that cannot be reached or refuses the connection, without the secrets in its
 * URL. Returns every other error unchanged.
 * @param variable the variable that holds the URL.
 */
export function explainUnusable(
  error: unknown,
  databaseUrl: string,
  variable: UrlVariable,
): unknown {
  if ((error as { plain?: unknown } | null)?.plain === true) return error;
  if (!isConnectionError(error) && !isRefusedLogin(error)) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  const url = URL.parse(databaseUrl);
  const location = url === null ? `of ${variable}` : `${url.host}${url.pathname}`;
  const remedy = isRefusedLogin(error)
    ? `Correct ${variable}.`
    : `Start it, or correct ${variable}.`;
  return new PlainError(`The database ${location} cannot be used: ${message || code}. ${remedy}`, {
    cause: error,
  });
}

/** Throws: `PlainError` naming the variable when the pool cannot connect. */
export async function requireLogin(
  pool: Pool,
  databaseUrl: string,
  variable: UrlVariable,
): Promise<void> {
  await pool.query('select').catch((error: unknown) => {
    throw explainUnusable(error, databaseUrl, variable);
  });
}
