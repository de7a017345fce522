import type { AmountUnit } from '../credit/registry/account.ts';
import type { CreditOperation } from '../credit/bureaus/bureau.ts';
import type { Content } from '../credit/decisions/content.ts';
import type {
  AccountPreview,
  DisputePreview,
  MergePreview,
  PersonView,
} from '../credit/decisions/preview.ts';
import type { CardChange } from '../credit/governance/cards-store.ts';
import type { CardPlots } from '../credit/monitoring/card-plots.ts';
import type { KeptMonth } from '../credit/monitoring/months-store.ts';
import type { Usage } from '../credit/monitoring/usage.ts';
import type { CaseKind } from '../credit/registry/cases-store.ts';
import type { CardFacts } from '../credit/scorecards/card-facts.ts';
import type { Scorecard, ScoreKind } from '../credit/scorecards/scorecard.ts';
import type { SuppressionRule } from '../credit/registry/suppression.ts';
import type { EnquiryOutcome } from '../credit/enquiries/record.ts';
import type { ImportCounts, ListedImport } from '../credit/importing/imports-store.ts';
import type { Finding } from '../credit/importing/record.ts';
import type { Decision } from '../proposals/store.ts';
import type { OnWire } from './answers.ts';

/** The shapes of the API's answers about credit information (see `answers.ts`). */

/** An enquiry in a list, without personal data. */
export interface ListedCreditEnquiry {
  readonly sequence: string;
  readonly enquiredAt: string;
  readonly operation: CreditOperation;
  readonly reference: string;
  /** The code of the purpose, 1 to 12. */
  readonly reportReason: number;
  readonly outcome: EnquiryOutcome;
  /** The last three digits of the customer's reference; null: nobody was found. */
  readonly customer: string | null;
  /** The customer was found under another name than the one on file. */
  readonly nameDiffers: boolean;
  readonly grade: string | null;
  /** Who asked in the console; null: the vendor's system did. */
  readonly person: string | null;
  /** Retention has erased request and answer. */
  readonly erased: boolean;
}

/** `GET /credit/enquiries`: of one vendor, newest first. */
export interface CreditEnquiriesAnswer {
  readonly enquiries: readonly ListedCreditEnquiry[];
  /** Cursor of the next page; null: there are no older ones. */
  readonly next: string | null;
}

/** A figure for the vendor's sector and for all others. */
export interface SectorFigures {
  readonly mySector: string | null;
  readonly otherSectors: string | null;
}

export interface ReportedAccount {
  readonly status: string;
  readonly type: string;
  readonly opened: string;
  readonly originalAmount: string;
  readonly balance: string;
  readonly arrearDays: string;
  readonly asOf: string;
  readonly disputed: boolean;
}

/** `GET /credit/enquiries/:vid/:operation/:reference`: what was answered, for people. */
export interface CreditReportAnswer {
  readonly vid: string;
  readonly operation: CreditOperation;
  readonly reference: string;
  readonly enquiredAt: string;
  readonly person: string | null;
  readonly reportReason: number;
  readonly consentReference: string | null;
  readonly consentDate: string | null;
  /** The card that scored, as `id@version`. */
  readonly scorecard: string | null;
  /** Facts about that card; null if it is an upstream bureau's. */
  readonly card: CardFacts | null;
  readonly source: string;
  /** Null: retention has erased it. */
  readonly report: {
    readonly fullName: string;
    readonly dateOfBirth: string;
    readonly customer: string;
    readonly documents: readonly { readonly type: string; readonly number: string }[];
    readonly gender: string | null;
    readonly nationality: string | null;
    readonly phones: readonly string[];
    readonly deceased: boolean;
    /** The customer was found under another name than the one on file. */
    readonly nameDiffers: boolean;
    /** Given by identity decisions; null: the product does not say. */
    readonly creditActive: boolean | null;
    readonly figures: readonly { readonly name: string; readonly value: SectorFigures }[];
    readonly accounts: readonly ReportedAccount[];
    /** Null: an identity decision, or nothing that a score could rest on. */
    readonly score: {
      readonly score: string;
      readonly grade: string;
      /** Probability of a default, in per cent. */
      readonly probability: string;
      /** The strongest reasons for a lower score, in words. */
      readonly reasons: { readonly en: readonly string[]; readonly sw: readonly string[] };
    } | null;
    readonly notice: string;
    readonly remarks: readonly string[];
  } | null;
}

/** An import of a lender's file. */
export type ListedCreditImport = OnWire<ListedImport>;

/** `GET /credit/imports`, newest first. */
export interface CreditImportsAnswer {
  readonly imports: readonly ListedCreditImport[];
  readonly next: string | null;
}

/** `GET /credit/imports/:importId`: an import with a page of its findings, by line. */
export interface CreditImportAnswer {
  readonly import: ListedCreditImport;
  readonly findings: readonly Finding[];
  readonly next: string | null;
}

/** `POST /credit/imports/trial`: what an import of the file would change. */
export interface ImportTrialAnswer {
  readonly counts: ImportCounts;
  readonly amounts: AmountUnit;
  /** The first ones. */
  readonly findings: readonly Finding[];
  readonly findingCount: number;
}

/** A case in a list, without personal data. */
export interface ListedCreditCase {
  readonly caseId: string;
  readonly kind: CaseKind;
  /** The last three digits of the customers' references. */
  readonly customers: readonly string[];
  readonly openedAt: string;
  readonly closedAt: string | null;
  /** Also null if the viewer may not see reports: it may name people’s references. */
  readonly resolution: string | null;
}

/** `GET /credit/cases`, oldest first. */
export interface CreditCasesAnswer {
  readonly cases: readonly ListedCreditCase[];
  readonly next: string | null;
}

/** `GET /credit/cases/:caseId`. */
export interface CreditCaseAnswer extends Omit<ListedCreditCase, 'customers'> {
  readonly people: readonly PersonView[];
  readonly proposals: readonly ListedProposal[];
}

/** `GET /credit/disputes`: open ones, oldest first. */
export interface DisputesAnswer {
  readonly disputes: readonly {
    readonly disputeId: string;
    /** The last three digits of the customer's reference. */
    readonly customer: string;
    readonly lender: string;
    readonly openedAt: string;
  }[];
  readonly next: string | null;
}

/** `GET /credit/disputes/:disputeId`: an open one. */
export interface DisputeAnswer {
  readonly disputeId: string;
  /** Null: no answer contains the account. */
  readonly preview: OnWire<DisputePreview> | null;
}

export type ShownRule = OnWire<SuppressionRule>;

/** The content of a proposal. */
export type ProposedContent =
  | Exclude<Content, { kind: 'suppression' | 'suppression_end' }>
  | { readonly kind: 'suppression'; readonly rule: ShownRule; readonly former: ShownRule | null }
  | { readonly kind: 'suppression_end'; readonly former: ShownRule };

/** A proposal in a list. */
export interface ListedProposal {
  readonly proposalId: string;
  /** `altered`: it was changed in the database, and nothing of it can be believed. */
  readonly kind: Content['kind'] | 'altered';
  /** Null: it is about people, and the viewer may not see reports. */
  readonly reason: string | null;
  readonly proposedBy: string;
  readonly proposedAt: string;
  readonly decision: Decision | null;
}

/** A proposal about people on file, files, suppression rules or scorecards. */
export interface CreditProposal extends ListedProposal {
  /** Null: it was altered. */
  readonly content: ProposedContent | null;
  readonly caseId: string | null;
  readonly reason: string;
  readonly evidence: string;
  readonly decidedBy: string | null;
  readonly decidedAt: string | null;
  /** The viewer proposed it, so another person has to approve it. */
  readonly isOwn: boolean;
}

/** `GET /credit/proposals`, newest first. */
export interface CreditProposalsAnswer {
  readonly proposals: readonly ListedProposal[];
}

/** `POST /credit/proposals/…`. */
export interface ProposalMade {
  readonly proposalId: string;
}

/** `GET /credit/proposals/:proposalId`, with what is known of people while it is open. */
export interface CreditProposalAnswer {
  readonly proposal: CreditProposal;
  /** The input of `POST /proposals/:id/approve`; null if the proposal is decided or was altered. */
  readonly approval: { readonly seen: string; readonly problem: string | null } | null;
  readonly merge: MergePreview | null;
  readonly dispute: OnWire<DisputePreview> | null;
  /** Preview of an account that is withdrawn or was sold. */
  readonly account: OnWire<AccountPreview> | null;
  /** Import of an approved file, and if it is complete; null: it has not begun. */
  readonly made: { readonly importId: string; readonly isFinished: boolean } | null;
}

/** `GET /credit/rules`: in force, and when they changed, newest first. */
export interface SuppressionAnswer {
  readonly rules: readonly ShownRule[];
  readonly changes: readonly {
    readonly rule: string;
    readonly changedAt: string;
    readonly reason: string;
    readonly isRemoved: boolean;
  }[];
}

export interface ListedScorecard {
  /** As `id@version`. */
  readonly card: string;
  readonly kind: ScoreKind;
  readonly version: number;
  readonly role: 'champion' | 'challenger' | null;
  /** Origin of its training data. */
  readonly origin: string;
  readonly samples: number | null;
  /** On people whom it was not made from; null: the card does not say. */
  readonly auc: number | null;
  readonly gini: number | null;
  readonly ks: number | null;
  /** On people of later months. */
  readonly outOfTimeAuc: number | null;
}

/** `GET /credit/scorecards`. */
export interface ScorecardsAnswer {
  readonly cards: readonly ListedScorecard[];
  /** Newest first. */
  readonly changes: readonly OnWire<CardChange>[];
}

/** `GET /credit/scorecards/:card`. */
export interface ScorecardAnswer extends ListedScorecard {
  readonly about: Scorecard['about'];
  readonly basePoints: number;
  readonly characteristics: readonly {
    readonly name: string;
    readonly meaning: string;
    readonly reason: string;
    /** Ascending; the last one has no end. */
    readonly bins: readonly { readonly below?: number; readonly points: number }[];
    /** Points if it never happened; null: that cannot be. */
    readonly never: number | null;
  }[];
  /** Null: the card does not say how its test went. */
  readonly plots: CardPlots | null;
  /** Months of all cards of the same kind, newest first. */
  readonly months: readonly OnWire<KeptMonth>[];
}

/** `GET /credit/monitor`. */
export interface CreditMonitorAnswer {
  /** Oldest first; also days without an enquiry. */
  readonly days: readonly Usage[];
  readonly vendors: readonly Usage[];
  readonly months: readonly OnWire<KeptMonth>[];
}
