import { newId } from '../../platform/base/ids.ts';
import { bigintArray, byteaArray, keyOf, plainArray } from '../../platform/db/arrays.ts';
import type { Bytes } from '../../platform/db/arrays.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { KnownAccount, State, Terms } from './account.ts';
import type { StateRow as StoredState } from './read-subjects.ts';
import type { Rows } from './subjects-store.ts';

interface AccountRow {
  accountIndex: Buffer;
  crn: bigint;
  accountId: bigint;
  identityHash: Buffer;
  product: Terms['product'];
  openedOn: string;
  originalCents: bigint;
  instalmentCents: bigint | null;
  repaymentMonths: number | null;
  jointHolders: number | null;
  isGuarantee: boolean;
  termsAsOf: string;
}

interface StateRow extends StoredState {
  crn: bigint;
}

const STATE_COLUMNS = `s.crn, s.account_id as "accountId", s.as_of::text as "asOf",
  s.balance_cents as "balanceCents", s.overdue_cents as "overdueCents",
  s.days_in_arrears as "daysInArrears", s.instalments_in_arrears as "instalmentsInArrears",
    s.risk_class as "riskClass", s.status, s.status_on::text as "statusOn",
  s.last_payment_on::text as "lastPaymentOn", s.last_payment_cents as "lastPaymentCents"`;

/**
 * Accounts by account key, with their states for these as-of dates. An account with joint holders or
 * guarantors is on file once for each of them.
 */
export async function readKnownAccounts(
  db: Queryable,
  lender: string,
  indexes: readonly Bytes[],
  asOfDays: readonly string[],
): Promise<Map<string, KnownAccount[]>> {
  const read = await db.query<AccountRow>(
    `select account_index as "accountIndex", crn, account_id as "accountId",
       identity_hash as "identityHash", product, opened_on::text as "openedOn",
       original_cents as "originalCents", instalment_cents as "instalmentCents",
       repayment_months as "repaymentMonths", joint_holders as "jointHolders",
       is_guarantee as "isGuarantee",
       greatest(terms_as_of, (select max(as_of) from account_states s
         where s.crn = a.crn and s.account_id = a.account_id))::text as "termsAsOf"
     from credit_accounts a where account_index = any($1::bytea[]) and lender = $2
     order by account_id`,
    [byteaArray(indexes), lender],
  );
  if (read.rows.length === 0) return new Map();
  const states = await db.query<StateRow>(
    `select ${STATE_COLUMNS}
     from (
       select * from unnest($1::bigint[], $2::bigint[]) u (crn, account_id) limit cardinality($1)
     ) a
     join account_states s on s.crn = a.crn and s.account_id = a.account_id
     where s.as_of = any($3::date[])`,
    [
      bigintArray(read.rows.map((row) => row.crn)),
      bigintArray(read.rows.map((row) => row.accountId)),
      asOfDays,
    ],
  );
  const statesById = new Map<bigint, Map<string, State>>();
  for (const row of states.rows) {
    const known = statesById.get(row.accountId) ?? new Map<string, State>();
    statesById.set(row.accountId, known.set(row.asOf, stateOfRow(row)));
  }
  const known = Map.groupBy(read.rows, (row) => keyOf(row.accountIndex));
  return new Map(
    [...known].map(([key, rows]) => [
      key,
      rows.map((row) => ({
        crn: row.crn,
        accountId: row.accountId,
        identityHash: keyOf(row.identityHash),
        terms: {
          product: row.product,
          openedOn: row.openedOn,
          originalCents: row.originalCents,
          instalmentCents: row.instalmentCents,
          repaymentMonths: row.repaymentMonths,
          jointHolders: row.jointHolders,
          isGuarantee: row.isGuarantee,
        },
        termsAsOf: row.termsAsOf,
        states: statesById.get(row.accountId) ?? new Map<string, State>(),
      })),
    ]),
  );
}

function stateOfRow(row: StateRow): State {
  return {
    asOf: row.asOf,
    balanceCents: row.balanceCents,
    overdueCents: row.overdueCents,
    daysInArrears: row.daysInArrears,
    instalmentsInArrears: row.instalmentsInArrears,
    riskClass: row.riskClass,
    status: row.status,
    statusOn: row.statusOn,
    lastPaymentOn: row.lastPaymentOn,
    lastPaymentCents: row.lastPaymentCents,
  };
}

const REPLACE_TERMS = `on conflict (crn, account_id) do update set
  identity_hash = excluded.identity_hash, product = excluded.product,
  opened_on = excluded.opened_on, original_cents = excluded.original_cents,
  instalment_cents = excluded.instalment_cents, repayment_months = excluded.repayment_months,
  joint_holders = excluded.joint_holders, is_guarantee = excluded.is_guarantee, terms_as_of = excluded.terms_as_of`;

export interface AccountWrite {
  readonly crn: bigint;
  readonly accountId: bigint;
  readonly accountIndex: Bytes;
  readonly lender: string;
  readonly sealed: Buffer;
  readonly identityHash: Bytes;
  readonly terms: Terms;
  readonly termsAsOf: string;
}

export async function putAccounts(
  db: Queryable,
  rows: Rows,
  accounts: readonly AccountWrite[],
): Promise<void> {
  if (accounts.length === 0) return;
  const terms = accounts.map((account) => account.terms);
  await db.query(
    `insert into credit_accounts (crn, account_id, account_index, lender, sealed, identity_hash,
       product, opened_on, original_cents, instalment_cents, repayment_months, joint_holders,
       terms_as_of, is_guarantee)
     select * from unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::text[], $5::bytea[],
       $6::bytea[], $7::text[], $8::date[], $9::bigint[], $10::bigint[], $11::integer[], $12::integer[],
       $13::date[], $14::boolean[])
     ${rows === 'new' ? '' : REPLACE_TERMS}`,
    [
      bigintArray(accounts.map(({ crn }) => crn)),
      bigintArray(accounts.map(({ accountId }) => accountId)),
      byteaArray(accounts.map(({ accountIndex }) => accountIndex)),
      plainArray(accounts.map(({ lender }) => lender)),
      byteaArray(accounts.map(({ sealed }) => sealed)),
      byteaArray(accounts.map(({ identityHash }) => identityHash)),
      plainArray(terms.map(({ product }) => product)),
      plainArray(terms.map(({ openedOn }) => openedOn)),
      bigintArray(terms.map(({ originalCents }) => originalCents)),
      bigintArray(terms.map(({ instalmentCents }) => instalmentCents)),
      plainArray(terms.map(({ repaymentMonths }) => repaymentMonths)),
      plainArray(terms.map(({ jointHolders }) => jointHolders)),
      plainArray(accounts.map(({ termsAsOf }) => termsAsOf)),
      terms.map(({ isGuarantee }) => isGuarantee ?? false),
    ],
  );
}

export interface StateWrite {
  readonly crn: bigint;
  readonly accountId: bigint;
  readonly state: State;
}

const REPLACE_STATE = `on conflict (crn, account_id, as_of) do update set
  balance_cents = excluded.balance_cents, overdue_cents = excluded.overdue_cents,
  days_in_arrears = excluded.days_in_arrears,
  instalments_in_arrears = excluded.instalments_in_arrears, risk_class = excluded.risk_class,
  status = excluded.status, status_on = excluded.status_on,
  last_payment_on = excluded.last_payment_on, last_payment_cents = excluded.last_payment_cents,
  import_id = excluded.import_id`;

/** Writes states; an existing one is replaced, and its former values are recorded. */
export async function putStates(
  db: Queryable,
  rows: Rows,
  writes: readonly StateWrite[],
  importId: string,
): Promise<void> {
  if (writes.length === 0) return;
  const states = writes.map(({ state }) => state);
  await db.query(
    `insert into account_states (crn, account_id, as_of, balance_cents, overdue_cents,
       days_in_arrears, instalments_in_arrears, risk_class, status, status_on, last_payment_on,
       last_payment_cents, import_id)
     select *, $13::uuid from unnest($1::bigint[], $2::bigint[], $3::date[], $4::bigint[],
       $5::bigint[], $6::integer[], $7::integer[], $8::text[], $9::text[], $10::date[],
       $11::date[], $12::bigint[])
     ${rows === 'new' ? '' : REPLACE_STATE}`,
    [
      bigintArray(writes.map(({ crn }) => crn)),
      bigintArray(writes.map(({ accountId }) => accountId)),
      plainArray(states.map(({ asOf }) => asOf)),
      bigintArray(states.map(({ balanceCents }) => balanceCents)),
      bigintArray(states.map(({ overdueCents }) => overdueCents)),
      plainArray(states.map(({ daysInArrears }) => daysInArrears)),
      plainArray(states.map(({ instalmentsInArrears }) => instalmentsInArrears)),
      plainArray(states.map(({ riskClass }) => riskClass)),
      plainArray(states.map(({ status }) => status)),
      plainArray(states.map(({ statusOn }) => statusOn)),
      plainArray(states.map(({ lastPaymentOn }) => lastPaymentOn)),
      bigintArray(states.map(({ lastPaymentCents }) => lastPaymentCents)),
      importId,
    ],
  );
}

export interface Correction {
  readonly crn: bigint;
  readonly accountId: bigint;
  readonly former: object;
}

export async function recordCorrections(
  db: Queryable,
  corrections: readonly Correction[],
  by: { readonly importId: string; readonly at: Date },
): Promise<void> {
  if (corrections.length === 0) return;
  await db.query(
    `insert into account_corrections (crn, account_id, correction_id, import_id, corrected_at, former)
     select crn, account_id, correction_id, $5, $6, former
     from unnest($1::bigint[], $2::bigint[], $3::uuid[], $4::jsonb[]) c (crn, account_id, correction_id, former)`,
    [
      bigintArray(corrections.map(({ crn }) => crn)),
      bigintArray(corrections.map(({ accountId }) => accountId)),
      corrections.map(() => newId()),
      corrections.map(({ former }) =>
        JSON.stringify(former, (_name, value: unknown) =>
          typeof value === 'bigint' ? String(value) : value,
        ),
      ),
      by.importId,
      by.at,
    ],
  );
}
