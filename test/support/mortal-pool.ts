import type { PoolClient } from 'pg';
import type { Pool } from '../../src/platform/db/pool.ts';

/** The process was killed. No connection error, after which the service would try again. */
class Killed extends Error {
  override readonly name = 'Killed';
  constructor() {
    super('killed');
  }
}

/**
 * The pool of a process that is killed at its nth statement, before the statement or just after it. From then on it
 * does nothing more; what it has not committed is rolled back, and its connections end.
 */
export function mortalPool(
  pool: Pool,
  kill: { readonly at: number; readonly isAfter: boolean },
): { readonly pool: Pool; readonly isDead: () => boolean } {
  let left = kill.at;
  let isDead = false;
  const run = async (ask: () => Promise<unknown>, statement: unknown): Promise<unknown> => {
    if (statement === 'rollback') return await ask();
    if (isDead) throw new Killed();
    left -= 1;
    if (left > 0) return await ask();
    isDead = true;
    if (kill.isAfter) await ask();
    throw new Killed();
  };
  const mortalClient = (client: PoolClient): PoolClient =>
    new Proxy(client, {
      get: (target, name) => {
        if (name === 'query') {
          return async (statement: string, values?: unknown[]) =>
            await run(async () => await target.query(statement, values), statement);
        }
        if (name === 'release') {
          return (broken?: Error | boolean) => target.release(isDead || broken);
        }
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  const mortal = new Proxy(pool, {
    get: (target, name) => {
      if (name === 'query') {
        return async (statement: string, values?: unknown[]) =>
          await run(async () => await target.query(statement, values), statement);
      }
      if (name === 'connect') return async () => mortalClient(await target.connect());
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  return { pool: mortal, isDead: () => isDead };
}
