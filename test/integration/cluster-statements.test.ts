import { expect, test } from 'vitest';
import { createPool, isConnectionError } from '../../src/platform/db/pool.ts';
import type { Pool, Queryable } from '../../src/platform/db/pool.ts';
import { CITUS_URL } from '../support/citus.ts';
import { createTestDatabase } from '../support/cluster.ts';
import { extractStatements } from '../support/extract-statements.ts';

/** Files whose statements are for a superuser, for one machine, or for changing a cluster. */
const ELSEWHERE =
  /^src\/(platform\/(backup|cluster|embedded)\/|platform\/db\/(runtime-role|sandbox-role|server-check|migrate|planner-statistics)\.ts)/;

/** Error codes of Citus for a statement that it cannot run with any rows; 42501 is a missing grant. */
const REFUSED = /^(0A000|XX000|42(?!501)...)$/;
/** Errors caused by a row; Citus reports them without a code when it copies to a local table. */
const OF_ROWS = /violates (check|unique|foreign key|not-null) constraint/;

/** A value of the type that every statement accepts. */
function sampleOf(type: string): string {
  if (type.endsWith('[]')) return `{"${sampleOf(type.slice(0, -2)).replaceAll('\\', '\\\\')}"}`;
  if (/int|numeric|double|real/.test(type)) return '1';
  if (/timestamp|date/.test(type)) return '2026-01-01';
  if (/json/.test(type)) return '{}';
  const samples: Record<string, string> = {
    boolean: 't',
    bytea: '\\x00',
    dispatch_stage: 'send',
    uuid: '00000000-0000-0000-0000-000000000001',
  };
  return samples[type] ?? 'a';
}

async function valuesFor(db: Queryable, text: string): Promise<string[]> {
  await db.query(`prepare sample as ${text}`);
  const read = await db.query<{ types: string[] }>(
    `select parameter_types::text[] as types from pg_prepared_statements where name = 'sample'`,
  );
  await db.query('deallocate sample');
  return (read.rows[0]?.types ?? []).map(sampleOf);
}

/** Runs a statement and rolls it back. Returns why the cluster cannot run it. */
async function refusalOf(pool: Pool, text: string): Promise<string | undefined> {
  const client = await pool.connect();
  let broken = false;
  try {
    await client.query('begin');
    await client.query(text, await valuesFor(client, text));
    return undefined;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    // A server process that ends takes all the others with it.
    broken = isConnectionError(error);
    if (broken) return message;
    return REFUSED.test(code ?? '') && !OF_ROWS.test(message) ? message : undefined;
  } finally {
    if (!broken) await client.query('rollback');
    client.release(broken);
  }
}

test.skipIf(CITUS_URL === undefined)(
  'a cluster can run every statement of the source',
  async () => {
    const database = await createTestDatabase();
    const pool = createPool({ url: database.url, max: 1, name: 'test' });
    const refused: string[] = [];
    for (const { at, text } of extractStatements('src').statements) {
      if (ELSEWHERE.test(at) || !/^\s*(with|select|insert|update|delete)\b/.test(text)) continue;
      const refusal = await refusalOf(pool, text);
      if (refusal !== undefined) refused.push(`${at}: ${refusal}`);
    }
    await pool.end();
    await database.drop();
    expect(refused).toEqual([]);
  },
  180_000,
);
