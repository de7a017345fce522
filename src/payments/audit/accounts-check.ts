import type { Mac } from '../../platform/base/mac.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { accountEndText, accountText } from '../ledger/authenticity.ts';
import type { AccountContent, AccountEndContent } from '../ledger/authenticity.ts';
import type { Violation } from './violation.ts';

export const ACCOUNTS_INVARIANT = {
  name: 'accounts_authentic',
  says: 'Every account number, its vendor and its end were recorded by the service: they have valid authentication codes.',
};

interface AccountRow extends AccountContent {
  mac: Buffer;
  openEndedAt: Date | null;
  ended: boolean;
  endedAt: Date;
  endedBy: string;
  endMac: Buffer;
}

/** Account numbers decide to whom money is credited. */
export async function checkAccounts(db: Queryable, mac: Mac): Promise<Violation[]> {
  const read = await db.query<AccountRow>(
    `select a.account_id as "accountId", a.source_code as "sourceCode", a.account,
       a.vendor_id as "vendorId", a.added_at as "addedAt", a.added_by as "addedBy", a.mac,
       a.ended_at as "openEndedAt",
       e.account_id is not null as ended, coalesce(e.ended_at, a.added_at) as "endedAt",
       coalesce(e.ended_by, '') as "endedBy", coalesce(e.mac, '') as "endMac"
     from receipt_accounts a left join receipt_account_ends e using (account_id)
     order by a.source_code, a.account, a.added_at`,
  );
  return read.rows.flatMap((row) => {
    const fault = faultOf(row, mac);
    if (fault === undefined) return [];
    const detail = `account ${row.account} of ${row.sourceCode}: ${fault}`;
    return [{ invariant: ACCOUNTS_INVARIANT.name, vendorId: row.vendorId, detail }];
  });
}

function faultOf(row: AccountRow, mac: Mac): string | undefined {
  if (!mac.verify(accountText(row), row.mac)) {
    return 'it was not added by the service, or altered: its authentication code does not match';
  }
  const isSameEnd = row.ended
    ? row.openEndedAt !== null && Number(row.openEndedAt) === Number(row.endedAt)
    : row.openEndedAt === null;
  if (!isSameEnd) return 'its end was altered';
  const end: AccountEndContent = row;
  if (!row.ended || mac.verify(accountEndText(end), row.endMac)) return undefined;
  return 'its end was not recorded by the service';
}
