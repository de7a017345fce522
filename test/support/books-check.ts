import { checkLedger, checkRows } from '../../src/payments/audit/check.ts';
import type { CheckOptions } from '../../src/payments/audit/check.ts';
import type { Violation } from '../../src/payments/audit/violation.ts';
import { snapshot } from '../../src/platform/db/pool.ts';
import type { Pool, Queryable } from '../../src/platform/db/pool.ts';
import { CITUS_URL } from './citus.ts';
import type { Books } from './money-fixture.ts';

const names = new Map<string, string>();

function nameOf(text: string): string {
  const name = names.get(text) ?? `of a check ${names.size}`;
  names.set(text, name);
  return name;
}

/** The client, which prepares each statement at its first use: a check of few rows mostly plans its statements. */
export function prepared(client: Queryable): Queryable {
  return {
    query: async (statement, values = []) =>
      await client.query(
        typeof statement === 'string'
          ? { name: nameOf(statement), text: statement, values }
          : statement,
      ),
  };
}

/**
 * What `ledger check` finds in the rows, for tests that check them often. It does not look at the schema, which the
 * role of the service cannot change.
 */
export async function findViolations(
  pool: Pool,
  options: CheckOptions = {},
): Promise<readonly Violation[]> {
  // It looks again before it reports something.
  if (CITUS_URL !== undefined) return (await checkLedger(pool, options)).violations;
  const check = async (client: Queryable) => await checkRows(prepared(client), options);
  return (await snapshot(pool, check)).violations;
}

/** The names of the invariants that are violated, each once. */
export async function brokenInvariants({ pool, ledgerMac }: Books): Promise<string[]> {
  const violations = await findViolations(pool, { mac: ledgerMac });
  return [...new Set(violations.map(({ invariant }) => invariant))].toSorted();
}
