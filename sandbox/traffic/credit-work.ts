import { readFileOfToday } from '../../src/credit/bureaus/registry.ts';
import { CREDIT_KIND_NAMES } from '../../src/credit/decisions/content.ts';
import { proposeCard, proposeOutcome, proposeRule } from '../../src/credit/decisions/propose.ts';
import type { Deps, Grounds } from '../../src/credit/decisions/propose.ts';
import { listImports } from '../../src/credit/importing/read-imports.ts';
import { MOBILE_COLUMNS } from '../../src/credit/importing/template.ts';
import { measureMonths } from '../../src/credit/monitoring/job.ts';
import { openDispute } from '../../src/credit/registry/disputes-store.ts';
import { listDisputes } from '../../src/credit/registry/read-disputes.ts';
import { findSubjects } from '../../src/credit/registry/read-subjects.ts';
import type { SuppressionRule } from '../../src/credit/registry/suppression.ts';
import type { ReportOptions } from '../../src/credit/reports/subject-report.ts';
import { DAY_MS } from '../../src/platform/base/days.ts';
import type { Actor } from '../../src/proposals/kind.ts';
import type { ProposalRow } from '../../src/proposals/proposal.ts';
import { importMobileFile } from '../credit.ts';
import { lastMonthEnd } from '../population/calendar.ts';
import { mobileLines } from '../population/mobile-template.ts';
import type { Subject } from '../population/population.ts';
import { askOften } from './enquiries.ts';

const LENDER = 'DEMO_MOBILE_4';
/** Whose customers its files have, with their terms and states. */
const LIKE_LENDERS = ['DEMO_MOBILE_1', 'DEMO_MOBILE_2', 'DEMO_MOBILE_3'] as const;
const FILES = 2;
const FILE_LINES = 28;
/** Every ninth line of the second file has a fault. */
const FAULT_EVERY = 9;
const STATEMENTS = [
  'I repaid this loan in full by paybill and have the receipts.',
  'This loan is not mine. Somebody used my identity card.',
] as const;

/**
 * What people find on the console's pages about credit: enquiries, disputes, proposals, and a
 * lender's files with findings and a case. The files come last: with them nothing is left to do.
 * @param subjects on file, without the documented examples, which stay as they are.
 */
export async function doCreditWork(
  options: ReportOptions & Deps,
  subjects: readonly Subject[],
): Promise<void> {
  const { pool, clock, timeZone } = options;
  if ((await listImports(pool, { lender: LENDER, limit: FILES })).length === FILES) return;
  const disputes = await openDisputes(options, subjects);
  await propose(options, disputes);
  await askOften(options, subjects);
  await measureMonths(pool, { now: clock.now(), timeZone });
  await importFiles(options, subjects);
}

/** People dispute the loans with which they are in default. Returns the disputes that are open. */
async function openDisputes(
  options: ReportOptions,
  subjects: readonly Subject[],
): Promise<string[]> {
  const { pool, vault, clock } = options;
  const now = clock.now();
  const inDefault = subjects.filter(({ file }) =>
    file.accounts.some(({ current }) => current.daysInArrears > 90),
  );
  const opened: string[] = [];
  for (const [index, statement] of STATEMENTS.entries()) {
    const documents = inDefault[index]?.profile.documents ?? [];
    const [found] = await findSubjects(pool, vault, documents);
    if (found === undefined) continue;
    const { crn } = found;
    const known = await listDisputes(pool, vault, crn);
    const { accounts } = await readFileOfToday(options, crn, null);
    const account = accounts.find(({ current }) => current.daysInArrears > 90);
    if (known.length > 0 || account === undefined) continue;
    const accountId = BigInt(account.key.split(' ')[1] ?? '');
    const at = new Date(now.getTime() - (6 + 3 * index) * DAY_MS);
    const id = await openDispute(pool, vault, { crn, accountId, statement, at });
    if (id !== undefined) opened.push(id);
  }
  return opened;
}

/** A challenger and a rule are in force; another rule and a dispute wait for the second person. */
async function propose(deps: Deps, disputes: readonly string[]): Promise<void> {
  const { proposals } = deps;
  const known = await proposals.list({ open: false, kinds: CREDIT_KIND_NAMES, limit: 1 });
  if (known.length > 0) return;
  const by = { personId: null, name: 'risk2' };
  const approve = async ({ proposalId }: ProposalRow): Promise<void> => {
    const { seen } = await proposals.preview(proposalId);
    await proposals.approve({ proposalId, seen, by: { personId: null, name: 'risk' } });
  };
  const card = { score: 'generic', role: 'challenger', card: 'malipo-generic@1' } as const;
  const compare = { by, reason: 'Compare with the former card', evidence: 'Minutes of the board' };
  await approve(await proposeCard(deps, card, compare));
  await approve(
    await proposeRule(deps, ...ruleOf('small_utility_bills', by, { sectors: ['utility'] })),
  );
  await proposeRule(deps, ...ruleOf('relief_small_loans', by, { products: ['I'] }));
  const [dispute] = disputes;
  if (dispute === undefined) return;
  const grounds = {
    by,
    reason: 'The lender showed the agreement',
    evidence: 'Letter of the lender',
  };
  await proposeOutcome(deps, { dispute, outcome: 'rejected' }, grounds);
}

/** Neither covers a state of the documented examples until somebody approves the second one. */
function ruleOf(
  rule: string,
  by: Actor,
  covered: Partial<SuppressionRule>,
): [SuppressionRule, Grounds] {
  const reason = 'Relief for small amounts';
  return [
    {
      ...{ rule, reason, balanceUpToCents: 200_000n, originalUpToCents: null, products: null },
      ...{ sectors: null, riskClasses: null, statesFrom: null, statesUntil: null },
      ...covered,
    },
    { by, reason, evidence: 'Circular 7' },
  ];
}

/** A file without faults, and one with. */
async function importFiles(options: ReportOptions, subjects: readonly Subject[]): Promise<void> {
  const asOf = lastMonthEnd(options.clock.now());
  const lines = LIKE_LENDERS.flatMap((lender) => [...mobileLines(subjects, { lender, asOf })]);
  const files = [
    { name: 'loans-nairobi.csv', by: 'risk2, approved by risk', lines: lines.slice(0, FILE_LINES) },
    {
      name: 'loans-coast.csv',
      by: 'risk, approved by risk2',
      lines: withFaults(lines.slice(FILE_LINES, 2 * FILE_LINES)),
    },
  ];
  for (const file of files) await importMobileFile(options, { ...file, lender: LENDER, asOf });
}

/** The last line has the document of the first one and another birth date: a case for a person. */
function withFaults(lines: readonly string[]): string[] {
  const faults = [{ Gender: 'X' }, { DateOfBirth: '31121990' }, { CurrentBalance: 'none' }];
  const faulty = lines.map((line, index) =>
    index % FAULT_EVERY === FAULT_EVERY - 1 ? changed(line, faults[index % faults.length]!) : line,
  );
  const other = { AccountNumber: 'M-SHARED', Surname: 'Barasa', Forename1: 'Nekesa' };
  const names = { ...other, Forename2: '', Forename3: '', DateOfBirth: '19910214' };
  return [...faulty, ...lines.slice(0, 1).map((line) => changed(line, names))];
}

function changed(line: string, values: Readonly<Record<string, string>>): string {
  const cells = line.split(',');
  return MOBILE_COLUMNS.map((column, index) => values[column] ?? cells[index] ?? '').join(',');
}
