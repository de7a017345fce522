import { Type } from 'typebox';
import { isoDay } from '../../platform/base/days.ts';
import { formatMoney } from '../../platform/base/money.ts';
import type { BureauFinding } from '../bureaus/bureau.ts';
import { documentNumber, fullName } from '../registry/profile.ts';
import { isDeceased, isDisputed } from '../scorecards/standing.ts';
import {
  GENERIC_COUNTS,
  MOBILE_AMOUNTS,
  MOBILE_COUNTS,
  genericSummary,
  isCreditActive,
  listAccounts,
  mobileSummary,
} from '../summary/summary.ts';
import type { ListedAccount, SummaryScope } from '../summary/summary.ts';
import { headerStatus, nullable } from '../../platform/http/schemas.ts';

/** What the law asks bureaus to print with a score (Banking (Credit Reference Bureau) Regulations, Kenya). */
const NOTICE =
  'A customer’s credit score should not be used as the sole reason by a lender to deny a customer a loan.';
const SUCCESS_TEXT = 'Product request processed successfully';

const text = (description: string) => Type.String({ description });
const isoTime = (description: string) =>
  Type.String({ description, examples: ['2026-10-31T00:00:00+03:00'] });

const head = {
  header_status: headerStatus,
  text: Type.String({ examples: [SUCCESS_TEXT] }),
  requestReference: text('As sent.'),
};
const trueOrFalse = (description: string) =>
  Type.String({ description, examples: ['false'], pattern: '^(true|false)$' });
const tail = {
  remarks: Type.Array(
    Type.String({ description: 'What else has to be known, such as disputes and a death.' }),
  ),
  source: text('The bureau the information is from; `registry` is the built-in one.'),
  computed_here: Type.Array(
    Type.String({ description: 'What an upstream bureau did not tell and was computed here.' }),
  ),
};
const profileFields = {
  crn: text('Customer reference number.'),
  dateOfBirth: isoTime('Date of birth.'),
  fullName: text('Full name.'),
  nationalID: text('National ID number; empty when not known.'),
  otherNames: text('Names but the surname.'),
  salutation: text('Salutation; empty when not known.'),
  surname: text('Surname.'),
  deceased: trueOrFalse(
    '`true` when the customer is recorded as deceased; then there is no score.',
  ),
};
const sectorPair = Type.Object(
  { mySector: Type.String(), otherSectors: Type.String() },
  { description: 'Text numbers. See the page on credit fields for each definition.' },
);
const pairs = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, sectorPair]));
const reasons = Object.fromEntries(
  [1, 2, 3, 4].map((number) => [`reasonCodeAARC${number}`, text('A reason, in plain English.')]),
);
const score = (name: string) =>
  Type.Object({
    grade: text('AA (best) to JJ; empty without history.'),
    [name]: text('1 to 1000; empty without history.'),
    probability: text('Probability of default in percent; empty without history.'),
    ...reasons,
  });
const accountStatus = Type.String({ description: '`ACTIVE`, `CLOSED` or `DEFAULT`.' });
const accountFlags = {
  disputed: trueOrFalse(
    '`true` while the customer disputes the account: it is neither counted against the customer nor scored.',
  ),
  deceased: trueOrFalse('`true` when the lender reports the customer’s death with this account.'),
  asOf: isoTime('The day for which the lender last submitted the account.'),
};
const notice = text('To be shown to whoever decides.');

export const identityDecisionResponse = Type.Object({
  ...head,
  profile: Type.Object({
    ...profileFields,
    gender: text('`M`, `F` or empty.'),
    nationality: text('Country code of two letters.'),
  }),
  summary: Type.Object({ creditActive: text('`"true"` when any account is open.') }),
  ...tail,
});

export const genericScoreResponse = Type.Object({
  ...head,
  profile: Type.Object(profileFields),
  summary: Type.Object(pairs(GENERIC_COUNTS)),
  account_list: Type.Array(
    Type.Object({ accountStatus, arrearAmount: text('Overdue amount in KES.'), ...accountFlags }),
  ),
  phone_list: Type.Array(
    Type.Object({ phoneNo: Type.String(), phoneType: text('`MOBILE`, `HOME` or `WORK`.') }),
  ),
  score: score('positiveScore'),
  notice,
  ...tail,
});

export const mobileScoreResponse = Type.Object({
  ...head,
  profile: Type.Object(profileFields),
  summary: Type.Object({
    ...pairs([...MOBILE_AMOUNTS, ...MOBILE_COUNTS]),
    lastMobileLoanListingDate: Type.Object({
      otherSectors: nullable(isoTime('Null when there is none.')),
    }),
  }),
  account_list: Type.Array(Type.Object({ accountStatus, ...accountFlags })),
  phone_list: Type.Array(
    Type.Object({
      createDate: isoTime('Since when it is on file.'),
      phoneNo: Type.String(),
      phoneType: text('`MOBILE`, `HOME` or `WORK`.'),
    }),
  ),
  score: score('mobiLoansScore'),
  notice,
  ...tail,
});

/** Everything an answer is made of. */
export interface AnswerContext {
  readonly requestReference: string;
  readonly scope: SummaryScope;
  readonly timeZone: string;
  readonly source: string;
}

/** Specification §4.10. */
export function identityDecisionAnswer(finding: BureauFinding, context: AnswerContext) {
  const { gender, nationality } = finding.profile;
  return {
    ...headOf(context),
    profile: { ...profileOf(finding, context), gender, nationality },
    summary: { creditActive: String(isCreditActive(finding.file)) },
    ...tailOf(finding, context),
  };
}

/** Specification §4.11. */
export function genericScoreAnswer(finding: BureauFinding, context: AnswerContext) {
  return {
    ...headOf(context),
    profile: profileOf(finding, context),
    summary: genericSummary(finding.file, context.scope),
    account_list: listAccounts(finding.file, context.scope).map((account) => ({
      accountStatus: account.status,
      arrearAmount: formatMoney(account.arrearCents),
      ...flagsOf(account, context),
    })),
    phone_list: finding.profile.phones.map((phone) => ({
      phoneNo: phone.number,
      phoneType: phone.type,
    })),
    score: scoreOnWire(finding, 'positiveScore'),
    notice: NOTICE,
    ...tailOf(finding, context),
  };
}

/** Specification §4.12. */
export function mobileScoreAnswer(finding: BureauFinding, context: AnswerContext) {
  const { lastMobileLoanListingDate: listed, ...summary } = mobileSummary(
    finding.file,
    context.scope,
  );
  const { otherSectors } = listed;
  return {
    ...headOf(context),
    profile: profileOf(finding, context),
    summary: {
      ...summary,
      lastMobileLoanListingDate: {
        otherSectors: otherSectors === null ? null : dayOnWire(isoDay(otherSectors), context),
      },
    },
    account_list: listAccounts(finding.file, context.scope).map((account) => ({
      accountStatus: account.status,
      ...flagsOf(account, context),
    })),
    phone_list: finding.profile.phones.map((phone) => ({
      createDate: dayOnWire(phone.since, context),
      phoneNo: phone.number,
      phoneType: phone.type,
    })),
    score: scoreOnWire(finding, 'mobiLoansScore'),
    notice: NOTICE,
    ...tailOf(finding, context),
  };
}

function headOf({ requestReference }: AnswerContext) {
  return { header_status: 200, text: SUCCESS_TEXT, requestReference };
}

function tailOf(finding: BureauFinding, { source }: AnswerContext) {
  return { remarks: remarksOf(finding), source, computed_here: [...finding.computedHere] };
}

function flagsOf({ disputed, deceased, asOf }: ListedAccount, context: AnswerContext) {
  return {
    disputed: String(disputed),
    deceased: String(deceased),
    asOf: dayOnWire(isoDay(asOf), context),
  };
}

/** About the whole file, as the score is. */
function remarksOf({ file }: BureauFinding): string[] {
  const disputed = file.accounts.filter(isDisputed).length;
  const accounts = disputed === 1 ? '1 account is' : `${disputed} accounts are`;
  return [
    ...(isDeceased(file)
      ? ['The customer is recorded as deceased. There is no score of a deceased customer.']
      : []),
    ...(disputed > 0
      ? [
          `${accounts} under dispute: listed as performing with \`disputed\`, not counted against the customer, and left out of any score until the dispute is decided.`,
        ]
      : []),
  ];
}

function profileOf({ crn, profile, file }: BureauFinding, context: AnswerContext) {
  return {
    crn,
    dateOfBirth: dayOnWire(profile.dateOfBirth, context),
    fullName: fullName(profile.name),
    nationalID: documentNumber(profile, 'nationalID'),
    otherNames: profile.name.forenames.join(' '),
    salutation: profile.salutation,
    surname: profile.name.surname,
    deceased: String(isDeceased(file)),
  };
}

function scoreOnWire({ score: answer }: BureauFinding, name: 'positiveScore' | 'mobiLoansScore') {
  if (answer === null) throw new Error('A scoring operation was answered without a score');
  const [first, second, third, fourth] = answer.reasons;
  return {
    grade: answer.grade,
    [name]: answer.score,
    probability: answer.probability,
    reasonCodeAARC1: first,
    reasonCodeAARC2: second,
    reasonCodeAARC3: third,
    reasonCodeAARC4: fourth,
  };
}

/** `YYYY-MM-DD` as the beginning of that day with the zone's offset; empty text stays empty. */
function dayOnWire(day: string, { timeZone }: AnswerContext): string {
  if (day === '') return '';
  return `${day}T00:00:00${offsetOn(day, timeZone)}`;
}

const offsets = new Map<string, string>();

// Formatting costs tens of microseconds, and the days of a registry repeat.
function offsetOn(day: string, timeZone: string): string {
  const key = `${timeZone} ${day}`;
  const known = offsets.get(key);
  if (known !== undefined) return known;
  const shown = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
    .formatToParts(new Date(`${day}T00:00:00Z`))
    .find(({ type }) => type === 'timeZoneName')?.value;
  const offset = /[+-]\d{2}:\d{2}/.exec(shown ?? '')?.[0] ?? '+00:00';
  if (offsets.size >= MAX_OFFSETS) offsets.clear();
  offsets.set(key, offset);
  return offset;
}

const MAX_OFFSETS = 50_000;
