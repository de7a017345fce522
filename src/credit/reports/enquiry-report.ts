import type { Queryable } from '../../platform/db/pool.ts';
import type { AnsweredEnquiry } from '../enquiries/read-kept.ts';
import { readAllCards } from '../governance/cards.ts';
import { factsOf } from '../scorecards/card-facts.ts';
import { reasonTexts } from './subject-document.ts';

type Texts = Readonly<Record<string, string>>;

/** The recorded body of an answer. Each operation has its own parts of it. */
interface Body {
  readonly profile: Texts;
  readonly summary: Readonly<Record<string, unknown>>;
  readonly account_list?: readonly Texts[];
  readonly phone_list?: readonly Texts[];
  readonly score?: Texts;
  readonly notice?: string;
  readonly remarks?: readonly string[];
}

const DOCUMENTS = ['nationalID', 'passportNo', 'serviceID', 'alienID', 'taxID'] as const;

/** The card of an answered enquiry and what was answered, for people. Null: an upstream bureau’s; erased. */
export async function reportOnEnquiry(db: Queryable, found: AnsweredEnquiry) {
  const { scorecard } = found;
  const card = scorecard === null ? undefined : (await readAllCards(db)).get(scorecard);
  return { card: card === undefined ? null : factsOf(card), report: reportOf(found) };
}

/** In parts for people; null if retention has erased it. */
function reportOf({ payload }: AnsweredEnquiry) {
  if (payload === null || payload.answer === null) return null;
  const body = JSON.parse(payload.answer) as Body;
  const { profile, summary } = body;
  const isActive = summary['creditActive'];
  return {
    fullName: profile['fullName'] ?? '',
    dateOfBirth: dayOf(profile['dateOfBirth']),
    customer: profile['crn'] ?? '',
    // Only documents of the request: one that was not given is not shown.
    documents: DOCUMENTS.flatMap((type) => {
      const number = payload.request[type];
      return number === undefined ? [] : [{ type, number }];
    }),
    gender: profile['gender'] ?? null,
    nationality: profile['nationality'] ?? null,
    phones: (body.phone_list ?? []).map((phone) => phone['phoneNo'] ?? ''),
    deceased: profile['deceased'] === 'true',
    nameDiffers: profile['nameDiffers'] === 'true',
    creditActive: isActive === undefined ? null : isActive === 'true',
    figures: figuresOf(summary),
    accounts: (body.account_list ?? []).map(accountOf),
    score: scoreOf(body.score),
    notice: body.notice ?? '',
    remarks: (body.remarks ?? []).map((remark) => remark.replaceAll('`', '')),
  };
}

function figuresOf(summary: Body['summary']) {
  return Object.entries(summary).flatMap(([name, value]) => {
    if (typeof value !== 'object' || value === null) return [];
    const { mySector = null, otherSectors = null } = value as Readonly<
      Record<string, string | null>
    >;
    return [{ name, value: { mySector: plain(mySector), otherSectors: plain(otherSectors) } }];
  });
}

/** Beginnings of days become days. */
function plain(value: string | null): string | null {
  return value === null || !/^\d{4}-\d{2}-\d{2}T/.test(value) ? value : dayOf(value);
}

function accountOf(account: Texts) {
  return {
    status: account['accountStatus'] ?? '',
    type: account['accountType'] ?? '',
    opened: dayOf(account['openedDate']),
    originalAmount: account['originalAmount'] ?? '',
    balance: account['currentBalance'] ?? '',
    daysInArrears: account['arrearDays'] ?? '',
    asOf: dayOf(account['asOf']),
    disputed: account['disputed'] === 'true',
  };
}

function scoreOf(score: Texts | undefined) {
  const number = score?.['positiveScore'] ?? score?.['mobiLoansScore'] ?? '';
  if (score === undefined || number === '') return null;
  const reason = (place: number): string => score[`reasonCodeAARC${place}`] ?? '';
  const given = { reasons: [reason(1), reason(2), reason(3), reason(4)] as const };
  return {
    score: number,
    grade: score['grade'] ?? '',
    probability: score['probability'] ?? '',
    reasons: { en: reasonTexts(given, 'en'), sw: reasonTexts(given, 'sw') },
  };
}

function dayOf(text = ''): string {
  return text.slice(0, 'YYYY-MM-DD'.length);
}
