import type { Command } from 'commander';
import { systemClock } from '../../platform/base/clock.ts';
import { isoDay } from '../../platform/base/days.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { AccountState, CreditAccount } from '../../credit/facts.ts';
import { fullName } from '../../credit/registry/profile.ts';
import type { Vault } from '../../credit/registry/vault.ts';
import { subjectDocument } from '../../credit/reports/subject-document.ts';
import { readSubjectReport } from '../../credit/reports/subject-report.ts';
import type { SubjectReport } from '../../credit/reports/subject-report.ts';
import { isDeceased, isOriginalKnown } from '../../credit/scorecards/standing.ts';
import type { Cli } from '../cli.ts';
import { documentOptions, writeDocument } from './documents.ts';
import type { DocumentOptions } from './documents.ts';
import { crnOf, subjectCommand } from './subject.ts';
import type { SubjectOptions } from './subject.ts';
import { openVault } from './vault.ts';
import { record, table } from '../output.ts';
import type { Answer } from '../output.ts';
import type { Session } from '../session.ts';

interface ReportCommandOptions extends SubjectOptions, DocumentOptions {}

/** A subject's own report: what is on file, who asked about it and why. */
export function addReportCommand(credit: Command, cli: Cli): void {
  documentOptions(
    subjectCommand(
      credit,
      'subject-report',
      'Everything on file about a person, for the person: accounts, disputes, and who asked and why; in html and pdf also the score and its parts.',
    ),
  ).action(async (options: ReportCommandOptions) => {
    await cli.run(options, async (session) => {
      const vault = await openVault(session);
      const crn = await crnOf(session, vault, options);
      const report = await readReport(session, vault, crn);
      return options.format === 'text'
        ? answerReport(session, report)
        : await writeReport(session, report, options);
    });
  });
}

async function readReport(session: Session, vault: Vault, crn: bigint): Promise<SubjectReport> {
  const { pool, config } = session;
  const report = await readSubjectReport(
    {
      pool,
      vault,
      clock: systemClock,
      timeZone: config.timeZone,
      retentionDays: config.creditRetentionDays,
    },
    crn,
  );
  if (report === undefined) throw new PlainError('No subject has this reference.');
  return report;
}

async function writeReport(
  session: Session,
  report: SubjectReport,
  options: ReportCommandOptions,
): Promise<Answer> {
  const { language, format } = options;
  const file = await writeDocument(subjectDocument(report, language, session.wireTime), options);
  return {
    json: { crn: String(report.crn), file, format, language },
    text: `The report of subject ${report.crn} is in ${file}.\n`,
  };
}

function answerReport({ wireTime }: Session, report: SubjectReport): Answer {
  const { file } = report;
  const accounts = file.accounts.map(accountOf);
  const guarantees = (file.guarantees ?? []).map(accountOf);
  const json = {
    crn: String(report.crn),
    profile: report.profile,
    deceased: isDeceased(file),
    life_records: report.lifeRecords.map((one) => ({
      recorded: wireTime.format(one.recordedAt),
      status: one.status,
      died_on: one.diedOn,
      evidence: one.evidence,
    })),
    accounts,
    guarantees,
    corrections: report.corrections.map((one) => ({
      account: String(one.accountId),
      corrected: wireTime.format(one.correctedAt),
      former: one.former,
    })),
    disputes: report.disputes.map((dispute) => ({
      dispute: dispute.disputeId,
      account: String(dispute.accountId),
      opened: wireTime.format(dispute.openedAt),
      statement: dispute.statement,
      outcome: dispute.outcome,
    })),
    watches: report.watches.map(({ vendorId, startedAt }) => ({
      by: report.enquiries.find((enquiry) => enquiry.vendorId === vendorId)?.askedBy ?? null,
      since: wireTime.format(startedAt),
    })),
    enquiries: report.enquiries.map((enquiry) => ({
      at: wireTime.format(enquiry.enquiredAt),
      by: enquiry.askedBy,
      sector: enquiry.sector,
      operation: enquiry.operation,
      reason: enquiry.reportReason,
      name_differs: String(enquiry.nameDiffers),
    })),
  };
  return {
    json: {
      ...json,
      accounts: accounts.map((account, at) => ({
        ...account,
        history: (file.accounts[at]?.history ?? []).map(stateOf),
      })),
    },
    text: reportText(json),
  };
}

function accountOf(account: CreditAccount) {
  return {
    account: account.key.slice(account.key.lastIndexOf(' ') + 1),
    lender: account.lender,
    sector: account.sector,
    product: account.product,
    opened_on: isoDay(account.openedOn),
    original_amount: isOriginalKnown(account) ? formatMoney(account.originalCents) : null,
    balance: formatMoney(account.current.balanceCents),
    overdue: formatMoney(account.current.overdueCents),
    days_in_arrears: account.current.daysInArrears,
    risk_class: account.current.riskClass,
    status: account.current.status,
    as_of: isoDay(account.current.asOf),
    disputed: account.disputed,
    // Where the account of each former lender can be looked up.
    bought_from: (account.boughtFrom ?? []).join(', '),
  };
}

interface ShownReport {
  readonly crn: string;
  readonly profile: SubjectReport['profile'];
  readonly deceased: boolean;
  readonly accounts: readonly ReturnType<typeof accountOf>[];
  readonly guarantees: readonly ReturnType<typeof accountOf>[];
  readonly corrections: readonly unknown[];
  readonly disputes: readonly { readonly outcome: string | null }[];
  readonly enquiries: readonly Readonly<Record<string, string | number>>[];
}

function reportText(report: ShownReport): string {
  const { profile, corrections, disputes } = report;
  const open = disputes.filter(({ outcome }) => outcome === null);
  return [
    record([
      ['Reference', report.crn],
      ['Name', fullName(profile.name)],
      ['Born', profile.dateOfBirth],
      ...(report.deceased ? [['Deceased', 'yes'] as const] : []),
      ['Documents', profile.documents.map(({ type, number }) => `${type} ${number}`).join(', ')],
      ['Phones', profile.phones.map(({ number }) => number).join(', ')],
    ]),
    'Accounts\n' + rowsOf(report.accounts),
    ...(report.guarantees.length === 0
      ? []
      : ['Guaranteed for others\n' + rowsOf(report.guarantees)]),
    `Corrections by lenders: ${corrections.length} (--json shows the former values, and the history of every account)\n`,
    `Disputes: ${disputes.length}, of them open: ${open.length}\n`,
    'Who asked\n' + rowsOf(report.enquiries),
  ].join('\n');
}

/** A former state of an account. */
function stateOf(state: AccountState) {
  return {
    as_of: isoDay(state.asOf),
    balance: formatMoney(state.balanceCents),
    overdue: formatMoney(state.overdueCents),
    days_in_arrears: state.daysInArrears,
    risk_class: state.riskClass,
    status: state.status,
  };
}

function rowsOf(
  rows: readonly Readonly<Record<string, string | number | boolean | null>>[],
): string {
  const titles = Object.keys(rows[0] ?? {});
  return table(
    titles.map((title) => ({ title: title.replaceAll('_', ' ').toUpperCase() })),
    rows.map((row) => titles.map((title) => String(row[title] ?? ''))),
  );
}
