import { Option } from 'commander';
import type { Command } from 'commander';
import { systemClock } from '../base/clock.ts';
import { formatMoney } from '../base/money.ts';
import { PlainError } from '../base/plain-error.ts';
import { startOfDay } from '../credit/bureaus/registry.ts';
import { listSubjectEnquiries } from '../credit/enquiries/store.ts';
import { DOCUMENT_FORMS, DOCUMENT_TYPES, normaliseDocument } from '../credit/registry/documents.ts';
import type { DocumentType } from '../credit/registry/documents.ts';
import { listDisputes } from '../credit/registry/disputes-store.ts';
import { fullName } from '../credit/registry/profile.ts';
import { findSubjects, readCreditFile, readSubject } from '../credit/registry/store.ts';
import type { Vault } from '../credit/registry/vault.ts';
import { command, like } from './arguments.ts';
import type { Cli } from './cli.ts';
import { openVault } from './credit-vault.ts';
import { record, table } from './output.ts';
import type { Answer } from './output.ts';
import type { Session } from './session.ts';

interface ReportOptions {
  readonly json?: boolean;
  readonly crn?: string;
  readonly type: DocumentType;
  readonly number?: string;
}

export const crnNumber = like({ pattern: '^\\d{1,18}$', form: 'a customer reference number' });

/** A subject's own report: what is on file, who asked about it and why. */
export function addReportCommand(credit: Command, cli: Cli): void {
  command(
    credit,
    'subject-report',
    'Everything on file about a person, for the person: accounts, disputes, and who asked and why.',
  )
    .option('--crn <number>', 'customer reference number', crnNumber)
    .addOption(
      new Option('--type <type>', 'type of the document')
        .choices(DOCUMENT_TYPES)
        .default('nationalID'),
    )
    .option('--number <number>', 'number of the document, instead of --crn')
    .action(async (options: ReportOptions) => {
      await cli.run(options, async (session) => {
        const vault = await openVault(session);
        return await answerReport(session, vault, await crnOf(session, vault, options));
      });
    });
}

async function crnOf(session: Session, vault: Vault, options: ReportOptions): Promise<bigint> {
  if (options.crn !== undefined) return BigInt(options.crn);
  if (options.number === undefined) throw new PlainError('Give --crn or --number.');
  const number = normaliseDocument(options.type, options.number);
  if (number === undefined) {
    throw new PlainError(`--number must be ${DOCUMENT_FORMS[options.type]}.`);
  }
  const found = await findSubjects(session.pool, vault, [{ type: options.type, number }]);
  const [subject] = found;
  if (subject === undefined) throw new PlainError('Nobody is on file with this document.');
  if (found.length > 1) {
    throw new PlainError(
      `This document belongs to several people on file: ${found.map(({ crn }) => crn).join(', ')}. Give --crn.`,
    );
  }
  return subject.crn;
}

async function answerReport(session: Session, vault: Vault, crn: bigint): Promise<Answer> {
  const { pool, config, wireTime } = session;
  const profile = await readSubject(pool, vault, crn);
  if (profile === undefined) throw new PlainError('There is no subject with this reference.');
  const asOf = startOfDay(systemClock.now(), config.timeZone);
  const file = await readCreditFile(pool, {
    crn,
    asOf,
    statesFrom: new Date(0),
    ownVendorId: 0,
    ownEnquiriesFrom: asOf,
  });
  const disputes = await listDisputes(pool, vault, crn);
  const enquiries = await listSubjectEnquiries(pool, crn);
  const accounts = file.accounts.map((account) => ({
    account: account.key.slice(account.key.lastIndexOf(' ') + 1),
    lender: account.lender,
    sector: account.sector,
    product: account.product,
    opened_on: day(account.openedOn),
    original_amount: formatMoney(account.originalCents),
    balance: formatMoney(account.current.balanceCents),
    overdue: formatMoney(account.current.overdueCents),
    days_in_arrears: account.current.daysInArrears,
    status: account.current.status,
    as_of: day(account.current.asOf),
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
      accounts,
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
        ['Documents', profile.documents.map(({ type, number }) => `${type} ${number}`).join(', ')],
        ['Phones', profile.phones.map(({ number }) => number).join(', ')],
      ]),
      'Accounts\n' + rowsOf(accounts),
      `Disputes: ${disputes.length}, of them open: ${disputes.filter(({ outcome }) => outcome === null).length}\n`,
      'Who asked\n' + rowsOf(asked),
    ].join('\n'),
  };
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10);
}

function rowsOf(rows: readonly Readonly<Record<string, string | number | boolean>>[]): string {
  const titles = Object.keys(rows[0] ?? {});
  return table(
    titles.map((title) => ({ title: title.replaceAll('_', ' ').toUpperCase() })),
    rows.map((row) => titles.map((title) => String(row[title]))),
  );
}
