import type { Vendor } from '../../parties/vendor.ts';
import type { CreditFile } from '../facts.ts';
import type { MatchRules } from '../matching/match.ts';
import type { IdentityDocument } from '../registry/documents.ts';
import type { Profile } from '../registry/profile.ts';
import type { ScoreAnswer } from '../scorecards/score.ts';
import type { ReportSector } from '../summary/sectors.ts';

export const CREDIT_OPERATIONS = ['id-decision', 'generic-score', 'mobile-loan-score'] as const;
export type CreditOperation = (typeof CREDIT_OPERATIONS)[number];

export interface BureauQuestion {
  readonly vendor: Pick<Vendor, 'vendorId' | 'name' | 'sector' | 'enquiryPolicy'>;
  readonly operation: CreditOperation;
  readonly requestReference: string;
  /** 1 to 12 (specification §4.9). */
  readonly reportReason: number;
  readonly reportSector: ReportSector | null;
  readonly documents: readonly IdentityDocument[];
  /** As given; empty or at least two. */
  readonly names: readonly string[];
  /** `YYYY-MM-DD`, or empty when it was not given. */
  readonly dateOfBirth: string;
}

const STRICT: MatchRules = { minTokens: 2, minShareOfGiven: 2 / 3, allDocuments: true };

/**
 * The names and dates that must agree. The identity decision requires no names, so one is enough there.
 * A strict vendor must learn nothing about people it does not know, so nearly everything it gives must
 * be right.
 */
export function matchRulesOf({ operation, vendor }: BureauQuestion): MatchRules {
  if (vendor.enquiryPolicy === 'strict') return STRICT;
  return { minTokens: operation === 'id-decision' ? 1 : 2 };
}

/** A bureau's data about one person, in the registry's terms, whatever the bureau's own are. */
export interface BureauFinding {
  readonly crn: string;
  /** The person has another name on file than the one that was asked about. */
  readonly nameDiffers: boolean;
  readonly profile: Profile;
  readonly file: CreditFile;
  /** Null for the identity decision. */
  readonly score: ScoreAnswer | null;
  /** Absent: no challenger, or no score. */
  readonly challenger?: ChallengerScore;
  /**
   * The parts of the answer that were computed here instead of by the upstream; empty for the
   * registry.
   */
  readonly computedHere: readonly string[];
}

/** A score that is recorded and not answered. */
export interface ChallengerScore {
  readonly scorecard: string;
  readonly score: number;
}

interface MatchDetails {
  readonly crns: readonly bigint[];
  readonly matchRule: string | null;
  readonly matchScore: number | null;
  readonly upstreamId: string | null;
}

export type BureauAnswer =
  | ({ readonly kind: 'found'; readonly finding: BureauFinding } & MatchDetails)
  | ({ readonly kind: 'not_found' | 'mismatch' | 'conflict' } & MatchDetails)
  /** Certainly not executed and not billed. */
  | { readonly kind: 'unavailable'; readonly retryAfterSeconds: number }
  /** The upstream may have executed and billed it; the same reference must be asked again. */
  | { readonly kind: 'unknown' };

/** The `source` of what the built-in registry answers. */
export const REGISTRY_SOURCE = 'registry';

/** Where credit information comes from: the registry, or a bureau upstream. */
export interface Bureau {
  /** Shown in answers and kept with enquiries. */
  readonly source: string;
  /** Never throws for an error of the other side; only for our own errors. */
  ask(question: BureauQuestion): Promise<BureauAnswer>;
  /**
   * Answers many questions of one vendor for one operation, in order, as `ask` would. Absent if the
   * bureau cannot.
   */
  readonly askMany?: (questions: readonly BureauQuestion[]) => Promise<BureauAnswer[]>;
  close(): Promise<void>;
}
