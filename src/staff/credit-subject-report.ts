import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { AccountState, CreditAccount } from '../credit/facts.ts';
import type { SubjectReport } from '../credit/reports/subject-report.ts';
import { isoDay } from '../platform/base/days.ts';
import { NAMES_SUBJECT, ofSubject } from './credit-fields.ts';
import { view } from './definition.ts';
import { inputOf, money, moneyOrNull, text, textOrNull, time, titled } from './fields.ts';
import { wireOf } from './wire.ts';

/** Everything on file about a person, for the person. */

const core = async () => ({
  ...(await import('../credit/matching/match.ts')),
  ...(await import('../credit/reports/subject-report.ts')),
  ...(await import('../credit/scorecards/standing.ts')),
});
type Core = Awaited<ReturnType<typeof core>>;

const joined = (parts: readonly string[]): string => parts.filter((part) => part !== '').join(' ');

const nameOf = { surname: text(), forenames: Type.Array(text()) };
type Name = Static<ReturnType<typeof Type.Object<typeof nameOf>>>;

interface Numbered {
  readonly type: string;
  readonly number: string;
}

const profile = Type.Object(
  {
    name: Type.Object(nameOf, {
      title: 'Name',
      text: ({ forenames, surname }: Name) => joined([...forenames, surname]),
    }),
    date_of_birth: text({ title: 'Born' }),
    documents: Type.Array(Type.Object({ type: text(), number: text() }), {
      title: 'Documents',
      text: (all: readonly Numbered[]) =>
        all.map((each) => `${each.type} ${each.number}`).join(', '),
    }),
    phones: Type.Array(Type.Object({ number: text(), type: text(), since: text() }), {
      title: 'Phones',
      text: (all: readonly Numbered[]) => all.map(({ number }) => number).join(', '),
    }),
    addresses: Type.Array(
      Type.Object({ kind: text(), line: text(), town: text(), country: text(), since: text() }),
    ),
    ...{ salutation: text(), gender: text(), nationality: text() },
    /** Names that other lenders submitted. */
    also_known_as: Type.Array(Type.Object(nameOf)),
    /** The submission that the name comes from. */
    as_of: text(),
  },
  { title: 'Person' },
);

/** An account at some time. */
const state = {
  ...titled({ balance: money, overdue: money }),
  days_in_arrears: Type.Integer({ title: 'Days in arrears', unit: 'count' }),
  ...titled({ risk_class: text, status: text, as_of: text }),
};

const accounts = (title: string) =>
  Type.Array(
    Type.Object({
      ...titled({ account: text, lender: text, sector: text, product: text, opened_on: text }),
      /** Null: it is not known in KES. */
      original_amount: moneyOrNull({ title: 'Original amount' }),
      ...state,
      disputed: Type.Boolean({ title: 'Disputed' }),
      /** Where the account of each former lender can be looked up. */
      bought_from: text({ title: 'Bought from' }),
      /** Former states, oldest first. */
      history: Type.Array(Type.Object(state)),
    }),
    { title },
  );

const former = Type.Record(Type.String(), Type.Unknown(), {
  ...{ title: 'Formerly', wrapped: true },
  text: (values: Readonly<Record<string, unknown>>) =>
    Object.entries(values)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => `${name.replaceAll('_', ' ')} ${String(value)}`)
      .join(', '),
});

const report = Type.Object({
  crn: text({ title: 'Reference' }),
  deceased: Type.Boolean({ title: 'Deceased' }),
  profile,
  life_records: Type.Array(
    Type.Object({
      ...titled({ recorded_at: time, status: text, died_on: textOrNull, evidence: text }),
    }),
    { title: 'Records of life and death' },
  ),
  accounts: accounts('Accounts'),
  guarantees: accounts('Guaranteed for others'),
  corrections: Type.Array(
    Type.Object({
      ...titled({ account: text, corrected_at: time }),
      /** Its former terms, or a former state. */
      former,
    }),
    { title: 'Corrections by lenders' },
  ),
  disputes: Type.Array(
    Type.Object({
      ...titled({ dispute: text, account: text, opened_at: time }),
      outcome: textOrNull({ title: 'Outcome', nullText: 'open' }),
      statement: text({ title: 'Statement', wrapped: true }),
    }),
    { title: 'Disputes' },
  ),
  watches: Type.Array(
    Type.Object({
      asked_by: textOrNull({ title: 'Watched by' }),
      started_at: time({ title: 'Since' }),
    }),
    { title: 'Watches' },
  ),
  enquiries: Type.Array(
    Type.Object({
      ...titled({ enquired_at: time, asked_by: text, sector: text, operation: text }),
      report_reason: Type.Integer({ title: 'Reason' }),
      /** They asked about another name than the one on file. */
      name_differs: Type.Boolean({ title: 'Name differs' }),
    }),
    { title: 'Who asked' },
  ),
});

export const SUBJECT_REPORT = view(core, {
  name: 'credit.subject-report',
  summary: 'Everything on file about a person: accounts, disputes, and who asked and why.',
  route: 'POST /credit/subject-report',
  permission: 'credit.reports',
  isNoted: true,
  needsOne: NAMES_SUBJECT,
  input: inputOf(ofSubject),
  output: report,
  handle: async ({ core: loaded, input, deps }) =>
    viewOf(await loaded.reportOf(await deps.credit(), input), loaded),
});

function viewOf(of: SubjectReport, { isDeceased, isOriginalKnown }: Core): Static<typeof report> {
  const accountOf = ({ key, current, ...account }: CreditAccount) => ({
    account: key.slice(key.lastIndexOf(' ') + 1),
    ...wireOf({ lender: account.lender, sector: account.sector, product: account.product }),
    opened_on: isoDay(account.openedOn),
    original_amount: isOriginalKnown({ key, current, ...account })
      ? wireOf(account).original
      : null,
    ...stateOf(current),
    disputed: account.disputed,
    bought_from: (account.boughtFrom ?? []).join(', '),
    history: account.history.map(stateOf),
  });
  return {
    ...wireOf({ crn: of.crn, deceased: isDeceased(of.file), profile: of.profile }),
    life_records: wireOf(of.lifeRecords),
    accounts: of.file.accounts.map(accountOf),
    guarantees: (of.file.guarantees ?? []).map(accountOf),
    corrections: wireOf(
      of.corrections.map(({ accountId: account, ...row }) => ({ account, ...row })),
    ),
    disputes: of.disputes.map(({ disputeId: dispute, accountId: account, ...row }) =>
      wireOf({ dispute, account, ...row }),
    ),
    watches: of.watches.map(({ vendorId, startedAt }) => ({
      asked_by: of.enquiries.find((each) => each.vendorId === vendorId)?.askedBy ?? null,
      ...wireOf({ startedAt }),
    })),
    enquiries: of.enquiries.map(
      ({ enquiredAt, askedBy, sector, operation, reportReason, nameDiffers }) =>
        wireOf({ enquiredAt, askedBy, sector, operation, reportReason, nameDiffers }),
    ),
  };
}

function stateOf({ asOf, riskClass, status, ...figures }: AccountState) {
  const { balanceCents, overdueCents, daysInArrears } = figures;
  const of = wireOf({ balanceCents, overdueCents, daysInArrears, riskClass, status });
  return { ...of, as_of: isoDay(asOf) };
}
