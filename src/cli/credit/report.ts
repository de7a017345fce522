import type { Command } from 'commander';
import { systemClock } from '../../platform/base/clock.ts';
import { isoDay } from '../../platform/base/days.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { startOfDay } from '../../credit/bureaus/registry.ts';
import type { AccountState, CreditAccount } from '../../credit/facts.ts';
import { listSubjectEnquiries } from '../../credit/registry/subject-enquiries-store.ts';
import { listDisputes } from '../../credit/registry/disputes-store.ts';
import { listLifeRecords } from '../../credit/registry/life-store.ts';
import { fullName } from '../../credit/registry/profile.ts';
import { listCorrections, readCreditFile, readSubject } from '../../credit/registry/store.ts';
import { isDeceased, isOriginalKnown } from '../../credit/scorecards/standing.ts';
import type { Vault } from '../../credit/registry/vault.ts';
import type { Cli } from '../cli.ts';
import { crnOf, subjectCommand } from './subject.ts';
import type { SubjectOptions } from './subject.ts';
import { openVault } from './vault.ts';
import { record, table } from '../output.ts';
import type { Answer } from '../output.ts';
import type { Session } from '../session.ts';

/** A subject's own report: the data on file, and who asked about it and why. */
export function addReportCommand(credit: Command, cli: Cli): void {
  subjectCommand(
    credit,
    'subject-report',
    'Everything on file about a person, for the person: accounts, disputes, and who asked and why.',
  ).action(async (options: SubjectOptions) => {
    await cli.run(options, async (session) => {
      const vault = await openVault(session);
      return await answerReport(session, vault, await crnOf(session, vault, options));
    });
  });
}

async function answerReport(session: Session, vault: Vault, crn: bigint): Promise<Answer> {
  const report = await readReport(session, vault, crn);
  const { file, ...json } = report;
  return {
    json: {
      ...json,
      accounts: report.accounts.map((account, at) => ({
        ...account,
        history: (file.accounts[at]?.history ?? []).map(stateOf),
      })),
    },
    text: reportText(report),
  };
}

/** The data on file as it is shown; `file` still has the history of the accounts. */
async function readReport({ pool, config, wireTime }: Session, vault: Vault, crn: bigint) {
  const profile = await readSubject(pool, vault, crn);
  if (profile === undefined) throw new PlainError('No subject has this reference.');
  const asOf = startOfDay(systemClock.now(), config.timeZone);
  const file = await readCreditFile(pool, {
    crn,
    asOf,
    statesFrom: new Date(0),
    enquiriesUntil: asOf,
    ownVendorId: null,
    ownEnquiriesFrom: asOf,
  });
  const disputes = await listDisputes(pool, vault, crn);
  const enquiries = await listSubjectEnquiries(pool, crn);
  const lifeRecords = await listLifeRecords(pool, crn);
  const corrections = await listCorrections(pool, crn);
  return {
    file,
    crn: String(crn),
    profile,
    deceased: isDeceased(file),
    life_records: lifeRecords.map((one) => ({
      recorded: wireTime.format(one.recordedAt),
      status: one.status,
      died_on: one.diedOn,
      evidence: one.evidence,
    })),
    accounts: file.accounts.map(accountOf),
    corrections: corrections.map((one) => ({
      account: String(one.accountId),
      corrected: wireTime.format(one.correctedAt),
      former: one.former,
    })),
    disputes: disputes.map((dispute) => ({
      dispute: dispute.disputeId,
      account: String(dispute.accountId),
      opened: wireTime.format(dispute.openedAt),
      statement: dispute.statement,
      outcome: dispute.outcome,
    })),
    enquiries: enquiries.map((enquiry) => ({
      at: wireTime.format(enquiry.enquiredAt),
      by: enquiry.askedBy,
      sector: enquiry.sector,
      operation: enquiry.operation,
      reason: enquiry.reportReason,
    })),
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
  };
}

function reportText(report: Awaited<ReturnType<typeof readReport>>): string {
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
