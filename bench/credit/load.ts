import { isoDay } from '../../src/platform/base/days.ts';
import { addDocuments, putSubjects } from '../../src/credit/registry/subjects-store.ts';
import { subjectLocation } from '../../src/credit/registry/profile.ts';
import type { Vault } from '../../src/credit/registry/vault.ts';
import { databaseTransaction } from '../../src/platform/db/pool.ts';
import type { Pool, Queryable } from '../../src/platform/db/pool.ts';
import { AS_OF, personOf } from './population.ts';

const BATCH_SUBJECTS = 10_000;
export const ACCOUNTS_PER_SUBJECT = 5;

export interface LoadOptions {
  readonly pool: Pool;
  readonly vault: Vault;
  readonly subjects: number;
  readonly report: (line: string) => void;
}

/**
 * Fills a registry with `subjects` people of 1 to 9 accounts each, 5 on average, two monthly states
 * an account and one past enquiry. Data that requests read is real: profiles are sealed and indexed
 * as by the import. Data that they do not read (account numbers) is random bytes of the same length.
 */
export async function loadRegistry(options: LoadOptions): Promise<void> {
  const { pool, subjects, report } = options;
  // Sorting random keys once is faster than inserting them one by one.
  await pool.query('drop index credit_accounts_by_number');
  await pool.query(
    "insert into lenders (lender, sector, created_at) select 'BENCH_' || sector, sector, now() from unnest($1::text[]) s (sector)",
    [LENDER_SECTORS],
  );
  for (let from = 0; from < subjects; from += BATCH_SUBJECTS) {
    const to = Math.min(subjects, from + BATCH_SUBJECTS);
    await databaseTransaction(pool, async (client) => {
      await addPeople(client, options, from, to);
      await addFacts(client, from, to);
    });
    if (to % 100_000 === 0 || to === subjects) report(`${to} of ${subjects} subjects`);
  }
  await pool.query('create index credit_accounts_by_number on credit_accounts (account_index)');
  await pool.query(
    'update credit_registry set next_crn = next_crn + $1, next_account_id = next_account_id + 16 * $1::bigint',
    [subjects],
  );
  // What autovacuum would do: mark rows as visible to all, and update the statistics.
  await pool.query('vacuum (analyze) subjects, subject_documents');
  await pool.query('vacuum (analyze) credit_accounts, account_states, subject_enquiries');
  await pool.query('checkpoint');
}

const LENDER_SECTORS = ['bank', 'microfinance', 'sacco', 'mobile_lender', 'retail'] as const;
const NO_IMPORT = '00000000-0000-0000-0000-000000000000';
const FIRST_CRN = 1_000_001n;

async function addPeople(
  client: Queryable,
  { vault }: LoadOptions,
  from: number,
  to: number,
): Promise<void> {
  const people = Array.from({ length: to - from }, (_, at) => {
    const crn = FIRST_CRN + BigInt(from + at);
    return { crn, profile: personOf(from + at) };
  });
  await putSubjects(
    client,
    'new',
    people.map(({ crn, profile }) => ({
      crn,
      sealed: vault.seal(JSON.stringify(profile), subjectLocation(crn)),
    })),
    AS_OF,
  );
  await addDocuments(
    client,
    'new',
    people.flatMap(({ crn, profile }) =>
      profile.documents.map(({ type, number }) => ({
        crn,
        index: vault.index('document', `${type}|${number}`),
      })),
    ),
  );
}

/** Accounts, states and enquiries of a range of subjects, varied by remainders of divisions. */
async function addFacts(client: Queryable, from: number, to: number): Promise<void> {
  const range = [String(FIRST_CRN + BigInt(from)), String(FIRST_CRN + BigInt(to - 1))];
  await client.query(
    `insert into credit_accounts
     select crn, crn * 16 + k, substr(digest, 1, 20), 'BENCH_' || ($3::text[])[1 + (crn + k) % 5],
       digest || digest || substr(digest, 1, 18), substr(digest, 9, 20),
       case when (crn + k) % 5 in (0, 3) then 'I' else substr('ACDFHJK', 1 + (k % 7)::int, 1) end,
       $4::date - ((crn * 7 + k * 131) % 1500 + 40)::int, 100000 + (crn * 37 + k * 1013) % 5000000,
       25000, 12, null, $4::date
     from generate_series($1::bigint, $2::bigint) crn,
       lateral generate_series(1, 1 + crn * 7919 % 9) k,
       lateral sha256(int8send(crn * 16 + k)) digest`,
    [...range, LENDER_SECTORS, isoDay(AS_OF)],
  );
  await client.query(
    `insert into account_states
     select crn, crn * 16 + k, as_of, case when closed then 0 else balance end,
       case when late then balance / 2 else 0 end, case when late then 20 + crn % 160 else 0 end,
       case when late then 1 else 0 end,
       case when late and crn % 160 > 70 then 'C' when late and crn % 160 > 10 then 'B' else 'A' end,
       case when closed then 'A' else 'F' end, as_of - 20, as_of - 5, 25000, $4::uuid
     from generate_series($1::bigint, $2::bigint) crn,
       lateral generate_series(1, 1 + crn * 7919 % 9) k,
       lateral (select 50000 + (crn * 31 + k * 7) % 3000000 as balance,
         (crn + k * 3) % 3 = 0 as closed, (crn + k * 3) % 9 = 1 as late) v,
       unnest(array[($3::date - 31), $3::date]) as_of`,
    [...range, isoDay(AS_OF), NO_IMPORT],
  );
  await client.query(
    `insert into subject_enquiries
     select crn, $3::date - (crn % 200)::int, gen_random_uuid(), 0, 'Bench', 'bank', 'generic-score',
       (1 + crn % 12)::int
     from generate_series($1::bigint, $2::bigint) crn`,
    [...range, isoDay(AS_OF)],
  );
}
