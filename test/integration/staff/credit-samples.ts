import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { proposeImport } from '../../../src/credit/decisions/imports.ts';
import { importFile } from '../../../src/credit/importing/import.ts';
import { openCases } from '../../../src/credit/registry/cases-store.ts';
import { listCases } from '../../../src/credit/registry/read-cases.ts';
import type { Vault } from '../../../src/credit/registry/vault.ts';
import { createWireTime, systemClock } from '../../../src/platform/base/clock.ts';
import type { Proposals } from '../../../src/proposals/proposals.ts';
import type { Pool } from '../../../src/platform/db/pool.ts';
import { csvOf, rightLine } from '../../support/credit-files.ts';
import type { Sample, World } from './samples.ts';

export type CreditFixtures = ReturnType<typeof createCreditFixtures>;

/** What samples of the registry need that no definition makes. */
export function createCreditFixtures(pool: Pool, vault: Vault, proposals: Proposals) {
  let imported: Promise<string> | undefined;
  const tools = {
    ...{ pool, vault, proposals, clock: systemClock, wireTime: createWireTime('Africa/Nairobi') },
  };
  const withFile = async <Result>(content: string, work: (file: string) => Promise<Result>) => {
    const file = path.join(tmpdir(), `${randomUUID()}.csv`);
    await writeFile(file, content);
    try {
      return await work(file);
    } finally {
      await Promise.all([file, `${file}.errors.csv`].map((each) => rm(each, { force: true })));
    }
  };
  const account = async (): Promise<{ readonly crn: string; readonly account: string }> => {
    const found = await pool.query<{ crn: string; account: string }>(
      `select a.crn::text, a.account_id::text as account from credit_accounts a
       where not exists (select from account_disputes d where (d.crn, d.account_id) = (a.crn, a.account_id))
         and not exists (select from account_sales s where s.crn = a.crn)
       order by a.crn desc, a.account_id limit 1`,
    );
    return found.rows[0] ?? { crn: '', account: '' };
  };
  return {
    /** An account that nobody disputes, and that was not sold. */
    account,
    /** Two accounts of a person, at two lenders. */
    soldAccount: async () => {
      const found = await pool.query<{ crn: string; account: string; into: string }>(
        `select a.crn::text, a.account_id::text as account, b.account_id::text as into,
           b.opened_on::text as sold_on
         from credit_accounts a join credit_accounts b
           on b.crn = a.crn and b.lender <> a.lender and b.opened_on >= a.opened_on
         where not exists (select from account_sales s where s.crn = a.crn)
         order by a.crn, a.account_id limit 1`,
      );
      return { ...found.rows[0] };
    },
    /** An open case about two people. */
    openCase: async (): Promise<string> => {
      const crns = [1_000_001n, 1_000_004n];
      await openCases(pool, 'document_shared', [crns], new Date());
      const found = await listCases(pool, { open: true, limit: 1 });
      return found[0]?.caseId ?? '';
    },
    /** An import with a finding. Its lender is SAMPLE. */
    importId: async (): Promise<string> =>
      await (imported ??= withFile(
        csvOf([rightLine(1), rightLine(2, { CurrentBalanceKES: 'x' })]),
        async (file) => (await importFile({ ...tools, ...HOW, file, by: 'tests' })).importId,
      )),
    /** A proposal of `risk` to import a file. */
    proposeFile: async (content: string): Promise<string> => {
      const found = await pool.query<{ id: string }>(
        `select person_id as id from people where login = 'risk'`,
      );
      const by = { personId: found.rows[0]?.id ?? '', name: 'risk' };
      return await withFile(content, async (file) => {
        const proposed = { ...HOW, file, fileName: 'sample.csv' };
        const row = await proposeImport(tools, proposed, { by, ...GROUNDS });
        return row.proposalId;
      });
    },
  };
}

const HOW = {
  template: 'mobile',
  lender: 'SAMPLE',
  sector: 'bank',
  asOf: '2026-10-31',
  corrects: false,
  amounts: 'shillings',
} as const;

const GROUNDS = { reason: 'seen at the branch', evidence: 'File 7' };
const BOTH = { from: '1000003', into: '1000002' };

const risk = (input: Sample['input'] = async () => ({})): Sample => ({ by: 'risk', input });

/** Only one proposal about a thing waits at a time. */
const proposing = (
  kind: string,
  given: (world: World) => Promise<object> | object = () => ({}),
): Sample =>
  risk(async (world) => {
    await world.clear(kind);
    return { ...GROUNDS, ...(await given(world)) };
  });

const proposed = async (world: World, what: string, given: object): Promise<string> => {
  await world.clear(what.startsWith('sale') ? 'credit_account' : 'credit_merge');
  const made = await world.act('risk', `/credit/proposals/${what}`, { ...given, ...GROUNDS });
  return String(made['proposal']);
};

const openDispute = async ({ act, credit }: World): Promise<string> => {
  const made = await act('risk', '/credit/disputes', {
    ...(await credit.account()),
    statement: 'Not my loan',
  });
  return String(made['dispute']);
};

const { asOf, corrects: _corrects, ...how } = HOW;
const aFile = { ...how, as_of: asOf };
const { lender: _lender, ...readHow } = aFile;
const aboutEnquiry = async ({ enquire }: World) => ({ vid: 'demo', reference: await enquire() });

/** A file that was not imported yet. */
let lines = 100;
let newest = '';
const newFile = (): string => (newest = csvOf([rightLine((lines += 1))]));

const CARD = new URL('../../../scorecards/generic-3.json', import.meta.url);

let isMerged = false;

export const CREDIT_SAMPLES: Readonly<Record<string, Sample>> = {
  'credit.usage': risk(),
  'credit.monitor': risk(),
  'credit.months': risk(),
  'credit.lender': risk(async ({ credit }) => {
    await credit.importId();
    return { lender: 'SAMPLE' };
  }),
  'credit.lender-amounts': risk(async ({ credit }) => {
    await credit.importId();
    return { lender: 'SAMPLE', amounts: 'cents' };
  }),
  'credit-override.list': risk(async () => ({ vid: 'demo' })),
  'credit-override.add': risk(async ({ enquire }) => ({
    ...{ vid: 'demo', reference: await enquire(), decision: 'approved' },
    ...{ reason: 'a regular customer', decided_by: 'Asha' },
  })),
  'credit-scorecard.list': risk(),
  'credit-scorecard.show': risk(async () => ({ card: 'malipo-generic@3' })),
  'credit-scorecard.use': proposing('credit_scorecard', () => ({
    ...{ score: 'generic', card: 'malipo-generic@2' },
  })),
  'credit-scorecard.challenge': proposing('credit_scorecard', () => ({
    ...{ score: 'mobile', card: 'malipo-mobile@2' },
  })),
  'credit-scorecard.changes': risk(),
  'credit-import.list': risk(),
  'credit-import.try': { ...risk(async () => aFile), file: newFile },
  'credit-import.propose': {
    ...proposing('credit_import', () => aFile),
    file: newFile,
  },
  'credit-import.approve': {
    by: 'risk2',
    input: async (world) => {
      const proposal = await world.credit.proposeFile(newFile());
      return { proposal, seen: await world.seen(proposal) };
    },
    file: () => newest,
  },
  'credit-scorecard.add': {
    ...risk(),
    file: () => readFileSync(CARD, 'utf8').replace(/"version": \d+/, `"version": ${(lines += 1)}`),
  },
  'credit-enquiry.list': risk(async () => ({ vid: 'demo' })),
  'credit-enquiry.show': risk(async ({ enquire }) => ({
    ...{ vid: 'demo', operation: 'generic-score', reference: await enquire() },
  })),
  'credit-enquiry.ask': risk(async () => ({
    ...{ vid: 'demo', operation: 'generic-score', reason: 'applied at the branch' },
    fields: {
      ...{ requestReference: `S${randomUUID().slice(0, 8)}`, reportReason: '2', reportSector: '2' },
      ...{ nationalID: '900000001', name1: 'Amani', name2: 'Wanjiru' },
      ...{ consentReference: 'FORM-17', consentDate: '2026-01-05' },
    },
  })),
  'credit.subject-report': risk(async () => ({ crn: '1000001' })),
  'credit.subject-document': risk(async () => ({ crn: '1000001', format: 'pdf', language: 'sw' })),
  'credit-letter.adverse-action': risk(aboutEnquiry),
  'credit-letter.consent-receipt': risk(aboutEnquiry),
  'credit-letter.pre-listing': {
    ...risk(async () => ({ ...readHow, lender_name: 'Lender Ltd' })),
    file: () => csvOf([rightLine(1), rightLine(2, { DaysInArrears: 'many' })]),
  },
  'credit.score': risk(async () => ({ crn: '1000001' })),
  'credit.access-link': risk(async () => ({ crn: '1000001', evidence: 'card seen' })),
  'credit.watches': risk(async () => ({ vid: 'demo' })),
  'credit-import.show': risk(async ({ credit }) => ({ import: await credit.importId() })),
  'credit-import.findings': risk(async ({ credit }) => ({ import: await credit.importId() })),
  'credit-merge.list': risk(),
  'credit-merge.subjects': proposing('credit_merge', () => ({ from: '1000005', into: '1000001' })),
  'credit-merge.undo': proposing('credit_merge', async (world) => {
    if (!isMerged) await world.approve('risk2', await proposed(world, 'merge', BOTH));
    isMerged = true;
    return { from: BOTH.from };
  }),
  'credit-withdrawal.account': proposing('credit_account', ({ credit }) => credit.account()),
  'credit-withdrawal.recipients': risk(async ({ credit }) => await credit.account()),
  'credit-withdrawal.list': risk(),
  'credit-sale.account': proposing('credit_account', ({ credit }) => credit.soldAccount()),
  'credit-sale.undo': proposing('credit_account', async (world) => {
    const { crn, account, ...sale } = await world.credit.soldAccount();
    const id = await proposed(world, 'sale', { crn, account, ...sale });
    await world.approve('risk2', id);
    return { crn, account };
  }),
  'credit-life.set': proposing('credit_life', () => ({ crn: '1000005', died_on: '2026-01-31' })),
  'credit-life.clear': proposing('credit_life', () => ({ crn: '1000005' })),
  'credit-rule.list': risk(),
  'credit-rule.set': proposing('credit_rule', () => ({
    ...{ rule: 'relief', balance_up_to: '50', products: ['I'] },
  })),
  'credit-rule.remove': proposing('credit_rule', () => ({ rule: 'small_amount' })),
  'credit-rule.changes': risk(),
  'credit-case.list': risk(),
  'credit-case.show': risk(async ({ credit }) => ({ case: await credit.openCase() })),
  'credit-case.close': proposing('credit_case', async ({ credit }) => ({
    case: await credit.openCase(),
  })),
  'credit-dispute.list': risk(),
  'credit-dispute.show': risk(async (world) => ({ dispute: await openDispute(world) })),
  'credit-dispute.open': risk(async ({ credit }) => ({
    ...(await credit.account()),
    statement: 'Not my loan',
  })),
  'credit-dispute.close': proposing('credit_dispute', async (world) => ({
    dispute: await openDispute(world),
    outcome: 'rejected',
  })),
  'credit-proposal.list': risk(),
  'credit-proposal.show': {
    by: 'risk2',
    input: async (world) => ({
      proposal: await proposed(world, 'merge', { from: '1000005', into: '1000001' }),
    }),
  },
};
