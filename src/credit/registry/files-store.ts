import { isoDay } from '../../platform/base/days.ts';
import { bigintArray } from '../../platform/db/arrays.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { CreditFile, LifeRecord, PastEnquiry } from '../facts.ts';
import { lifeRecordOf } from './life-store.ts';
import { WITH_SALE } from './sales-store.ts';
import { accountsOf } from './read-subjects.ts';
import type { AccountRow, FileOptions, StateRow } from './read-subjects.ts';
import { pastEnquiryOf } from './subject-enquiries-store.ts';
import type { PastEnquiryRow } from './subject-enquiries-store.ts';
import { IS_WITHDRAWN } from './read-withdrawals.ts';

/** A subject, and the subjects whose rows belong to its file. */
export interface FileOwner {
  readonly crn: bigint;
  readonly members: readonly bigint[];
}

/**
 * Reads for many subjects what `readCreditFile` reads for one, with one statement for each table.
 * Returns the files by subject reference.
 */
export async function readCreditFiles(
  db: Queryable,
  owners: readonly FileOwner[],
  options: Omit<FileOptions, 'crn'>,
): Promise<Map<bigint, CreditFile>> {
  const of = owners.flatMap(({ crn, members }) => members.map((member) => ({ crn, member })));
  const pairs = [
    bigintArray(of.map(({ crn }) => crn)),
    bigintArray(of.map(({ member }) => member)),
  ];
  const [accounts, states, enquiries, lives] = await Promise.all([
    readAccounts(db, pairs, options),
    readStates(db, pairs, options),
    readEnquiries(db, pairs, options),
    readLives(db, pairs, options),
  ]);
  return new Map(
    owners.map(({ crn }) => {
      const life = lives.get(crn);
      return [
        crn,
        {
          asOf: options.asOf,
          ...accountsOf(accounts.get(crn) ?? [], states),
          enquiries: enquiries.get(crn) ?? [],
          ...(life === undefined ? {} : { life }),
        },
      ];
    }),
  );
}

type Pairs = readonly unknown[];
type Options = Omit<FileOptions, 'crn'>;

/**
 * All pairs. Because of the limit, the planner expects few rows and looks up the rows of the other
 * tables by their keys (decision 23).
 */
const PAIRS = `(
        select * from unnest($1::bigint[], $2::bigint[]) u (crn, member) limit cardinality($1)
      ) o`;

async function readAccounts(
  db: Queryable,
  pairs: Pairs,
  { asOf }: Options,
): Promise<Map<bigint, AccountRow[]>> {
  const read = await db.query<AccountRow & { crn: bigint }>({
    name: 'credit_files_accounts',
    text: `select o.crn, a.account_id as "accountId", a.lender, l.sector, a.product,
        a.opened_on::text as "openedOn", a.original_cents as "originalCents",
        a.instalment_cents as "instalmentCents", a.repayment_months as "repaymentMonths",
        a.joint_holders as "jointHolders", a.is_guarantee as "isGuarantee",
        exists (select from account_disputes d
          where d.crn = any($2::bigint[]) and d.account_id = a.account_id
            and d.closed_at is null) as disputed,
        e.into_account_id as "soldInto", e.sold_on::text as "soldOn"
      from ${PAIRS}
        join credit_accounts a on a.crn = o.member
        join lenders l on l.lender = a.lender
        ${WITH_SALE}
      where a.opened_on <= $3 and not ${IS_WITHDRAWN}
      order by o.crn, a.opened_on, a.account_id`,
    values: [...pairs, isoDay(asOf)],
  });
  return Map.groupBy(read.rows, ({ crn }) => crn);
}

async function readStates(
  db: Queryable,
  pairs: Pairs,
  { asOf }: Options,
): Promise<Map<bigint, StateRow[]>> {
  const read = await db.query<StateRow>({
    name: 'credit_files_states',
    text: `select account_id as "accountId", as_of::text as "asOf",
        balance_cents as "balanceCents", overdue_cents as "overdueCents",
        days_in_arrears as "daysInArrears", instalments_in_arrears as "instalmentsInArrears",
        risk_class as "riskClass", status, status_on::text as "statusOn",
        last_payment_on::text as "lastPaymentOn", last_payment_cents as "lastPaymentCents"
      from account_states where crn = any($1::bigint[]) and as_of <= $2
      order by account_id, as_of`,
    values: [pairs[1], isoDay(asOf)],
  });
  return Map.groupBy(read.rows, (row) => row.accountId);
}

async function readEnquiries(
  db: Queryable,
  pairs: Pairs,
  options: Options,
): Promise<Map<bigint, PastEnquiry[]>> {
  const read = await db.query<PastEnquiryRow & { crn: bigint }>({
    name: 'credit_files_enquiries',
    text: `select o.crn, e.enquired_at as "enquiredAt", e.report_reason as "reportReason", e.sector,
        e.vendor_id as "vendorId"
      from ${PAIRS}
        join subject_enquiries e on e.crn = o.member
      where e.enquired_at < $3 and e.enquired_at >= $4
        and not ($5::integer is not null and e.vendor_id = $5 and e.enquired_at >= $6)
      order by o.crn, e.enquired_at, e.enquiry_id`,
    values: [
      ...pairs,
      options.enquiriesUntil,
      options.keptFrom,
      options.ownVendorId,
      options.ownEnquiriesFrom,
    ],
  });
  const byCrn = Map.groupBy(read.rows, ({ crn }) => crn);
  return new Map([...byCrn].map(([crn, rows]) => [crn, rows.map(pastEnquiryOf)]));
}

async function readLives(
  db: Queryable,
  pairs: Pairs,
  { timeZone }: Options,
): Promise<Map<bigint, LifeRecord>> {
  const read = await db.query<{ crn: bigint; status: LifeRecord['status']; recordedAt: Date }>({
    name: 'credit_files_lives',
    text: `select distinct on (o.crn) o.crn, r.status, r.recorded_at as "recordedAt"
      from ${PAIRS}
        join subject_life_records r on r.crn = o.member
      order by o.crn, r.recorded_at desc, r.record_id desc`,
    values: [...pairs],
  });
  return new Map(read.rows.map(({ crn, ...row }) => [crn, lifeRecordOf(row, timeZone)]));
}
