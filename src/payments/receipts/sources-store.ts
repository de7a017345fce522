import type { Queryable } from '../../platform/db/pool.ts';
import type { AccountContent } from '../ledger/authenticity.ts';

/** The advisory locks of imports; the second number is the source’s. */
const IMPORT_LOCK = 0x5ec1;

export interface SourceRow {
  sourceCode: string;
  name: string;
  /** One of `SOURCE_KINDS`. */
  kind: string;
  collector: string;
  /** The account of ours where its money is, without `bank:`. */
  bank: string;
  settings: Readonly<Record<string, unknown>>;
  status: 'active' | 'suspended';
  pulledUntil: Date | null;
}

const SOURCE_COLUMNS = `source_code as "sourceCode", name, kind, collector, bank, settings, status,
  pulled_until as "pulledUntil"`;

export async function listSources(db: Queryable): Promise<SourceRow[]> {
  const listed = await db.query<SourceRow>(
    `select ${SOURCE_COLUMNS} from receipt_sources order by source_code`,
  );
  return listed.rows;
}

export async function findSource(
  db: Queryable,
  sourceCode: string,
): Promise<SourceRow | undefined> {
  const found = await db.query<SourceRow>(
    `select ${SOURCE_COLUMNS} from receipt_sources where source_code = $1`,
    [sourceCode],
  );
  return found.rows[0];
}

/** @param isRenumbered what it lists from now on has other numbers than before. */
export async function putSource(
  db: Queryable,
  row: Omit<SourceRow, 'pulledUntil'>,
  isRenumbered: boolean,
): Promise<void> {
  const { sourceCode, name, kind, collector, bank, settings, status } = row;
  await db.query(
    `insert into receipt_sources (source_code, name, kind, collector, bank, settings, status)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (source_code) do update set name = excluded.name, collector = excluded.collector, bank = excluded.bank,
       settings = excluded.settings, status = excluded.status`,
    [sourceCode, name, kind, collector, bank, JSON.stringify(settings), status],
  );
  if (!isRenumbered) return;
  await db.query('update receipt_sources set renumbered_at = now() where source_code = $1', [
    sourceCode,
  ]);
}

/** The vendor that has an account number at a source now; undefined: nobody. */
export async function findHolder(
  db: Queryable,
  { sourceCode, account }: Pick<AccountContent, 'sourceCode' | 'account'>,
): Promise<number | undefined> {
  const found = await db.query<{ vendorId: number }>(
    `select vendor_id as "vendorId" from receipt_accounts
     where source_code = $1 and account = $2 and ended_at is null`,
    [sourceCode, account],
  );
  return found.rows[0]?.vendorId;
}

/** A customer may still answer a prompt, or look at an older invoice, after a number changed hands. */
const SETTLED_AFTER = `interval '1 hour'`;
/** Banks book a payment days later, and list the day on which they booked it. */
const BOOKED_AFTER = `interval '7 days'`;

/**
 * The vendor of an account number at a source, for a payment of this time; undefined: nobody's. A number that was
 * another vendor's before is nobody's until it is certain that a payment was meant for its new one.
 * @param isBooked the time is that at which a bank booked the payment.
 */
export async function findVendorOfAccount(
  db: Queryable,
  payment: Pick<AccountContent, 'sourceCode' | 'account'> & {
    readonly paidAt: Date;
    readonly isBooked: boolean;
  },
): Promise<number | undefined> {
  const { sourceCode, account, paidAt, isBooked } = payment;
  const found = await db.query<{ vendorId: number }>(
    `select vendor_id as "vendorId" from receipt_accounts a
     where source_code = $1 and account = $2 and ended_at is null
       and (added_at + case when $4 then ${BOOKED_AFTER} else ${SETTLED_AFTER} end <= $3
         or not exists (select from receipt_accounts other where other.source_code = $1
           and other.account = $2 and other.vendor_id <> a.vendor_id))`,
    [sourceCode, account, paidAt, isBooked],
  );
  return found.rows[0]?.vendorId;
}

/**
 * The date of the balances that a vendor brought from another system, if they may have a payment of this time; undefined:
 * they do not. What a bank books later may be paid before, and be known there by its confirmation.
 */
export async function findOpeningAfter(
  db: Queryable,
  {
    vendorId,
    paidAt,
    isBooked,
  }: { readonly vendorId: number; readonly paidAt: Date; readonly isBooked: boolean },
): Promise<Date | undefined> {
  const found = await db.query<{ valuedAt: Date }>(
    `select valued_at as "valuedAt" from vendor_openings
     where vendor_id = $1 and $2 <= valued_at + case when $3 then ${BOOKED_AFTER} else interval '0' end`,
    [vendorId, paidAt, isBooked],
  );
  return found.rows[0]?.valuedAt;
}

/** Finds the account numbers that a vendor other than this one has or had at the source. */
export async function findOtherVendors(
  db: Queryable,
  about: {
    readonly sourceCode: string;
    readonly accounts: readonly string[];
    readonly vendorId: number | undefined;
  },
): Promise<string[]> {
  const found = await db.query<{ account: string }>(
    `select distinct account from receipt_accounts
     where source_code = $1 and account = any ($2) and vendor_id is distinct from $3 order by account`,
    [about.sourceCode, about.accounts, about.vendorId ?? null],
  );
  return found.rows.map(({ account }) => account);
}

/**
 * Finds the account numbers of other vendors at the source that this one may be a part of: its beginning, or, if a
 * spreadsheet took it for an amount, all but the zeros at its beginning.
 */
export async function findLongerAccounts(
  db: Queryable,
  about: Pick<AccountContent, 'sourceCode' | 'account' | 'vendorId'> & {
    /** False: only zeros may be missing. */
    readonly mayBePart: boolean;
  },
): Promise<string[]> {
  const found = await db.query<{ account: string }>(
    `select distinct account from receipt_accounts
     where source_code = $1 and vendor_id <> $3 and account <> $2
       and ($4 and starts_with(account, $2) or ltrim(account, '0') = $2)
     order by account limit 5`,
    [about.sourceCode, about.account, about.vendorId, about.mayBePart],
  );
  return found.rows.map(({ account }) => account);
}

/**
 * An account number of the vendor that fits into a prompt, the oldest one; undefined: it has none.
 */
export async function findAccountOfVendor(
  db: Queryable,
  sourceCode: string,
  vendorId: number,
): Promise<string | undefined> {
  const found = await db.query<{ account: string }>(
    `select account from receipt_accounts
     where source_code = $1 and vendor_id = $2 and ended_at is null and length(account) <= 12
     order by added_at, account limit 1`,
    [sourceCode, vendorId],
  );
  return found.rows[0]?.account;
}

export async function listAccounts(
  db: Queryable,
  sourceCode: string,
  page: { readonly after?: string | undefined; readonly limit?: number } = {},
): Promise<AccountContent[]> {
  const listed = await db.query<AccountContent>(
    `select account_id as "accountId", source_code as "sourceCode", account,
       vendor_id as "vendorId", added_at as "addedAt", added_by as "addedBy"
     from receipt_accounts where source_code = $1 and ended_at is null and ($2::text is null or account > $2)
     order by account limit $3`,
    [sourceCode, page.after ?? null, page.limit ?? null],
  );
  return listed.rows;
}

/** Returns false if the account number is in use at the source. */
export async function insertAccount(
  db: Queryable,
  row: AccountContent & { readonly mac: Buffer },
): Promise<boolean> {
  const inserted = await db.query(
    `insert into receipt_accounts (account_id, source_code, account, vendor_id, added_at, added_by, mac)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
    [row.accountId, row.sourceCode, row.account, row.vendorId, row.addedAt, row.addedBy, row.mac],
  );
  return inserted.rowCount === 1;
}

/** The id of the account number that is in use at the source, locked. */
export async function lockAccount(
  db: Queryable,
  { sourceCode, account }: Pick<AccountContent, 'sourceCode' | 'account'>,
): Promise<string | undefined> {
  const found = await db.query<{ accountId: string }>(
    `select account_id as "accountId" from receipt_accounts
     where source_code = $1 and account = $2 and ended_at is null for update`,
    [sourceCode, account],
  );
  return found.rows[0]?.accountId;
}

/** The caller holds the account's lock. */
export async function endAccount(
  db: Queryable,
  end: {
    readonly accountId: string;
    readonly endedAt: Date;
    readonly endedBy: string;
    readonly mac: Buffer;
  },
): Promise<void> {
  const { accountId, endedAt, endedBy, mac } = end;
  await db.query('update receipt_accounts set ended_at = $2, ended_by = $3 where account_id = $1', [
    accountId,
    endedAt,
    endedBy,
  ]);
  await db.query(
    `insert into receipt_account_ends (account_id, ended_at, ended_by, mac) values ($1, $2, $3, $4)`,
    [accountId, endedAt, endedBy, mac],
  );
}

/**
 * Takes the right to import statements to the source, until `unlockImports` or the end of the
 * connection. Returns false while another connection has it.
 */
export async function lockImports(db: Queryable, sourceCode: string): Promise<boolean> {
  const locked = await db.query<{ locked: boolean }>(
    'select pg_try_advisory_lock($1, hashtext($2)) as locked',
    [IMPORT_LOCK, sourceCode],
  );
  return locked.rows[0]?.locked === true;
}

export async function unlockImports(db: Queryable, sourceCode: string): Promise<void> {
  await db.query('select pg_advisory_unlock($1, hashtext($2)) as unlocked', [
    IMPORT_LOCK,
    sourceCode,
  ]);
}

export interface PullTurn {
  readonly now: Date;
  readonly pulledUntil: Date | null;
}

/** One process pulls a source at a time: each token ends the one before. Undefined: not due. */
export async function takeTurn(
  db: Queryable,
  sourceCode: string,
  everyMs: number,
): Promise<PullTurn | undefined> {
  const taken = await db.query<PullTurn>(
    // The time comes from a row, because Citus returns no function of an UPDATE.
    `with clock as materialized (select now() as now)
     update receipt_sources set pull_due_at = now() + $2 * interval '1 millisecond'
     from clock where source_code = $1 and pull_due_at <= clock.now
     returning clock.now, pulled_until as "pulledUntil"`,
    [sourceCode, everyMs],
  );
  return taken.rows[0];
}

export async function setPulledUntil(
  db: Queryable,
  sourceCode: string,
  until: Date,
): Promise<void> {
  await db.query(
    'update receipt_sources set pulled_until = greatest(pulled_until, $2) where source_code = $1',
    [sourceCode, until],
  );
}

export interface PullAge {
  readonly source: string;
  /** Since the last pull that was complete. */
  readonly seconds: number;
}

/** Reads the ages of the last pulls of active sources that have been pulled at least once. */
export async function listPullAges(db: Queryable): Promise<PullAge[]> {
  const listed = await db.query<PullAge>(
    `select source_code as source,
       extract(epoch from now() - pulled_until)::double precision as seconds
     from receipt_sources where status = 'active' and pulled_until is not null order by source_code`,
  );
  return listed.rows;
}
