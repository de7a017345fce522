/** Shapes of the API’s answers about money and the books; `answers.ts` says how values look. */

/** A period of the books. */
interface Period {
  readonly from: string;
  /** Not included. */
  readonly to: string;
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
