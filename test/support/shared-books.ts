import { afterAll } from 'vitest';
import type { Pool } from '../../src/platform/db/pool.ts';
import { CITUS_URL } from './citus.ts';
import { keepRows } from './kept-rows.ts';
import { openBooks } from './money-fixture.ts';
import type { Books } from './money-fixture.ts';

/**
 * Opens the books of each test of a file: the same database and connections, with the rows that it began with. New
 * connections would compile and plan every function again. `close` ends what the test has opened.
 */
export function sharedBooks(): () => Promise<Books> {
  if (CITUS_URL !== undefined) return openBooks;
  let shared: Books | undefined;
  let restore: () => Promise<void> = async () => undefined;
  afterAll(async () => await shared?.close());
  return async () => {
    if (shared === undefined) {
      shared = await openBooks();
      restore = await keepRows(shared.owner);
    } else await restore();
    const books = shared;
    const opened: Pool[] = [];
    return {
      ...books,
      openPool: (options) => {
        const pool = books.openPool(options);
        opened.push(pool);
        return pool;
      },
      close: async () => {
        const open = opened.splice(0).filter((pool) => !pool.ending);
        await Promise.all(open.map(async (pool) => await pool.end()));
      },
    };
  };
}
