import * as propose from '../../../src/credit/decisions/propose.ts';
import type { Deps, Grounds } from '../../../src/credit/decisions/propose.ts';
import { digestOf } from '../../../src/credit/governance/cards.ts';
import { assignCards } from '../../../src/credit/governance/cards-store.ts';
import { readAssignments } from '../../../src/credit/governance/read-cards.ts';
import { finishImport, openImport } from '../../../src/credit/importing/imports-store.ts';
import { closeCase, openCases } from '../../../src/credit/registry/cases-store.ts';
import { findCase, listCases } from '../../../src/credit/registry/read-cases.ts';
import { closeDispute, openDispute } from '../../../src/credit/registry/disputes-store.ts';
import { registerLender } from '../../../src/credit/registry/lenders-store.ts';
import { addLifeRecord, listLifeRecords } from '../../../src/credit/registry/life-store.ts';
import { mergeSubjects } from '../../../src/credit/registry/merges-store.ts';
import { readSurvivors } from '../../../src/credit/registry/read-merges.ts';
import { putSuppressionRule } from '../../../src/credit/registry/suppression-store.ts';
import { readSuppressionRules } from '../../../src/credit/registry/read-suppression.ts';
import { withdrawAccount } from '../../../src/credit/registry/withdrawals-store.ts';
import { listWithdrawals } from '../../../src/credit/registry/read-withdrawals.ts';
import { shippedCards } from '../../../src/credit/scorecards/score.ts';
import { cardName } from '../../../src/credit/scorecards/scorecard.ts';
import { databaseTransaction } from '../../../src/platform/db/pool.ts';
import type { ProposalRow } from '../../../src/proposals/proposal.ts';
import { newVault } from '../../support/credit-files.ts';
import type { Case, Cases, Given } from './case.ts';

const AT = new Date('2026-11-05T09:00:00Z');
const LENDER = 'BANK';
const HERS = { crn: 1n, accountId: 11n };

/** Three people, the first with an account of the bank, and what a test needs to propose. */
async function registry({ books, proposals, people }: Given) {
  const { pool } = books;
  await pool.query(
    `insert into subjects (crn, sealed, created_at, updated_at)
     select crn, '', now(), now() from generate_series(1, 3) crn`,
  );
  await registerLender(pool, { lender: LENDER, sector: 'bank', at: AT });
  await pool.query(
    `insert into credit_accounts (crn, account_id, account_index, lender, sealed, identity_hash, product,
       opened_on, original_cents, terms_as_of)
     values (1, 11, '\\x01', 'BANK', '', '\\x01', 'H', '2025-01-01', 100000, '2025-01-31')`,
  );
  const deps: Deps = { pool, proposals, clock: { now: () => AT } };
  const grounds: Grounds = { by: people.asha, reason: 'seen', evidence: 'File 7' };
  return { pool, deps, grounds };
}

/** What all of them have in common: the approver sees the change in one line, and no money is in it. */
function caseOf(
  row: ProposalRow,
  change: string,
  rest: Omit<Case, 'id' | 'shown' | 'spend' | 'powerless'>,
): Case {
  return {
    ...rest,
    id: row.proposalId,
    shown: [{ label: 'Change', text: change }],
    spend: async () => rest.approved,
    powerless: 'finance',
  };
}

/** Two people may approve it at once, and one of them does. */
const withoutDecider = (reason: string | null) => reason && reason.replace(/, approved by .*/, '');

async function merge(given: Given): Promise<Case> {
  const { pool, deps, grounds } = await registry(given);
  const row = await propose.proposeMerge(deps, { from: 1n, into: 2n }, grounds);
  return caseOf(row, '1 is answered under 2', {
    state: async () => (await readSurvivors(pool, [1n])).get(1n),
    approved: 2n,
    ended: undefined,
    changeFacts: async () => {
      const other = { from: 1n, into: 3n, reason: 'another', at: AT };
      await databaseTransaction(pool, async (db) => await mergeSubjects(db, other));
    },
    reason: /merged into another already/,
    endedAfterChange: 3n,
  });
}

async function dispute(given: Given): Promise<Case> {
  const { pool, deps, grounds } = await registry(given);
  const made = { ...HERS, statement: 'not mine', at: AT };
  const id = (await openDispute(pool, newVault(), made)) ?? '';
  const asked = { dispute: id, outcome: 'rejected' } as const;
  const row = await propose.proposeOutcome(deps, asked, grounds);
  return caseOf(row, 'the dispute about account 11 of 1 is rejected', {
    state: async () => (await pool.query('select outcome from account_disputes')).rows,
    approved: [{ outcome: 'rejected' }],
    ended: [{ outcome: null }],
    changeFacts: async () => void (await closeDispute(pool, id, 'withdrawn', AT)),
    reason: /No open dispute/,
    endedAfterChange: [{ outcome: 'withdrawn' }],
  });
}

async function withdrawal(given: Given): Promise<Case> {
  const { pool, deps, grounds } = await registry(given);
  const row = await propose.proposeWithdrawal(deps, HERS, grounds);
  return caseOf(row, 'account 11 of 1, submitted by BANK, is withdrawn', {
    state: async () =>
      (await listWithdrawals(pool, { limit: 9 })).map(({ reason }) => withoutDecider(reason)),
    approved: ['seen (proposed by asha'],
    ended: [],
    changeFacts: async () => void (await withdrawAccount(pool, HERS, { reason: 'mine', at: AT })),
    reason: /withdrawn already/,
    endedAfterChange: ['mine'],
  });
}

async function life(given: Given): Promise<Case> {
  const { pool, deps, grounds } = await registry(given);
  const death = { status: 'deceased', diedOn: '2026-11-02' } as const;
  const row = await propose.proposeLife(deps, { crn: 1n, ...death }, grounds);
  return caseOf(row, '1 died on 2026-11-02 and gets no score any more', {
    state: async () => (await listLifeRecords(pool, 1n)).map(({ status }) => status),
    approved: ['deceased'],
    ended: [],
    changeFacts: async () => {
      const other = { status: 'living', recordedAt: AT, diedOn: null, evidence: 'ID' } as const;
      await addLifeRecord(pool, 1n, other);
    },
    reason: /changed since it was proposed/,
    endedAfterChange: ['living'],
  });
}

async function closing(given: Given): Promise<Case> {
  const { pool, deps, grounds } = await registry(given);
  await openCases(pool, 'document_shared', [[1n, 2n]], AT);
  const [{ caseId } = { caseId: '' }] = await listCases(pool, { open: true, limit: 1 });
  const row = await propose.proposeClosing(deps, caseId, grounds);
  return caseOf(row, 'the case is closed', {
    state: async () => withoutDecider((await findCase(pool, caseId))?.resolution ?? null),
    approved: 'seen (proposed by asha',
    ended: null,
    changeFacts: async () => void (await closeCase(pool, caseId, 'another', AT)),
    reason: /No open case/,
    endedAfterChange: 'another',
  });
}

/** The approval permits the import, and carries out nothing itself. */
async function importing(given: Given): Promise<Case> {
  const { pool, deps, grounds } = await registry(given);
  const sha256 = 'ab'.repeat(32);
  const file = { fileName: 'a.csv', lender: LENDER, asOf: '2026-10-31', corrects: false } as const;
  const how = { ...file, sector: 'bank', template: 'mobile', amounts: 'shillings' } as const;
  const counts = { records: 2, accountsAdded: 2, statesAdded: 2 };
  const none = { corrected: 0, unchanged: 0, rejected: 0 };
  const what = { kind: 'import', ...how, sha256, counts: { ...counts, ...none } } as const;
  const row = await propose.record(deps, what, grounds);
  const made = caseOf(row, '', {
    state: async () =>
      await deps.proposals.requireApproved(pool, row.proposalId, row.kind).then(
        () => 'permitted',
        () => 'not permitted',
      ),
    approved: 'permitted',
    ended: 'not permitted',
    // The same file was imported on the command line.
    changeFacts: async () => {
      const begun = { ...how, fileHash: Buffer.from(sha256, 'hex'), by: 'Chege', at: AT };
      const { importId } = await openImport(pool, begun);
      await finishImport(pool, importId, AT);
    },
    reason: /imported already/,
  });
  const change = 'a.csv of BANK, as of 2026-10-31: 2 records, 0 rejected, amounts in shillings';
  return {
    ...made,
    shown: [
      { label: 'Change', text: change },
      { label: 'SHA-256', text: sha256 },
    ],
  };
}

async function rule(given: Given): Promise<Case> {
  const { pool, deps, grounds } = await registry(given);
  const relief = {
    ...{ rule: 'relief', reason: 'seen', balanceUpToCents: 500_000n, originalUpToCents: null },
    ...{ products: null, sectors: null, riskClasses: null, statesFrom: null, statesUntil: null },
  };
  const row = await propose.proposeRule(deps, relief, grounds);
  const made = caseOf(row, '', {
    state: async () =>
      (await readSuppressionRules(pool)).find((one) => one.rule === 'relief')?.balanceUpToCents,
    approved: 500_000n,
    ended: undefined,
    changeFacts: async () => {
      const other = { ...relief, balanceUpToCents: 1n };
      await putSuppressionRule(pool, other, { reason: 'by hand', at: AT });
    },
    reason: /changed since it was proposed/,
    endedAfterChange: 1n,
  });
  return {
    ...made,
    shown: [
      { label: 'Change', text: 'rule relief is put into force' },
      { label: 'Hides', text: 'balance up to 5000.00' },
    ],
  };
}

async function scorecard(given: Given): Promise<Case> {
  const { pool, deps, grounds } = await registry(given);
  const asked = { score: 'generic', role: 'challenger', card: 'malipo-generic@1' } as const;
  const row = await propose.proposeCard(deps, asked, grounds);
  const made = caseOf(row, 'challenger generic: default becomes malipo-generic@1', {
    state: async () => (await readAssignments(pool))[0]?.challenger,
    approved: 'malipo-generic@1',
    ended: undefined,
    changeFacts: async () => {
      const other = { kind: 'generic', challenger: 'malipo-generic@2', reason: 'by hand' } as const;
      await assignCards(pool, other, AT);
    },
    reason: /changed since it was proposed/,
    endedAfterChange: 'malipo-generic@2',
  });
  const card = shippedCards().find((one) => cardName(one) === asked.card);
  const content = { label: 'SHA-256', text: digestOf(card) ?? '' };
  return { ...made, shown: [...made.shown, content] };
}

export const CASES: Cases = {
  credit_merge: { role: 'risk', make: merge },
  credit_dispute: { role: 'risk', make: dispute },
  credit_account: { role: 'risk', make: withdrawal },
  credit_life: { role: 'risk', make: life },
  credit_case: { role: 'risk', make: closing },
  credit_import: { role: 'risk', make: importing },
  credit_rule: { role: 'risk', make: rule },
  credit_scorecard: { role: 'risk', make: scorecard },
};
