import { PlainError } from '../base/plain-error.ts';
import { describeFailure, isRefusedLogin } from './failures.ts';
import { isConnectionError } from './pool.ts';
import type { Pool } from './pool.ts';

type UrlVariable = 'DATABASE_URL' | 'DATABASE_OWNER_URL';

/** Remedies by SQLSTATE, for a database that responds but cannot be used at the moment. */
const REMEDIES: ReadonlyMap<unknown, string> = new Map([
  ['53300', 'Close connections of other programs (pg_stat_activity), or raise max_connections.'],
  ['55P03', 'End the session that holds the lock (pg_locks), and start again.'],
  ['57014', 'Look for locks and long statements (pg_stat_activity), and start again.'],
]);

/**
 * Describes a database that cannot be reached, refuses the connection, has no connection left or keeps
 * a statement waiting, without the secrets in its URL. Returns every other error unchanged.
 * @param variable the variable that holds the URL.
 */
export function explainUnusable(
  error: unknown,
  databaseUrl: string,
  variable: UrlVariable,
): unknown {
  if ((error as { plain?: unknown } | null)?.plain === true) return error;
  const { code, message } = (error ?? {}) as NodeJS.ErrnoException;
  const known = REMEDIES.get(code);
  if (known === undefined && !isConnectionError(error) && !isRefusedLogin(error)) return error;
  const url = URL.parse(databaseUrl);
  const location = url === null ? `of ${variable}` : `${url.host}${url.pathname}`;
  const cause = known === undefined ? message || code : `${describeFailure(error)} (${message})`;
  const remedy =
    known ?? (isRefusedLogin(error) ? `Correct ${variable}.` : `Start it, or correct ${variable}.`);
  return new PlainError(`The database ${location} cannot be used: ${cause}. ${remedy}`, {
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
