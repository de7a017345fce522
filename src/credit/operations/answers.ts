import type { EnquiryPolicy } from '../../parties/vendor.ts';
import { createWireTime, startOfNamedDay } from '../../platform/base/clock.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import { isoDay, midnightWithOffset } from '../../platform/base/days.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { REGISTRY_SOURCE } from '../bureaus/bureau.ts';
import type { BureauFinding } from '../bureaus/bureau.ts';
import { PRODUCT_NAMES } from '../facts.ts';
import { documentNumber, fullName } from '../registry/profile.ts';
import { isDeceased, isDisputed, isOriginalKnown } from '../scorecards/standing.ts';
import { ageInMonths, arrearDaysOf, detailsOf, isStale } from '../summary/details.ts';
import type { SummaryScope } from '../summary/sectors.ts';
import type { ListedAccount } from '../summary/summary.ts';

/**
 * The text that bureaus must print with a score by law (Banking (Credit Reference Bureau)
 * Regulations, Kenya).
 */
export const NOTICE =
  'A customer’s credit score should not be used as the sole reason by a lender to deny a customer a loan.';
export const SUCCESS_TEXT = 'Product request processed successfully';

/** The name of the score itself. */
export type ScoreName = 'positiveScore' | 'mobiLoansScore';

/** Everything that an answer is built from. */
export interface AnswerContext {
  readonly requestReference: string;
  readonly scope: SummaryScope;
  readonly timeZone: string;
  readonly source: string;
  readonly policy: EnquiryPolicy;
}

export function headOf({ requestReference }: AnswerContext) {
  return { header_status: 200, text: SUCCESS_TEXT, requestReference };
}

export function tailOf(finding: BureauFinding, { source }: AnswerContext) {
  return { remarks: remarksOf(finding), source, computed_here: [...finding.computedHere] };
}

export function flagsOf({ disputed, deceased, asOf }: ListedAccount, context: AnswerContext) {
  return {
    disputed: String(disputed),
    deceased: String(deceased),
    asOf: dayOnWire(isoDay(asOf), context),
  };
}

/** The fields of an account beyond its status and its arrears. */
export function accountDetailsOf({ account }: ListedAccount, asOf: Date, context: AnswerContext) {
  return {
    accountType: PRODUCT_NAMES[account.product],
    openedDate: dayOnWire(isoDay(account.openedOn), context),
    accountAge: String(ageInMonths(account, asOf)),
    originalAmount: isOriginalKnown(account) ? formatMoney(account.originalCents) : '',
    currentBalance: formatMoney(account.current.balanceCents),
    arrearDays: String(arrearDaysOf(account)),
    stale: String(isStale(account, asOf)),
    jointHolders: String(account.jointHolders ?? ''),
  };
}

/** Arrears, balances and enquiries of the whole file. Only the registry knows who asked before. */
export function summaryDetailsOf({ file }: BureauFinding, { scope, source }: AnswerContext) {
  return detailsOf(file, scope, source === REGISTRY_SOURCE);
}

/** About the whole file, like the score. */
function remarksOf({ file, nameDiffers }: BureauFinding): string[] {
  const disputed = file.accounts.filter(isDisputed).length;
  const accounts = disputed === 1 ? '1 account is' : `${disputed} accounts are`;
  return [
    ...(nameDiffers
      ? [
          'The customer has another name on file than the one in the request, as after a marriage. Check the document.',
        ]
      : []),
    ...(isDeceased(file)
      ? ['The customer is recorded as deceased. A deceased customer has no score.']
      : []),
    ...(disputed > 0
      ? [
          `${accounts} under dispute: listed as performing with \`disputed\`, not counted against the customer, and left out of any score until the dispute is decided.`,
        ]
      : []),
  ];
}

export function profileOf(
  { crn, nameDiffers, profile, file }: BureauFinding,
  context: AnswerContext,
) {
  return {
    crn,
    dateOfBirth: dayOnWire(profile.dateOfBirth, context),
    fullName: fullName(profile.name),
    nationalID: documentNumber(profile, 'nationalID'),
    otherNames: profile.name.forenames.join(' '),
    salutation: profile.salutation,
    surname: profile.name.surname,
    deceased: String(isDeceased(file)),
    nameDiffers: String(nameDiffers),
    // Names that other lenders submitted: under the strict policy a vendor sees only names that it gave.
    alsoKnownAs: context.policy === 'strict' ? [] : profile.alsoKnownAs.map(fullName),
  };
}

export function scoreOnWire({ score: answer }: BureauFinding, name: ScoreName) {
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
export function dayOnWire(day: string, { timeZone }: AnswerContext): string {
  if (day === '') return '';
  const key = `${timeZone} ${day}`;
  const known = beginnings.get(key);
  if (known !== undefined) return known;
  const wireTime = wireTimes.get(timeZone) ?? createWireTime(timeZone);
  wireTimes.set(timeZone, wireTime);
  const begins = startOfNamedDay(day, wireTime) ?? new Date(`${day}T00:00:00Z`);
  const text = midnightWithOffset(day, begins);
  if (beginnings.size >= MAX_BEGINNINGS) beginnings.clear();
  beginnings.set(key, text);
  return text;
}

// Formatting costs microseconds, and the dates in a registry repeat.
const beginnings = new Map<string, string>();
const wireTimes = new Map<string, WireTime>();
const MAX_BEGINNINGS = 50_000;
