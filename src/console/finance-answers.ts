import type { AccountClass, Books } from '../payments/house/account.ts';
import type { Receivable, ReversedCollection } from '../payments/reports/receivables.ts';
import type { VatSums } from '../payments/reports/vat.ts';
import type { OnWire } from './answers.ts';

/** Shapes of the API’s answers about money and the books; `answers.ts` says how values look. */

/** A period of the books. */
interface Period {
  readonly from: string;
  /** Not included. */
  readonly to: string;
}

/** Before a period, posted in it, and at its end. */
export interface SidesView {
  /** One of the two is 0. */
  readonly openingDebit: string;
  readonly openingCredit: string;
  readonly debits: string;
  readonly credits: string;
  /** One of the two is 0. */
  readonly debit: string;
  readonly credit: string;
}

export interface LedgerLine extends SidesView {
  readonly books: Books;
  readonly account: string;
  readonly class: AccountClass;
}

/** A line of the trial balance. */
export interface LedgerSum extends LedgerLine {
  /** The accounts that it is the sum of. */
  readonly parts: readonly LedgerLine[];
}

/** `GET /ledger`: the trial balance. */
export interface LedgerAnswer extends Period {
  /** Null: of the house and of all vendors. */
  readonly vid: string | null;
  readonly lines: readonly LedgerSum[];
  readonly total: SidesView;
  /** False: the books are wrong. */
  readonly isEven: boolean;
}

/** The cause of a transfer. */
export type EntrySource =
  | {
      readonly kind: 'payment';
      readonly reference: string;
      readonly biller: string;
      readonly merchantReference: string | null;
      readonly operator: string | null;
      readonly operatorReference: string | null;
    }
  | { readonly kind: 'collection'; readonly collector: string; readonly reference: string }
  | { readonly kind: 'funding'; readonly reference: string }
  | { readonly kind: 'payout'; readonly payoutId: string; readonly bankReference: string | null }
  | { readonly kind: 'correction'; readonly caseId: string; readonly reference: string | null }
  | { readonly kind: 'statement'; readonly statementId: string; readonly reference: string | null }
  | { readonly kind: 'journal'; readonly journalId: string; readonly reference: string | null }
  | { readonly kind: 'entry'; readonly entryId: string; readonly reference: string | null };

/** A transfer, seen from one of its accounts. */
export interface LedgerEntryView {
  readonly id: string;
  /** When it was posted. */
  readonly at: string;
  /** When the money moved, if that is another time. */
  readonly movedAt: string | null;
  /** Null: our own. */
  readonly vid: string | null;
  readonly movement: string;
  readonly debitAccount: string;
  readonly creditAccount: string;
  readonly amount: string;
  readonly source: EntrySource;
}

/** `GET /ledger/:books/:account`: its transfers, newest first. */
export interface AccountAnswer extends Period {
  readonly vid: string | null;
  /** Its line of the trial balance. */
  readonly line: LedgerLine;
  readonly entries: readonly LedgerEntryView[];
  /** Cursor of the next page; null: there are no older ones in the period. */
  readonly next: string | null;
}

export const MARGIN_BY = ['biller', 'operator', 'vendor', 'day'] as const;
export type MarginBy = (typeof MARGIN_BY)[number];

/** Sums that payments brought and cost, corrections included. */
export interface MarginSumsView {
  readonly payments: number;
  readonly amount: string;
  /** Without VAT. */
  readonly fees: string;
  readonly vat: string;
  readonly cost: string;
  readonly commission: string;
  /** Fees and commission less cost. */
  readonly margin: string;
}

export interface MarginLine extends MarginSumsView {
  /** A biller, an operator, a vendor or a day; null: not known. */
  readonly name: string | null;
}

/** `GET /margin`. */
export interface MarginAnswer extends Period {
  readonly by: MarginBy;
  readonly lines: readonly MarginLine[];
  readonly total: MarginSumsView;
}

/** A movement of a statement. */
export interface BookStatementLine {
  readonly id: string;
  readonly at: string;
  /** In an operator's statement; null: our own books. */
  readonly vid: string | null;
  /** Such as `paid`. */
  readonly movement: string;
  /** Ours; null if it has none. */
  readonly reference: string | null;
  /** True: `reference` is a payment's. */
  readonly isPayment: boolean;
  /** The vendor's. */
  readonly merchantReference: string | null;
  readonly collector: string | null;
  readonly collectorReference: string | null;
  readonly operator: string | null;
  readonly operatorReference: string | null;
  /** The bank's transfer of a payout. */
  readonly bankReference: string | null;
  /** The case of a correction; then `reference` is the payment's. */
  readonly caseId: string | null;
  /** The operator's statement that listed it. */
  readonly statementId: string | null;
  readonly debitAccount: string;
  readonly creditAccount: string;
  readonly amount: string;
  /** Change of the balance; `0.00`: the money only moved within it. */
  readonly change: string;
  /** After it. */
  readonly balance: string;
  /** The vendor's float after it; null in an operator's statement. */
  readonly float: string | null;
}

/** `GET /vendors/:vid/statement`, `GET /operators/:code/statement`. */
export interface BookStatementAnswer {
  /** Null: this is not the first page. */
  readonly head:
    | (Period & {
        /** `to` is before the end of the period: something may still be added to the rest of it. */
        readonly endsEarly: boolean;
        /** A vendor's money with us; our float with an operator. */
        readonly opening: string;
        readonly closing: string;
        /** A part of a vendor's money; null of an operator. */
        readonly openingFloat: string | null;
        readonly closingFloat: string | null;
        /** Their changes sum to closing less opening. */
        readonly movements: readonly {
          readonly movement: string;
          readonly count: number;
          readonly change: string;
        }[];
        readonly count: number;
      })
    | null;
  /** Oldest first. */
  readonly lines: readonly BookStatementLine[];
  /** Cursor of the next page; null: the period ends here. */
  readonly next: string | null;
}

export type ReceivableView = OnWire<Receivable>;

/** `GET /receivables`: what is owed to us, oldest first. */
export interface ReceivablesAnswer {
  readonly at: string;
  readonly items: readonly ReceivableView[];
  readonly byAge: readonly string[];
  readonly total: string;
}

/** `GET /exposure`: what we may lose. */
export interface ExposureAnswer {
  readonly at: string;
  /** Payments whose outcome is unknown. */
  readonly unknown: readonly {
    readonly operator: string;
    readonly count: number;
    readonly amount: string;
    readonly ages: readonly {
      readonly count: number;
      readonly amount: string;
      /** The payments that it counts were created at or after this time; null: any. */
      readonly from: string | null;
      /** And before this one. */
      readonly to: string;
    }[];
  }[];
  readonly unknownTotal: string;
  /** Credited income that was taken back, of open cases. */
  readonly reversed: readonly OnWire<ReversedCollection>[];
  readonly reversedByAge: readonly string[];
  readonly reversedTotal: string;
}

export type VatSumsView = OnWire<VatSums>;

/** `GET /vat`: the VAT of a month. */
export interface VatAnswer extends Period {
  /** YYYY-MM */
  readonly month: string;
  readonly vendors: readonly (VatSumsView & { readonly vid: string })[];
  readonly total: VatSumsView;
  readonly opening: string;
  readonly paid: string;
  readonly closing: string;
  /** False: the ledger's account shows another sum. */
  readonly isEqual: boolean;
}

/** A transfer of a correction. */
export interface CorrectionView {
  readonly id: string;
  readonly at: string;
  /** Null: our own accounts. */
  readonly vid: string | null;
  /** The payment's reference. */
  readonly reference: string | null;
  readonly caseId: string;
  readonly resolution: string;
  readonly debitAccount: string;
  readonly creditAccount: string;
  readonly amount: string;
  readonly proposedBy: string | null;
  readonly approvedBy: string | null;
}

/** `GET /corrections`: of a period, oldest first. */
export interface CorrectionsAnswer extends Period {
  readonly corrections: readonly CorrectionView[];
}
