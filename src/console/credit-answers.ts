import type { AmountUnit } from '../credit/registry/account.ts';
import type { CreditOperation } from '../credit/bureaus/bureau.ts';
import type { CardFacts } from '../credit/scorecards/card-facts.ts';
import type { EnquiryOutcome } from '../credit/enquiries/record.ts';
import type { ImportFigures } from '../staff/credit-imports.ts';
import type { Finding } from '../credit/importing/record.ts';

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

/** `POST /credit/imports/trial`: what an import of the file would change. */
export interface ImportTrialAnswer {
  readonly counts: ImportFigures;
  readonly amounts: AmountUnit;
  /** The first ones. */
  readonly findings: readonly Finding[];
  readonly findingCount: number;
}

/** `POST /credit/proposals/import`. */
export interface ProposalMade {
  readonly proposalId: string;
}
