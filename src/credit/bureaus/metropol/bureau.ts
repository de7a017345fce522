import { Pool as HttpPool } from 'undici';
import type { Clock } from '../../../platform/base/clock.ts';
import { isoDay } from '../../../platform/base/days.ts';
import { LIMITS } from '../../../platform/base/limits.ts';
import { matchRulesOf } from '../bureau.ts';
import type { Bureau, BureauAnswer, BureauQuestion } from '../bureau.ts';
import { startOfDay } from '../../registry/day.ts';
import { beginCall, endCall, readAnsweredCall } from '../upstream-store.ts';
import type { UpstreamCall } from '../upstream-store.ts';
import { agreementOf, matchRuleOf, nameDiffers } from '../../matching/match.ts';
import type { CreditAccount } from '../../facts.ts';
import type { DocumentType, IdentityDocument } from '../../registry/documents.ts';
import type { Vault } from '../../registry/vault.ts';
import type { CardsInForce } from '../../governance/cards.ts';
import { scoreFile } from '../../scorecards/score.ts';
import { isDeceased } from '../../scorecards/standing.ts';
import type { Pool } from '../../../platform/db/pool.ts';
import { exchange } from '../../../platform/outbound/exchange.ts';
import { lookupHost } from '../../../platform/outbound/host-names.ts';
import { createPublicLookup } from '../../../platform/outbound/public-lookup.ts';
import { readAccounts, readHead, readProfile, readScore } from './answers.ts';
import { signedHeaders } from './signing.ts';
import type { MetropolKeys } from './signing.ts';

export interface MetropolOptions extends MetropolKeys {
  /** With port and version, such as `https://api.metropol.co.ke:5555/v2_1`. */
  readonly url: string;
  readonly timeoutMs: number;
  /** True: its name may resolve to a private network, such as a VPN. */
  readonly allowsPrivateAddresses?: boolean;
  readonly pool: Pool;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly timeZone: string;
  /** The cards to compute reasons with now. */
  readonly cards: () => CardsInForce;
}

const SOURCE = 'metropol';
const MAX_CONNECTIONS = 8;
const RETRY_AFTER_SECONDS = 30;

/** Metropol's identity types; it has none for tax PINs. */
const IDENTITY_TYPES: readonly (readonly [DocumentType, string])[] = [
  ['nationalID', '001'],
  ['passportNo', '002'],
  ['alienID', '003'],
  ['serviceID', '004'],
];

/** Report reasons 3 and 4 are a review and a verification; all others a new application. */
const REASONS: ReadonlyMap<number, number> = new Map([
  [3, 2],
  [4, 3],
]);
const NEW_APPLICATION = 1;

interface Part<Result> {
  readonly name: 'identity' | 'accounts' | 'score';
  readonly path: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /**
   * The content of a successful answer; undefined if it is malformed, which counts as no answer.
   */
  readonly read: (text: string) => Result | undefined;
}

type PartAnswer<Result> =
  | { readonly kind: 'success'; readonly result: Result; readonly trxId: string | null }
  | { readonly kind: 'not_found' | 'unavailable' | 'unknown' };

/**
 * Metropol as the bureau: identity, credit information and score, one call each. What it does not
 * provide (counts, grade, probability, reasons) is computed here from its accounts, and the answer
 * says so.
 */
export function createMetropolBureau(options: MetropolOptions): Bureau {
  const url = new URL(options.url);
  const http = new HttpPool(url.origin, {
    connections: MAX_CONNECTIONS,
    pipelining: 1,
    // Set explicitly, so that no environment variable can turn certificate checks off.
    connect: {
      timeout: options.timeoutMs,
      rejectUnauthorized: true,
      lookup: options.allowsPrivateAddresses === true ? lookupHost : createPublicLookup(),
    },
  });
  const base = url.pathname.replace(/\/$/, '');
  return {
    source: SOURCE,
    close: () => http.destroy(),
    ask: async (question) => {
      const identified = identityOf(question);
      if (identified === undefined) return nobody();
      const { document, identityType } = identified;
      const call = async <Result>(part: Part<Result>): Promise<PartAnswer<Result>> =>
        await ask({ options, http, base }, { question, document, part });
      const body = { identity_number: document.number, identity_type: identityType };
      return await askAll(question, { document, body, call, options });
    },
  };
}

function identityOf(
  question: BureauQuestion,
): { readonly document: IdentityDocument; readonly identityType: string } | undefined {
  for (const [type, identityType] of IDENTITY_TYPES) {
    const document = question.documents.find((one) => one.type === type);
    if (document !== undefined) return { document, identityType };
  }
  return undefined;
}

function nobody(): BureauAnswer {
  return { kind: 'not_found', crns: [], matchRule: null, matchScore: null, upstreamId: null };
}

interface Asking {
  readonly document: IdentityDocument;
  readonly body: Readonly<Record<string, unknown>>;
  readonly call: <Result>(part: Part<Result>) => Promise<PartAnswer<Result>>;
  readonly options: MetropolOptions;
}

async function askAll(question: BureauQuestion, asking: Asking): Promise<BureauAnswer> {
  const { document, body, call, options } = asking;
  const asOf = startOfDay(options.clock.now(), options.timeZone);
  const identity = await call({
    name: 'identity',
    path: '/identity/verify',
    parameters: { report_type: 1, ...body },
    read: (text) => readProfile(text, document, isoDay(asOf)),
  });
  if (identity.kind !== 'success') return failed(identity.kind);
  const profile = identity.result;
  const agreed = agreementOf(
    { profile, birthDates: [profile.dateOfBirth] },
    question,
    matchRulesOf(question),
  );
  const match = {
    crns: [],
    matchRule: agreed?.rule ?? matchRuleOf(question),
    matchScore: agreed?.score ?? null,
    upstreamId: identity.trxId,
  };
  // A different name or birth date discloses nothing, and no further call is made.
  if (agreed === undefined) return { kind: 'mismatch', ...match };

  const mobile = question.operation === 'mobile-loan-score';
  const accounts = await call(accountsPart(question, { body, mobile, asOf }));
  if (accounts.kind !== 'success') return failedLater(accounts.kind);
  const file = { asOf, accounts: accounts.result, enquiries: [] };
  const finding = {
    crn: `M${identity.trxId ?? ''}`,
    nameDiffers: nameDiffers(match.matchRule),
    profile,
    file,
  };
  if (question.operation === 'id-decision') {
    return {
      kind: 'found',
      ...match,
      finding: { ...finding, score: null, computedHere: ['summary'] },
    };
  }
  const scored = await call({
    name: 'score',
    path: '/score/consumer',
    parameters: { report_type: 3, ...body, mobile_score: mobile },
    read: readScore,
  });
  if (scored.kind !== 'success') return failedLater(scored.kind);
  const computed = scoreFile(file, mobile ? 'mobile' : 'generic', asking.options.cards().champions);
  return {
    kind: 'found',
    ...match,
    finding: {
      ...finding,
      score: isDeceased(file) ? computed : { ...computed, score: scored.result },
      computedHere: ['summary', 'score.grade', 'score.probability', 'score.reasonCodeAARC'],
    },
  };
}

function accountsPart(
  question: BureauQuestion,
  asked: { readonly body: Asking['body']; readonly mobile: boolean; readonly asOf: Date },
): Part<readonly CreditAccount[]> {
  const { body, mobile, asOf } = asked;
  return {
    name: 'accounts',
    path: mobile ? '/report/creditinfo/mobile' : '/report/credit_info',
    parameters: {
      report_type: mobile ? 11 : 8,
      ...body,
      loan_amount: 0,
      report_reason: REASONS.get(question.reportReason) ?? NEW_APPLICATION,
    },
    read: (text) => readAccounts(text, { mySector: question.vendor.sector, mobile, asOf }),
  };
}

function failed(kind: 'not_found' | 'unavailable' | 'unknown'): BureauAnswer {
  if (kind === 'not_found') return nobody();
  if (kind === 'unknown') return { kind };
  return { kind, retryAfterSeconds: RETRY_AFTER_SECONDS };
}

/** A part was answered, and billed, so the enquiry was made; a repeat asks for the rest. */
function failedLater(kind: 'not_found' | 'unavailable' | 'unknown'): BureauAnswer {
  return kind === 'not_found' ? nobody() : { kind: 'unknown' };
}

/**
 * One call. Uses the answer of an earlier attempt of the same enquiry; otherwise records the call,
 * makes it, and records its answer.
 */
async function ask<Result>(
  { options, http, base }: { options: MetropolOptions; http: HttpPool; base: string },
  asked: { question: BureauQuestion; document: IdentityDocument; part: Part<Result> },
): Promise<PartAnswer<Result>> {
  const { pool, vault, clock } = options;
  const { question, document, part } = asked;
  const { identity_number: _number, ...parameters } = part.parameters;
  // The key that indexes the document may have been rotated since an earlier attempt.
  const askedForms = vault
    .indexes('document', `${document.type}|${document.number}`)
    .map((index) => `${index.toString('hex')} ${JSON.stringify(parameters)}`);
  const call: UpstreamCall = {
    vendorId: question.vendor.vendorId,
    requestReference: question.requestReference,
    operation: question.operation,
    bureau: SOURCE,
    part: part.name,
    asked: askedForms[0] ?? '',
  };
  const earlier = await readAnsweredCall(pool, vault, { ...call, asked: askedForms });
  if (earlier !== undefined) return partAnswer(earlier, part);
  const at = clock.now();
  const lostBefore = new Date(at.getTime() - 2 * options.timeoutMs);
  const callId = await beginCall(pool, call, { at, lostBefore });
  if (callId === undefined) return { kind: 'unavailable' };
  const body = JSON.stringify(part.parameters);
  const ending = await exchange(http, {
    path: `${base}${part.path}`,
    body,
    headers: signedHeaders(body, options, clock.now()),
    deadlineMs: options.timeoutMs,
    answerBytes: LIMITS.bureauAnswerBytes,
    signal: new AbortController().signal,
  });
  const text = ending.kind === 'answer' ? ending.body.toString('utf8') : '';
  const answer: PartAnswer<Result> =
    ending.kind === 'nothing_written' ? { kind: 'unavailable' } : partAnswer(text, part);
  const isFinal = answer.kind === 'success' || answer.kind === 'not_found';
  const unsure = answer.kind === 'unknown' ? 'unknown' : 'not_sent';
  await endCall(
    pool,
    vault,
    { ...call, callId },
    {
      outcome: isFinal ? 'answered' : unsure,
      answer: isFinal ? text : null,
      at: clock.now(),
    },
  );
  return answer;
}

/**
 * With a malformed answer, no answer or a duplicate, the call may or may not have been executed and
 * billed.
 */
function partAnswer<Result>(text: string, part: Part<Result>): PartAnswer<Result> {
  const head = readHead(text);
  if (head === undefined || head.meaning === 'duplicate') return { kind: 'unknown' };
  if (head.meaning === 'refused') return { kind: 'unavailable' };
  if (head.meaning === 'not_found') return { kind: 'not_found' };
  const result = part.read(text);
  if (result === undefined) return { kind: 'unknown' };
  return { kind: 'success', result, trxId: head.trxId };
}
