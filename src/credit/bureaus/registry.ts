import type { Clock } from '../../platform/base/clock.ts';
import { DAY_MS } from '../../platform/base/days.ts';
import { nextTurn } from '../../platform/base/turns.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { matchSubject, nameDiffers } from '../matching/match.ts';
import type { Match } from '../matching/match.ts';
import { readCreditFiles } from '../registry/files-store.ts';
import type { FileOwner } from '../registry/files-store.ts';
import { findSubjects, findSubjectsOfEach, readCreditFile } from '../registry/read-subjects.ts';
import { startOfDay } from '../registry/day.ts';
import { applyRetention } from '../registry/retention.ts';
import { readSuppressionRules } from '../registry/read-suppression.ts';
import { applySuppression } from '../registry/suppression.ts';
import type { Vault } from '../registry/vault.ts';
import { ONE_APPLICATION_DAYS } from '../scorecards/characteristics.ts';
import type { CardsInForce } from '../governance/cards.ts';
import { scoreFile } from '../scorecards/score.ts';
import type { CreditFile } from '../facts.ts';
import { REGISTRY_SOURCE, matchRulesOf } from './bureau.ts';
import { NameShares } from './name-shares.ts';
import type {
  Bureau,
  BureauAnswer,
  BureauFinding,
  BureauQuestion,
  CreditOperation,
} from './bureau.ts';

export interface RegistryBureauOptions {
  readonly pool: Pool;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly timeZone: string;
  /** Older states are no longer used. */
  readonly retentionDays: number;
  /** The cards to score with now. */
  readonly cards: () => CardsInForce;
}

/**
 * The built-in registry. Accounts are read as of the beginning of the day. Other lenders' enquiries
 * count at once, because several loans within a day are the greatest risk for lenders.
 */
export function createRegistryBureau(options: RegistryBureauOptions): Bureau {
  const { pool, vault } = options;
  const nameShares = new NameShares(options);
  return {
    source: REGISTRY_SOURCE,
    close: async () => {},
    ask: async (question): Promise<BureauAnswer> => {
      const found = await findSubjects(pool, vault, question.documents);
      const use = await nameShares.current();
      const match = matchSubject(question, found, { ...matchRulesOf(question), use });
      if (match.kind !== 'match') return missOf(match);
      const { crn } = match.subject;
      const file = await readFileOfToday(options, crn, question.vendor.vendorId);
      return foundOf(match, file, scoresOf(file, question.operation, options.cards()));
    },
    askMany: async (questions): Promise<BureauAnswer[]> =>
      await askMany({ ...options, nameShares }, questions),
  };
}

async function askMany(
  options: RegistryBureauOptions & { readonly nameShares: NameShares },
  questions: readonly BureauQuestion[],
): Promise<BureauAnswer[]> {
  const { pool, vault } = options;
  const [first] = questions;
  if (first === undefined) return [];
  const documents = questions.map((question) => question.documents);
  const found = await findSubjectsOfEach(pool, vault, documents);
  const use = await options.nameShares.current();
  const matches = questions.map((question, index) =>
    matchSubject(question, found[index] ?? [], { ...matchRulesOf(question), use }),
  );
  const files = await readFilesOfToday(
    options,
    matches.flatMap((match) => (match.kind === 'match' ? [match.subject] : [])),
    first.vendor.vendorId,
  );
  const answers: BureauAnswer[] = [];
  const cards = options.cards();
  for (const match of matches) {
    const file = match.kind === 'match' ? files.get(match.subject.crn) : undefined;
    if (match.kind !== 'match') answers.push(missOf(match));
    else if (file === undefined) throw new Error('A matched subject has no file');
    else answers.push(foundOf(match, file, scoresOf(file, first.operation, cards)));
    if (answers.length % SLICE_ANSWERS === 0) await nextTurn();
  }
  return answers;
}

/** Scored between two turns of the event loop: a few milliseconds of work. */
const SLICE_ANSWERS = 25;

type Found = Extract<Match, { kind: 'match' }>;

function missOf(match: Exclude<Match, Found>): BureauAnswer {
  const crns = match.kind === 'not_found' ? [] : match.crns;
  const matchRule = match.kind === 'not_found' ? null : match.rule;
  return { kind: match.kind, crns, matchRule, matchScore: null, upstreamId: null };
}

function foundOf(
  match: Found,
  file: CreditFile,
  scores: ReturnType<typeof scoresOf>,
): BureauAnswer {
  const { crn, profile } = match.subject;
  return {
    kind: 'found',
    crns: [crn],
    matchRule: match.rule,
    matchScore: match.score,
    upstreamId: null,
    finding: {
      crn: String(crn),
      nameDiffers: nameDiffers(match.rule),
      profile,
      file,
      ...scores,
      computedHere: [],
    },
  };
}

/**
 * The score that an operation returns, and the challenger's; none for the identity decision. Both
 * are of the same file, so that a difference is the cards'.
 */
function scoresOf(
  file: CreditFile,
  operation: CreditOperation,
  { champions, challengers }: CardsInForce,
): Pick<BureauFinding, 'score' | 'challenger'> {
  if (operation === 'id-decision') return { score: null };
  const kind = operation === 'generic-score' ? 'generic' : 'mobile';
  const score = scoreFile(file, kind, champions);
  const challenger = challengers[kind];
  if (challenger === undefined || score.score === '') return { score };
  const other = scoreFile(file, kind, { ...champions, [kind]: challenger });
  return {
    score,
    challenger: { scorecard: other.scorecard, score: Number(other.score) },
  };
}

/**
 * A subject's file as of today, without suppressed data and data past retention.
 * @param vendorId the vendor that asks; null for none.
 */
export async function readFileOfToday(
  options: Pick<RegistryBureauOptions, 'pool' | 'clock' | 'timeZone' | 'retentionDays'>,
  crn: bigint,
  vendorId: number | null,
): Promise<CreditFile> {
  const window = windowOf(options, vendorId);
  const [file, rules] = await Promise.all([
    readCreditFile(options.pool, { crn, ...window }),
    readSuppressionRules(options.pool),
  ]);
  return applySuppression(applyRetention(file, window.keptFrom), rules);
}

/** Reads the files of many subjects, by reference. */
export async function readFilesOfToday(
  options: Parameters<typeof readFileOfToday>[0],
  owners: readonly FileOwner[],
  vendorId: number | null,
): Promise<Map<bigint, CreditFile>> {
  const distinct = [...new Map(owners.map((owner) => [owner.crn, owner])).values()];
  const window = windowOf(options, vendorId);
  const [files, rules] = await Promise.all([
    readCreditFiles(options.pool, distinct, window),
    readSuppressionRules(options.pool),
  ]);
  return new Map(
    [...files].map(([crn, file]) => [
      crn,
      applySuppression(applyRetention(file, window.keptFrom), rules),
    ]),
  );
}

function windowOf(
  options: Pick<RegistryBureauOptions, 'clock' | 'timeZone' | 'retentionDays'>,
  vendorId: number | null,
) {
  const now = options.clock.now();
  const asOf = startOfDay(now, options.timeZone);
  return {
    ...{ asOf, timeZone: options.timeZone },
    keptFrom: new Date(asOf.getTime() - options.retentionDays * DAY_MS),
    enquiriesUntil: now,
    ownVendorId: vendorId,
    ownEnquiriesFrom: new Date(now.getTime() - ONE_APPLICATION_DAYS * DAY_MS),
  };
}
