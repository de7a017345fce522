import { plainReference } from '../../platform/base/written-alike.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { Receipt, ReceiptReport } from './receipt.ts';
import { PLAIN_NUMBER } from './read-receipts.ts';

/** The advisory locks of money that is being reported: by number, and by account and amount. */
const NUMBER_LOCK = 0x5ec2;
const CONTENT_LOCK = 0x5ec3;

/** More are not needed to show that there are some. */
export const MAX_OTHERS = 5;
/** Two sources date one payment this far apart: their clocks differ, and one may write only minutes. */
const ALIKE_WITHIN = `interval '10 minutes'`;
/** From the beginning of a day to its last moment. */
const LAST_OF_DAY = `interval '1 day' - interval '1 microsecond'`;

/**
 * Makes reports of one number wait for each other, then reports of one amount for one account, whatever
 * their sources: until the end of the caller's database transaction.
 */
export async function lockMoney(
  db: Queryable,
  report: Pick<ReceiptReport, 'receipt' | 'named' | 'account' | 'amountCents'>,
): Promise<void> {
  // In the order of the numbers, so that no two wait for each other.
  for (const number of numbersOf(report)) await lockNumber(db, number);
  if (report.account === null) return;
  await db.query('select pg_advisory_xact_lock($1, hashtext($2))', [
    CONTENT_LOCK,
    `${report.amountCents} ${report.account}`,
  ]);
}

/** Makes reports of one number wait for each other. */
export async function lockNumber(db: Queryable, number: string): Promise<void> {
  await db.query('select pg_advisory_xact_lock($1, hashtext($2))', [
    NUMBER_LOCK,
    plainReference(number),
  ]);
}

/** Its own number and those that its text may name, as `plainReference` makes them. */
export function numbersOf({
  receipt,
  named = [],
}: Pick<ReceiptReport, 'receipt' | 'named'>): string[] {
  return [...new Set([plainReference(receipt), ...named])].toSorted();
}

export type NumberedRow = Pick<
  Receipt,
  'issuer' | 'receipt' | 'collector' | 'amountCents' | 'paidAt' | 'account' | 'vendorId'
> & { named: readonly string[]; isDoubtful: boolean };

/** The vendor who has it, or would have it: an account number of two sources may be two vendors’. */
const COLUMNS = `issuer, receipt, collector, amount_cents as "amountCents", paid_at as "paidAt", account,
  coalesce(vendor_id, (select a.vendor_id from receipt_accounts a where a.source_code = r.source_code
    and a.account = r.account and a.ended_at is null)) as "vendorId",
  coalesce(named, '{}') as named,
  doubt is not null as "isDoubtful"`;

/**
 * The receipts whose numbers differ at most in case and separators, whoever issued them, those whose numbers the text
 * may name, and those whose texts may name this number.
 */
export async function listLikeNumbered(
  db: Queryable,
  report: Pick<ReceiptReport, 'receipt' | 'named'>,
): Promise<NumberedRow[]> {
  const listed = await db.query<NumberedRow>(
    `select ${COLUMNS} from receipts r where ${PLAIN_NUMBER} = any ($1) or named @> array[$2::text]
     order by received_at, receipt_id`,
    [numbersOf(report), plainReference(report.receipt)],
  );
  return listed.rows;
}

/** A bank that numbers its entries in another way may also date them on a day next to the former one. */
const RELISTED_WITHIN = `interval '1 day'`;

/**
 * Receipts that may be this money, because the source listed them before it numbered its receipts as it does now:
 * of the same amount and day, and for this account or none. A new number does not show whether the money is new.
 */
export async function listRenumbered(
  db: Queryable,
  report: Pick<ReceiptReport, 'sourceCode' | 'amountCents' | 'paidAt' | 'account'>,
): Promise<NumberedRow[]> {
  const listed = await db.query<NumberedRow>(
    `select ${COLUMNS} from receipts r
     where source_code = $1 and amount_cents = $2 and (account is null or account = $4)
       and paid_at between $3::timestamptz - ${RELISTED_WITHIN} and $3::timestamptz + ${RELISTED_WITHIN}
       and received_at < (select renumbered_at from receipt_sources s where s.source_code = $1)
     order by paid_at, receipt_id limit ${MAX_OTHERS}`,
    [report.sourceCode, report.amountCents, report.paidAt, report.account],
  );
  return listed.rows;
}

export type AlikeRow = NumberedRow & Pick<Receipt, 'sourceCode' | 'payer'>;

/**
 * Receipts of other issuers and sources with the same amount and account at about the same time; on the same day if
 * one of the two has no time. Not those that this source has listed under their own numbers, nor those that we had
 * before this one was paid: they are other money.
 */
export async function listAlike(
  db: Queryable,
  report: Pick<ReceiptReport, 'issuer' | 'sourceCode' | 'amountCents' | 'paidAt' | 'isDayOnly'> & {
    readonly account: string;
  },
): Promise<AlikeRow[]> {
  const listed = await db.query<AlikeRow>(
    `select ${COLUMNS}, source_code as "sourceCode", payer from receipts r
     where source_code in (select source_code from receipt_sources where source_code <> $1)
       and account = $2 and paid_at between $3::timestamptz - interval '1 day' and $3::timestamptz + interval '1 day'
       and case when is_day_only or $6
         then paid_at <= $3::timestamptz + case when $6 then ${LAST_OF_DAY} else interval '0' end
           and paid_at >= $3::timestamptz - case when is_day_only then ${LAST_OF_DAY} else interval '0' end
         else paid_at between $3::timestamptz - ${ALIKE_WITHIN} and $3::timestamptz + ${ALIKE_WITHIN} end
       and received_at > $3::timestamptz - ${ALIKE_WITHIN}
       and amount_cents = $4 and issuer <> $5
       and not exists (select from receipt_reports p
         where p.receipt_id = r.receipt_id and p.source_code = $1)
     order by paid_at, receipt_id`,
    [
      report.sourceCode,
      report.account,
      report.paidAt,
      report.amountCents,
      report.issuer,
      report.isDayOnly === true,
    ],
  );
  return listed.rows;
}

/** A provider delivers messages days late after an outage, and a number is used again after this time. */
const ARRIVES_WITHIN = `interval '31 days'`;

/** SQL: with the amount ($4) and account ($2), of other issuers ($5) and sources ($1), which do not list their money. */
const OF_OTHERS = `source_code in (select source_code from receipt_sources where source_code <> $1)
       and account = $2 and amount_cents = $4 and issuer <> $5
       and not exists (select from receipt_reports p
         where p.receipt_id = r.receipt_id and p.source_code = $1)`;

type OfOthers = Pick<ReceiptReport, 'issuer' | 'sourceCode' | 'amountCents' | 'paidAt'> & {
  readonly account: string;
};

const othersOf = (report: OfOthers): unknown[] => [
  ...[report.sourceCode, report.account, report.paidAt, report.amountCents, report.issuer],
];

/** Like `listAlike`: those whose time is that of their arrival, which may be long after this payment. */
export async function listArrived(db: Queryable, report: OfOthers): Promise<AlikeRow[]> {
  const listed = await db.query<AlikeRow>(
    `select ${COLUMNS}, source_code as "sourceCode", payer from receipts r
     where ${OF_OTHERS} and is_arrival_time
       and paid_at between $3::timestamptz - interval '1 day' and $3::timestamptz + ${ARRIVES_WITHIN}
     order by paid_at, receipt_id`,
    othersOf(report),
  );
  return listed.rows;
}

/** Like `listAlike`, of a report whose time is that of its arrival: what was paid long before. */
export async function listBeforeArrival(db: Queryable, report: OfOthers): Promise<AlikeRow[]> {
  const listed = await db.query<AlikeRow>(
    `select ${COLUMNS}, source_code as "sourceCode", payer from receipts r
     where ${OF_OTHERS}
       and paid_at between $3::timestamptz - ${ARRIVES_WITHIN} and $3::timestamptz + interval '1 day'
     order by paid_at, receipt_id`,
    othersOf(report),
  );
  return listed.rows;
}

type OfAccount = Pick<ReceiptReport, 'issuer' | 'amountCents' | 'paidAt'> & {
  readonly account: string;
};

/** People look at what the provider shows, which may be another payment of the month. */
const MISTYPED_WITHIN = `interval '31 days'`;

/** Receipts of the issuer with this amount and account, whatever source reported them, whose numbers people entered. */
export async function listByHand(db: Queryable, report: OfAccount): Promise<NumberedRow[]> {
  const listed = await db.query<NumberedRow>(
    `select ${COLUMNS} from receipts r
     where source_code in (select source_code from receipt_sources) and issuer = $1 and account = $2
       and is_by_hand and amount_cents = $3
       and paid_at between $4::timestamptz - ${MISTYPED_WITHIN} and $4::timestamptz + ${MISTYPED_WITHIN}
     order by paid_at, receipt_id limit ${MAX_OTHERS}`,
    [report.issuer, report.account, report.amountCents, report.paidAt],
  );
  return listed.rows;
}

/**
 * Receipts of the issuer with this amount and account, whatever source reported them, from a day before to a day after.
 * One whose time is that of its arrival may have been paid long before.
 */
export async function listOfAccount(db: Queryable, report: OfAccount): Promise<NumberedRow[]> {
  const listed = await db.query<NumberedRow>(
    `select ${COLUMNS} from receipts r
     where source_code in (select source_code from receipt_sources) and issuer = $1 and account = $2
       and amount_cents = $3
       and paid_at between $4::timestamptz - interval '1 day' and $4::timestamptz + ${MISTYPED_WITHIN}
       and (paid_at <= $4::timestamptz + interval '1 day' or is_arrival_time)
     order by paid_at, receipt_id limit ${MAX_OTHERS}`,
    [report.issuer, report.account, report.amountCents, report.paidAt],
  );
  return listed.rows;
}
