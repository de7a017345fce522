import type { Pool } from '../../platform/db/pool.ts';
import { snapshot } from '../../platform/db/pool.ts';
import { isOwnTermsAccount, movementName } from './account.ts';
import { openTransfers, readBalances, readBalancesAt } from './store.ts';
import type { StatementRow } from './store.ts';

/** Cents by account name; every account of the vendor is in it. */
export type Balances = ReadonlyMap<string, bigint>;

export interface StatementLine {
  readonly at: Date;
  /** What the transfer did, such as `paid`; see `movementName`. */
  readonly movement: string;
  /** The payment, collection or fund movement that caused it. */
  readonly sourceId: string;
  readonly merchantReference: string | null;
  readonly debitAccount: string;
  readonly creditAccount: string;
  readonly amountCents: bigint;
  /** The float after it. */
  readonly floatCents: bigint;
}

/** Receives a statement as it is read, in this order, so that a long one needs little memory. */
export interface StatementReader {
  opening(balances: Balances): void;
  lines(lines: readonly StatementLine[]): void;
}

/**
 * Which transfers a statement has. `vendor`: not what operators charge and give us, which is not the
 * vendor's business. `all`: these too.
 */
export type StatementScope = 'vendor' | 'all';

/**
 * A vendor's transfers with from <= time < to, over one snapshot, and the balances before and after
 * them. Returns the closing balances.
 */
export async function readStatement(
  pool: Pool,
  request: {
    readonly vendorId: number;
    readonly from: Date;
    readonly to: Date;
    readonly scope: StatementScope;
  },
  reader: StatementReader,
): Promise<Balances> {
  const { vendorId, from, to, scope } = request;
  return await snapshot(pool, async (client) => {
    const balances = new Map<string, bigint>();
    for (const { account } of await readBalances(client, vendorId)) {
      if (scope === 'all' || !isOwnTermsAccount(account)) balances.set(account, 0n);
    }
    for (const row of await readBalancesAt(client, vendorId, { before: from, scope })) {
      balances.set(row.account, row.balanceCents);
    }
    reader.opening(new Map(balances));
    const fetchSome = await openTransfers(client, vendorId, { from, to, scope });
    for (let rows = await fetchSome(); rows.length > 0; rows = await fetchSome()) {
      reader.lines(rows.map((row) => lineOf(row, balances)));
    }
    return balances;
  });
}

function lineOf(row: StatementRow, balances: Map<string, bigint>): StatementLine {
  const { debitAccount: debit, creditAccount: credit, amountCents } = row;
  balances.set(debit, (balances.get(debit) ?? 0n) - amountCents);
  balances.set(credit, (balances.get(credit) ?? 0n) + amountCents);
  return {
    at: row.createdAt,
    movement: movementName(debit, credit),
    sourceId: row.sourceId,
    merchantReference: row.merchantReference,
    debitAccount: debit,
    creditAccount: credit,
    amountCents,
    floatCents: balances.get('float') ?? 0n,
  };
}
