import { isoDay } from '../src/platform/base/days.ts';
import { newId } from '../src/platform/base/ids.ts';
import type { CreditAccount } from '../src/credit/facts.ts';
import { addSubjectEnquiries } from '../src/credit/registry/subject-enquiries-store.ts';
import type { SubmittedAccount } from '../src/credit/importing/record.ts';
import type { State } from '../src/credit/registry/account.ts';
import { SeenAccounts } from '../src/credit/importing/seen-accounts.ts';
import { registerLender } from '../src/credit/registry/lenders-store.ts';
import { indexAccount, registerSubjects, writeBatch } from '../src/credit/importing/write.ts';
import type { Vault } from '../src/credit/registry/vault.ts';
import { databaseTransaction } from '../src/platform/db/pool.ts';
import type { Pool, Queryable } from '../src/platform/db/pool.ts';
import { lastMonthEnd } from './population/calendar.ts';
import { generatePopulation } from './population/population.ts';
import type { Subject } from './population/population.ts';

/** Subjects written in one commit. */
const BATCH_SUBJECTS = 500;
/** The history comes from no file. */
const NO_IMPORT = '00000000-0000-0000-0000-000000000000';

/** Writes made-up subjects with their whole history into the registry. Returns how many. */
export async function loadSubjects(
  pool: Pool,
  vault: Vault,
  subjects: Iterable<Subject>,
): Promise<number> {
  let loaded = 0;
  let batch: Subject[] = [];
  const flush = async (): Promise<void> => {
    const written = batch;
    batch = [];
    if (written.length === 0) return;
    await databaseTransaction(pool, (client) => loadBatch(client, vault, written));
    loaded += written.length;
  };
  for (const subject of subjects) {
    batch.push(subject);
    if (batch.length === BATCH_SUBJECTS) await flush();
  }
  await flush();
  return loaded;
}

async function loadBatch(
  client: Queryable,
  vault: Vault,
  subjects: readonly Subject[],
): Promise<void> {
  const at = new Date();
  const context = { vault, importId: NO_IMPORT, corrects: false, at };
  const crns = await registerSubjects(
    client,
    subjects.map(({ profile }) => profile),
    context,
  );
  const byLender = new Map<string, { account: CreditAccount; subject: Subject }[]>();
  for (const subject of subjects) {
    for (const account of subject.file.accounts) {
      const others = byLender.get(account.lender) ?? [];
      byLender.set(account.lender, [...others, { account, subject }]);
    }
  }
  for (const [lender, accounts] of byLender) {
    const sector = accounts[0]?.account.sector ?? 'other';
    await registerLender(client, { lender, sector, at });
    const seen = new SeenAccounts();
    const indexed = accounts.map(({ account, subject }) =>
      indexAccount(submittedAccount(account, subject), { vault, lender }, seen),
    );
    await writeBatch(client, indexed, { ...context, lender });
  }
  await addSubjectEnquiries(
    client,
    subjects.flatMap((subject, index) =>
      subject.file.enquiries.map((enquiry) => ({
        crn: crns[index] ?? 0n,
        enquiredAt: enquiry.at,
        enquiryId: newId(),
        vendorId: 0,
        askedBy: 'Before this registry began',
        sector: enquiry.sector,
        operation: 'generic-score',
        reportReason: enquiry.reason,
        nameDiffers: false,
      })),
    ),
  );
}

function submittedAccount(account: CreditAccount, subject: Subject): SubmittedAccount {
  const accountNumber = account.key.slice(account.key.indexOf('/') + 1);
  return {
    line: 0,
    profile: subject.profile,
    accountNumber,
    clientNumber: `C${accountNumber}`,
    terms: {
      product: account.product,
      openedOn: isoDay(account.openedOn),
      originalCents: account.originalCents,
      instalmentCents: account.instalmentCents,
      repaymentMonths: account.repaymentMonths,
      jointHolders: null,
      isGuarantee: null,
    },
    states: [...account.history, account.current].map((state): State => {
      const isCurrent = state === account.current;
      return {
        asOf: isoDay(state.asOf),
        balanceCents: state.balanceCents,
        overdueCents: state.overdueCents,
        daysInArrears: state.daysInArrears,
        instalmentsInArrears: state.instalmentsInArrears,
        riskClass: state.riskClass,
        status: state.status,
        statusOn: isoDay(state.statusOn),
        lastPaymentOn:
          isCurrent && account.lastPaymentOn !== null ? isoDay(account.lastPaymentOn) : null,
        lastPaymentCents: isCurrent ? account.lastPaymentCents : null,
      };
    }),
  };
}

/** Subjects of the sandbox, the five documented examples first. */
const SANDBOX_SUBJECTS = 1_000;
const SANDBOX_SEED = 20_261_031;

/** The first who are on file in the sandbox: always the same people, as of the last month's end. */
export function sandboxPopulation(subjects = SANDBOX_SUBJECTS): Generator<Subject> {
  return generatePopulation({ seed: SANDBOX_SEED, subjects, asOf: lastMonthEnd(new Date()) });
}

/**
 * Fills the sandbox's registry at its first start, as of the last month's end. One that was killed
 * meanwhile goes on where it stopped, since the population is the same and comes in the same order.
 */
export async function prepareRegistry(pool: Pool, vault: Vault): Promise<void> {
  const counted = await pool.query<{ count: bigint }>('select count(*) from subjects');
  const known = Number(counted.rows[0]?.count ?? 0n);
  if (known >= SANDBOX_SUBJECTS) return;
  const population = sandboxPopulation();
  for (let skipped = 0; skipped < known; skipped += 1) population.next();
  await loadSubjects(pool, vault, population);
}
