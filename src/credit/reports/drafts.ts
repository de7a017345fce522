import type { CreditOperation } from '../bureaus/bureau.ts';
import { readAnswered } from '../enquiries/read-kept.ts';
import { readAllCards } from '../governance/cards.ts';
import { readDefaults } from '../importing/pre-listing.ts';
import type { Finding } from '../importing/record.ts';
import { startOfDay } from '../registry/day.ts';
import { fullName } from '../registry/profile.ts';
import { readSuppressionRules } from '../registry/read-suppression.ts';
import type { Vault } from '../registry/vault.ts';
import type { Clock, WireTime } from '../../platform/base/clock.ts';
import { DAY_MS, isoDay } from '../../platform/base/days.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { decisionFacts } from './decision-facts.ts';
import { plainTextOf } from '../../platform/documents/document.ts';
import type { Language, ReportDocument } from '../../platform/documents/document.ts';
import { adverseActionNotice, consentReceipt, preListingNotice } from './letters.ts';
import { NOTICE_DAYS } from './words.ts';
import type { Decision } from './words.ts';

/** Drafts of letters from what the registry knows. */

export interface DraftDeps {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly wireTime: WireTime;
  readonly language: Language;
}

/** An answered enquiry. */
export interface DraftEnquiry {
  readonly lender: { readonly vendorId: number; readonly name: string };
  readonly requestReference: string;
  readonly operation: CreditOperation;
}

/** Throws: `PlainError`. */
export async function draftAdverseAction(
  deps: DraftDeps & { readonly vault: Vault; readonly contact: string },
  asked: DraftEnquiry & { readonly decision: Decision },
): Promise<ReportDocument> {
  const { lender, requestReference: reference, decision } = asked;
  const enquiry = await answeredOf(deps, asked);
  const facts = decisionFacts(enquiry, deps.language, await readAllCards(deps.pool));
  if (facts === undefined) {
    throw new PlainError('The answer of this enquiry has no score, or is no longer stored.');
  }
  const day = deps.wireTime.format(enquiry.enquiredAt).slice(0, 10);
  return adverseActionNotice({
    ...{ ...datedNow(deps), ...facts, lender: lender.name, decision, contact: deps.contact },
    enquiry: { reference, day },
  });
}

/** Throws: `PlainError`. */
export async function draftConsentReceipt(
  deps: DraftDeps & { readonly vault: Vault },
  asked: DraftEnquiry,
): Promise<ReportDocument> {
  const { lender, requestReference: reference, operation } = asked;
  const enquiry = await answeredOf(deps, asked);
  const { enquiryId: id, enquiredAt, reportReason, consentReference, consentDate } = enquiry;
  return consentReceipt({
    ...{ ...datedNow(deps), lender: lender.name },
    ...{ consentReference: consentReference ?? '', consentDate: consentDate ?? '' },
    enquiry: { id, reference, time: deps.wireTime.format(enquiredAt), operation, reportReason },
  });
}

async function answeredOf(
  { pool, vault }: DraftDeps & { readonly vault: Vault },
  { lender: { vendorId }, requestReference, operation }: DraftEnquiry,
) {
  const found = await readAnswered(pool, vault, { vendorId, requestReference, operation });
  if (found !== undefined) return found;
  throw new PlainError('The vendor has no answered enquiry with this reference.', {
    field: 'reference',
  });
}

function datedNow({ clock, wireTime, language }: DraftDeps) {
  const madeAt = clock.now();
  return { language, madeAt, today: wireTime.format(madeAt).slice(0, 10) };
}

export interface PreListingNotices {
  readonly notices: readonly {
    readonly line: number;
    readonly account: string;
    /** `YYYY-MM-DD`. */
    readonly submitFrom: string;
    readonly text: string;
  }[];
  /** A line that cannot be read may list somebody whom nobody would then have told. */
  readonly findings: readonly Finding[];
}

/** Notices to the holders of accounts that are in default in a file. Throws: `ImportError`. */
export async function draftPreListing(
  deps: DraftDeps & { readonly timeZone: string },
  file: string,
  {
    lenderName: lender,
    ...how
  }: Parameters<typeof readDefaults>[1] & { readonly lenderName: string },
): Promise<PreListingNotices> {
  const dated = datedNow(deps);
  const today = startOfDay(dated.madeAt, deps.timeZone);
  const submitFrom = isoDay(new Date(today.getTime() + NOTICE_DAYS * DAY_MS));
  const notices: PreListingNotices['notices'][number][] = [];
  const findings: Finding[] = [];
  for await (const noticed of readDefaults(file, how, await readSuppressionRules(deps.pool))) {
    if (noticed.account === undefined) {
      findings.push(...noticed.findings);
      continue;
    }
    const { line, accountNumber, profile } = noticed.account;
    const { overdueCents, daysInArrears } = noticed.state;
    const customer = fullName(profile.name);
    const about = { lender, customer, accountNumber, overdueCents, daysInArrears, submitFrom };
    const text = plainTextOf(preListingNotice({ ...dated, ...about }));
    notices.push({ line, account: accountNumber, submitFrom, text });
  }
  return { notices, findings };
}
