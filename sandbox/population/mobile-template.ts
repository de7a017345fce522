import { csvValue } from '../../src/platform/base/csv.ts';
import { isoDay } from '../../src/platform/base/days.ts';
import type { AccountState, CreditAccount } from '../../src/credit/facts.ts';
import { MOBILE_COLUMNS } from '../../src/credit/importing/template.ts';
import type { Column } from '../../src/credit/importing/template.ts';
import type { DocumentType } from '../../src/credit/registry/documents.ts';
import type { Subject } from './population.ts';

/** Codes of PrimaryIDType by document, the preferred first. */
const ID_TYPES: readonly (readonly [DocumentType, code: string])[] = [
  ['nationalID', '001'],
  ['alienID', '003'],
  ['passportNo', '002'],
  ['serviceID', '004'],
];

export const MOBILE_HEADER = MOBILE_COLUMNS.join(',');

/**
 * The lines, without header, that a lender would submit in the mobile template for an as-of date:
 * its accounts with a state of that date.
 */
export function* mobileLines(
  subjects: Iterable<Subject>,
  { lender, asOf }: { readonly lender: string; readonly asOf: Date },
): Generator<string> {
  for (const subject of subjects) {
    for (const account of subject.file.accounts) {
      if (account.lender !== lender) continue;
      const state = [account.current, ...account.history].find(
        (one) => one.asOf.getTime() === asOf.getTime(),
      );
      if (state !== undefined) yield mobileLine(subject, account, state);
    }
  }
}

function mobileLine(subject: Subject, account: CreditAccount, state: AccountState): string {
  const values: Partial<Record<Column, string>> = {
    ...personColumns(subject),
    ...termColumns(account, state),
    ...stateColumns(account, state),
  };
  return MOBILE_COLUMNS.map((column) => csvValue(values[column] ?? '')).join(',');
}

function personColumns({ profile }: Subject): Partial<Record<Column, string>> {
  const [forename1 = '', forename2 = '', forename3 = ''] = profile.name.forenames;
  const primary = ID_TYPES.flatMap(([type, code]) => {
    const found = profile.documents.find((document) => document.type === type);
    return found === undefined ? [] : [{ code, number: found.number }];
  })[0]!;
  return {
    Surname: profile.name.surname,
    Forename1: forename1,
    Forename2: forename2,
    Forename3: forename3,
    DateOfBirth: profile.dateOfBirth.replaceAll('-', ''),
    ClientNumber: `C${primary.number}`,
    Gender: profile.gender,
    Nationality: profile.nationality,
    PrimaryIDType: primary.code,
    PrimaryIDNumber: primary.number,
    MobilePhone: profile.phones.find(({ type }) => type === 'MOBILE')?.number ?? '',
  };
}

function termColumns(account: CreditAccount, state: AccountState): Partial<Record<Column, string>> {
  return {
    AccountNumber: account.key.slice(account.lender.length + 1),
    AccountProductType: account.product,
    InstalmentDueDate: compactDay(nextDueOn(account, state)),
    OriginalAmount: shillings(account.originalCents),
    Currency: 'KES',
    RepaymentPeriod: String(account.repaymentMonths ?? ''),
    DisbursementDate: compactDay(account.openedOn),
    InstalmentAmount: shillings(account.instalmentCents ?? 0n),
  };
}

function stateColumns(
  account: CreditAccount,
  state: AccountState,
): Partial<Record<Column, string>> {
  const late = state.daysInArrears > 0;
  const overdueOn = new Date(state.asOf.getTime() - state.daysInArrears * 86_400_000);
  // Only the newest state contains a payment; an earlier state must not contain a later payment.
  const paidOn = state === account.current ? account.lastPaymentOn : null;
  return {
    CurrentBalanceKES: shillings(state.balanceCents),
    CurrentBalance: shillings(state.balanceCents),
    OverdueBalance: shillings(state.overdueCents),
    OverdueDate: late ? compactDay(overdueOn) : '',
    DaysInArrears: String(state.daysInArrears),
    InstalmentsInArrears: String(state.instalmentsInArrears),
    PrudentialRiskClassification: state.riskClass,
    AccountStatus: state.status,
    AccountStatusDate: compactDay(state.statusOn),
    LatestPaymentDate: paidOn === null ? '' : compactDay(paidOn),
    LastPaymentAmount: paidOn === null ? '' : shillings(account.lastPaymentCents ?? 0n),
  };
}

/** The due day of the month after the state’s. */
function nextDueOn({ openedOn }: CreditAccount, { asOf }: AccountState): Date {
  return new Date(
    Date.UTC(asOf.getUTCFullYear(), asOf.getUTCMonth() + 1, Math.min(28, openedOn.getUTCDate())),
  );
}

function shillings(cents: bigint): string {
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
}

function compactDay(date: Date): string {
  return isoDay(date).replaceAll('-', '');
}
