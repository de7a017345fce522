import type { Command } from 'commander';
import { systemClock } from '../../platform/base/clock.ts';
import { isoDay } from '../../platform/base/days.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { startOfDay } from '../../credit/bureaus/registry.ts';
import type { AccountState } from '../../credit/facts.ts';
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

/** A subject's own report: what is on file, who asked about it and why. */
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
  const { pool, config, wireTime } = session;
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
  const life = (await listLifeRecords(pool, crn)).map((one) => ({
    recorded: wireTime.format(one.recordedAt),
    status: one.status,
    died_on: one.diedOn,
    evidence: one.evidence,
  }));
  const deceased = isDeceased(file);
  const corrections = (await listCorrections(pool, crn)).map((one) => ({
    account: String(one.accountId),
    corrected: wireTime.format(one.correctedAt),
    former: one.former,
  }));
  const accounts = file.accounts.map((account) => ({
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
  }));
  const asked = enquiries.map((enquiry) => ({
    at: wireTime.format(enquiry.enquiredAt),
    by: enquiry.askedBy,
    sector: enquiry.sector,
    operation: enquiry.operation,
    reason: enquiry.reportReason,
  }));
  return {
    json: {
      crn: String(crn),
      profile,
      deceased,
      life_records: life,
      accounts: accounts.map((account, at) => ({
        ...account,
        history: (file.accounts[at]?.history ?? []).map(stateOf),
      })),
      corrections,
      disputes: disputes.map((dispute) => ({
        dispute: dispute.disputeId,
        account: String(dispute.accountId),
        opened: wireTime.format(dispute.openedAt),
        statement: dispute.statement,
        outcome: dispute.outcome,
      })),
      enquiries: asked,
    },
    text: [
      record([
        ['Reference', String(crn)],
        ['Name', fullName(profile.name)],
        ['Born', profile.dateOfBirth],
        ...(deceased ? [['Deceased', 'yes'] as const] : []),
        ['Documents', profile.documents.map(({ type, number }) => `${type} ${number}`).join(', ')],
        ['Phones', profile.phones.map(({ number }) => number).join(', ')],
      ]),
      'Accounts\n' + rowsOf(accounts),
      `Corrections by lenders: ${corrections.length} (--json shows what they said before, and the history of every account)\n`,
      `Disputes: ${disputes.length}, of them open: ${disputes.filter(({ outcome }) => outcome === null).length}\n`,
      'Who asked\n' + rowsOf(asked),
    ].join('\n'),
  };
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
