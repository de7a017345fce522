import { isoDay } from '../../platform/base/days.ts';
import { keyOf } from '../../platform/db/arrays.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { Sector } from '../../parties/vendor.ts';
import type { AccountState, CreditAccount, CreditFile, ProductType, RiskClass } from '../facts.ts';
import { DOCUMENT_TYPES } from './documents.ts';
import type { DocumentType, IdentityDocument } from './documents.ts';
import { readLifeRecord } from './life-store.ts';
import { MEMBERS_OF_FIRST_PARAMETER } from './read-merges.ts';
import { mergeProfiles, subjectLocation } from './profile.ts';
import type { Profile } from './profile.ts';
import { readPastEnquiries } from './subject-enquiries-store.ts';
import type { EnquiryWindow } from './subject-enquiries-store.ts';
import type { Vault } from './vault.ts';
import { joinSales } from './sales.ts';
import { WITH_SALE } from './sales-store.ts';
import { IS_WITHDRAWN } from './read-withdrawals.ts';

export interface FoundSubject {
  readonly crn: bigint;
  /** The subject itself, and those merged into it. */
  readonly members: readonly bigint[];
  readonly profile: Profile;
  /** The documents of the subject and of subjects merged into it, which may differ. */
  readonly birthDates: readonly string[];
  /** Types of the given documents that led to this subject. */
  readonly by: readonly DocumentType[];
}

/** The subjects that any of the documents belongs to, by reference. */
export async function findSubjects(
  db: Queryable,
  vault: Vault,
  documents: readonly IdentityDocument[],
): Promise<FoundSubject[]> {
  const [found] = await findSubjectsOfEach(db, vault, [documents]);
  return found ?? [];
}

/** Finds subjects for many questions at once: for each, in order, the subjects of its documents. */
export async function findSubjectsOfEach(
  db: Queryable,
  vault: Vault,
  questions: readonly (readonly IdentityDocument[])[],
): Promise<FoundSubject[][]> {
  const keysOfEach = questions.map((documents) =>
    documents.flatMap(({ type, number }) =>
      vault
        .indexes('document', `${type}|${number}`)
        .map((index) => ({ type, index, key: keyOf(index) })),
    ),
  );
  const indexes = new Map(keysOfEach.flat().map(({ key, index }) => [key, index]));
  const read = await db.query<SubjectRow>({
    name: 'credit_find_subjects',
    text: `select d.document_index as "documentIndex", f.crn, s.crn as member, s.sealed
      from subject_documents d
      left join subject_merges m on m.from_crn = d.crn and m.undone_at is null,
      lateral (select coalesce(m.into_crn, d.crn) as crn) f,
      lateral (select f.crn as member union all
        select o.from_crn from subject_merges o where o.into_crn = f.crn and o.undone_at is null) g
      join subjects s on s.crn = g.member
      where d.document_index = any($1::bytea[]) order by f.crn, s.crn`,
    values: [[...indexes.values()]],
  });
  const rowsByKey = Map.groupBy(read.rows, (row) => keyOf(row.documentIndex));
  return keysOfEach.map((keys) =>
    subjectsOf(
      vault,
      keys.flatMap(({ type, key }) => (rowsByKey.get(key) ?? []).map((row) => ({ type, row }))),
    ),
  );
}

interface SubjectRow {
  documentIndex: Buffer;
  crn: bigint;
  member: bigint;
  sealed: Buffer;
}

function subjectsOf(
  vault: Vault,
  found: readonly { readonly type: DocumentType; readonly row: SubjectRow }[],
): FoundSubject[] {
  const byCrn = new Map<bigint, { members: Map<bigint, Buffer>; by: Set<DocumentType> }>();
  for (const { type, row } of found) {
    const one = byCrn.get(row.crn) ?? { members: new Map(), by: new Set() };
    one.members.set(row.member, row.sealed);
    one.by.add(type);
    byCrn.set(row.crn, one);
  }
  return [...byCrn]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([crn, { members, by }]) => ({
      crn,
      members: [...members.keys()],
      ...openMembers(vault, crn, members),
      by: DOCUMENT_TYPES.filter((type) => by.has(type)),
    }));
}

/** A subject’s profile, completed by the profiles of subjects merged into it. */
export async function readSubject(
  db: Queryable,
  vault: Vault,
  crn: bigint,
): Promise<Profile | undefined> {
  const read = await db.query<{ crn: bigint; sealed: Buffer }>(
    `select crn, sealed from subjects where crn = ${MEMBERS_OF_FIRST_PARAMETER} order by crn`,
    [crn],
  );
  const members = new Map(read.rows.map((row) => [row.crn, row.sealed]));
  return members.has(crn) ? openMembers(vault, crn, members).profile : undefined;
}

/** The profile of the first subject, completed by the profiles of the others. */
export async function readJoinedSubject(
  db: Queryable,
  vault: Vault,
  crns: readonly [bigint, ...bigint[]],
): Promise<Profile | undefined> {
  const read = await db.query<{ crn: bigint; sealed: Buffer }>(
    'select crn, sealed from subjects where crn = any($1::bigint[]) order by crn',
    [crns],
  );
  const members = new Map(read.rows.map((row) => [row.crn, row.sealed]));
  return members.has(crns[0]) ? openMembers(vault, crns[0], members).profile : undefined;
}

/** One profile for a subject and those merged into it. */
function openMembers(
  vault: Vault,
  crn: bigint,
  members: ReadonlyMap<bigint, Buffer>,
): Pick<FoundSubject, 'profile' | 'birthDates'> {
  const opened = [...members]
    .toSorted(([a], [b]) => Number(b === crn) - Number(a === crn) || (a < b ? -1 : 1))
    .map(
      ([member, sealed]) => JSON.parse(vault.unseal(sealed, subjectLocation(member))) as Profile,
    );
  const [own, ...others] = opened;
  if (own === undefined) throw new Error('A subject has no profile');
  const birthDates = opened.map(({ dateOfBirth }) => dateOfBirth);
  return { profile: others.reduce(mergeProfiles, own), birthDates };
}

export interface AccountRow {
  accountId: bigint;
  lender: string;
  sector: Sector;
  product: ProductType;
  openedOn: string;
  originalCents: bigint;
  instalmentCents: bigint | null;
  repaymentMonths: number | null;
  jointHolders: number | null;
  isGuarantee: boolean;
  disputed: boolean;
  /** The buyer's account, if the debt was sold. */
  soldInto: bigint | null;
  soldOn: string | null;
}

export interface StateRow {
  accountId: bigint;
  asOf: string;
  balanceCents: bigint;
  overdueCents: bigint;
  daysInArrears: number;
  instalmentsInArrears: number;
  riskClass: RiskClass;
  status: AccountState['status'];
  statusOn: string;
  lastPaymentOn: string | null;
  lastPaymentCents: bigint | null;
}

export interface FileOptions extends EnquiryWindow {
  /** UTC midnight of the day that the file is read for. */
  readonly asOf: Date;
  readonly timeZone: string;
}

/** Everything on file about a subject on a day; later submissions are not included. */
export async function readCreditFile(db: Queryable, options: FileOptions): Promise<CreditFile> {
  const asOfDay = isoDay(options.asOf);
  const [accounts, states, enquiries, life] = await Promise.all([
    db.query<AccountRow>({
      name: 'credit_file_accounts',
      text: `select a.account_id as "accountId", a.lender, l.sector, a.product,
        a.opened_on::text as "openedOn", a.original_cents as "originalCents",
          a.instalment_cents as "instalmentCents", a.repayment_months as "repaymentMonths",
          a.joint_holders as "jointHolders", a.is_guarantee as "isGuarantee",
          exists (select from account_disputes d where d.crn = ${MEMBERS_OF_FIRST_PARAMETER} and d.account_id = a.account_id
            and d.closed_at is null) as disputed,
          e.into_account_id as "soldInto", e.sold_on::text as "soldOn"
        from credit_accounts a join lenders l on l.lender = a.lender ${WITH_SALE}
        where a.crn = ${MEMBERS_OF_FIRST_PARAMETER} and a.opened_on <= $2
          and not ${IS_WITHDRAWN}
        order by a.opened_on, a.account_id`,
      values: [options.crn, asOfDay],
    }),
    db.query<StateRow>({
      name: 'credit_file_states',
      text: `select account_id as "accountId", as_of::text as "asOf",
        balance_cents as "balanceCents", overdue_cents as "overdueCents",
        days_in_arrears as "daysInArrears",
          instalments_in_arrears as "instalmentsInArrears", risk_class as "riskClass", status,
            status_on::text as "statusOn", last_payment_on::text as "lastPaymentOn",
          last_payment_cents as "lastPaymentCents"
        from account_states where crn = ${MEMBERS_OF_FIRST_PARAMETER}
          and as_of <= $2 order by account_id, as_of`,
      values: [options.crn, asOfDay],
    }),
    readPastEnquiries(db, options),
    readLifeRecord(db, options.crn, options.timeZone),
  ]);
  const statesById = new Map<bigint, StateRow[]>();
  for (const row of states.rows) {
    const known = statesById.get(row.accountId);
    if (known === undefined) statesById.set(row.accountId, [row]);
    else known.push(row);
  }
  return {
    asOf: options.asOf,
    ...accountsOf(accounts.rows, statesById),
    enquiries,
    ...(life === undefined ? {} : { life }),
  };
}

/**
 * The accounts with their states, oldest first, and apart from them those that the person guarantees;
 * none for an account without a state.
 */
export function accountsOf(
  rows: readonly AccountRow[],
  states: ReadonlyMap<bigint, readonly StateRow[]>,
): Pick<CreditFile, 'accounts' | 'guarantees'> {
  const withStates = (isGuarantee: boolean) =>
    rows
      .filter((row) => row.isGuarantee === isGuarantee)
      .flatMap((row) =>
        accountOf(row, states.get(row.accountId) ?? []).map((one) => [row.accountId, one] as const),
      );
  const guarantees = withStates(true).map(([, account]) => account);
  const sales = rows.flatMap(({ accountId, soldInto, soldOn }) =>
    soldInto === null || soldOn === null
      ? []
      : [{ from: accountId, into: soldInto, soldOn: dateOf(soldOn) }],
  );
  const accounts = joinSales(new Map(withStates(false)), sales);
  return guarantees.length === 0 ? { accounts } : { accounts, guarantees };
}

function accountOf(row: AccountRow, rows: readonly StateRow[]): CreditAccount[] {
  const newest = rows.at(-1);
  // It was submitted for later days only.
  if (newest === undefined) return [];
  return [
    {
      key: `${row.lender} ${row.accountId}`,
      lender: row.lender,
      sector: row.sector,
      product: row.product,
      openedOn: dateOf(row.openedOn),
      originalCents: row.originalCents,
      instalmentCents: row.instalmentCents,
      repaymentMonths: row.repaymentMonths,
      ...(row.jointHolders === null ? {} : { jointHolders: row.jointHolders }),
      lastPaymentOn: newest.lastPaymentOn === null ? null : dateOf(newest.lastPaymentOn),
      lastPaymentCents: newest.lastPaymentCents,
      current: stateOf(newest),
      history: rows.slice(0, -1).map(stateOf),
      disputed: row.disputed || newest.status === 'P',
    },
  ];
}

function stateOf(row: StateRow): AccountState {
  return {
    asOf: dateOf(row.asOf),
    balanceCents: row.balanceCents,
    overdueCents: row.overdueCents,
    daysInArrears: row.daysInArrears,
    instalmentsInArrears: row.instalmentsInArrears,
    riskClass: row.riskClass,
    status: row.status,
    statusOn: dateOf(row.statusOn),
  };
}

function dateOf(day: string): Date {
  return new Date(`${day}T00:00:00Z`);
}

/** Values that a lender submitted and later corrected. */
export interface PastCorrection {
  readonly accountId: bigint;
  readonly correctedAt: Date;
  /** The former terms or a former state of the account; amounts in cents, as text. */
  readonly former: Readonly<Record<string, string | number | null>>;
}

/** Corrections of a subject's accounts, oldest first. */
export async function listCorrections(db: Queryable, crn: bigint): Promise<PastCorrection[]> {
  const read = await db.query<PastCorrection>(
    `select account_id as "accountId", corrected_at as "correctedAt", former
      from account_corrections
     where crn = ${MEMBERS_OF_FIRST_PARAMETER}
     order by corrected_at, correction_id limit 10000`,
    [crn],
  );
  return read.rows;
}
