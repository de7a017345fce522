import { readAllCards } from '../credit/governance/cards.ts';
import { personOf } from '../credit/operations/ask.ts';
import { reasonTexts } from '../credit/reports/subject-document.ts';
import { factsOf as cardFacts } from '../credit/scorecards/card-facts.ts';
import type { AnsweredEnquiry } from '../credit/enquiries/read-kept.ts';
import type { Queryable } from '../platform/db/pool.ts';
import type { CustomerReport, EnquiryReport } from './credit-report-schema.ts';
import { wireOf } from './wire.ts';

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

type Figures = CustomerReport['figures'];

/** Everything about an answered enquiry that is not in its address. */
export async function reportView(
  db: Queryable,
  found: AnsweredEnquiry,
): Promise<Omit<EnquiryReport, 'vid' | 'operation' | 'reference'>> {
  const { enquiredAt, reportReason, consentReference, consentDate, scorecard, source } = found;
  const card = scorecard === null ? undefined : (await readAllCards(db)).get(scorecard);
  return {
    ...wireOf({ enquiredAt, reportReason, consentReference, consentDate, scorecard, source }),
    person: personOf(found.keyId) ?? null,
    card: card === undefined ? null : wireOf(cardFacts(card)),
    report: reportOf(found),
  };
}

/** In parts for people; null if retention has erased it. */
function reportOf({ payload }: AnsweredEnquiry): CustomerReport | null {
  if (payload === null || payload.answer === null) return null;
  const body = JSON.parse(payload.answer) as Body;
  const { profile, summary } = body;
  const creditActive = summary['creditActive'];
  return {
    full_name: profile['fullName'] ?? '',
    date_of_birth: dayOf(profile['dateOfBirth']),
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
    name_differs: profile['nameDiffers'] === 'true',
    credit_active: creditActive === undefined ? null : creditActive === 'true',
    figures: figuresOf(summary),
    accounts: (body.account_list ?? []).map(accountOf),
    score: scoreOf(body.score),
    notice: body.notice ?? '',
    remarks: (body.remarks ?? []).map((remark) => remark.replaceAll('`', '')),
  };
}

function figuresOf(summary: Body['summary']): Figures {
  return Object.entries(summary).flatMap(([name, value]) => {
    if (typeof value !== 'object' || value === null) return [];
    const { mySector = null, otherSectors = null } = value as Readonly<
      Record<string, string | null>
    >;
    return [{ name, value: { my_sector: plain(mySector), other_sectors: plain(otherSectors) } }];
  });
}

/** Beginnings of days become days. */
function plain(value: string | null): string | null {
  return value === null || !/^\d{4}-\d{2}-\d{2}T/.test(value) ? value : dayOf(value);
}

function accountOf(account: Texts): CustomerReport['accounts'][number] {
  return {
    status: account['accountStatus'] ?? '',
    type: account['accountType'] ?? '',
    opened: dayOf(account['openedDate']),
    original_amount: account['originalAmount'] ?? '',
    balance: account['currentBalance'] ?? '',
    days_in_arrears: account['arrearDays'] ?? '',
    as_of: dayOf(account['asOf']),
    disputed: account['disputed'] === 'true',
  };
}

function scoreOf(score: Texts | undefined): CustomerReport['score'] {
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
