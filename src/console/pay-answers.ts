/** Shapes of the API’s answers about paying bills; `answers.ts` says how values look. */

/** A biller in the form. */
export interface PayBiller {
  readonly code: string;
  readonly name: string;
  readonly category: string;
  /** Customers' name for their account, such as `Meter number`. */
  readonly accountLabel: string;
  readonly minimum: string;
  readonly maximum: string | null;
  readonly needsPhone: boolean;
  /** True: the biller can look up the holder of an account and the amount due. */
  readonly canLookUp: boolean;
  readonly isOnline: boolean;
}

/** `GET /pay`: what can be paid. */
export interface PayChoices {
  readonly billers: readonly PayBiller[];
  readonly float: string;
}

/** `POST /pay/check`: what would happen. */
export type PayCheck =
  | {
      readonly kind: 'wrong';
      /** The field at fault, such as `account`; null: it is about all of them. */
      readonly field: string | null;
      readonly text: string;
    }
  | {
      readonly kind: 'right';
      /** As it is sent to the biller. */
      readonly account: string;
      readonly phone: string | null;
      readonly amount: string;
      readonly fee: string;
      readonly total: string;
      readonly float: string;
      /** False: the float is not enough. */
      readonly isEnough: boolean;
    };

/** `POST /pay/account`: what the biller says about an account. */
export interface AccountLookedUp {
  readonly isValid: boolean;
  /** Why not; null: it is valid. */
  readonly text: string | null;
  readonly name: string | null;
  readonly amountDue: string | null;
  /** A day, YYYY-MM-DD. */
  readonly dueDate: string | null;
}

/** `POST /pay`. */
export interface Paid {
  readonly reference: string;
  readonly fee: string;
  /** True: it had been accepted before, and is paid once. */
  readonly isRepeat: boolean;
}

/** A batch of payments. */
export interface BatchView {
  readonly reference: string;
  readonly at: string;
  readonly endedAt: string | null;
  readonly rows: number;
  readonly accepted: number;
  readonly refused: number;
}

/** `GET /bulk`, newest first: the last ones. */
export interface BatchesAnswer {
  readonly batches: readonly BatchView[];
}

/** A row as it would be decided. */
export interface CheckedRow {
  /** From 1; the header is not counted. */
  readonly row: number;
  readonly biller: string | null;
  readonly account: string | null;
  readonly amount: string | null;
  readonly fee: string | null;
  readonly merchantReference: string | null;
  /** Null: it would be accepted. */
  readonly problem: RowProblem | null;
  /**
   * The payment, or the earlier row of the file, that is the same: it is not paid again. Null: there
   * is no such payment.
   */
  readonly repeats: { readonly reference: string } | { readonly row: number } | null;
}

export interface RowProblem {
  readonly code: string;
  readonly field: string | null;
  readonly text: string;
}

/** `POST /bulk/check`: the file row by row. Nothing is created. */
export interface FileChecked {
  readonly rows: number;
  readonly right: number;
  readonly wrong: number;
  /** Rows that were paid before, or that repeat an earlier row. */
  readonly repeated: number;
  /** Sum of the valid rows. */
  readonly amount: string;
  readonly fee: string;
  readonly total: string;
  readonly float: string;
  /** False: the float is not enough for all of them. */
  readonly isEnough: boolean;
  /** Every wrong and every repeated row, and the first right ones. */
  readonly shown: readonly CheckedRow[];
}

/** `GET /bulk/:reference`. */
export interface BatchDetail extends BatchView {
  /** The first refused rows. */
  readonly refusals: readonly (RowProblem & {
    readonly row: number;
    readonly merchantReference: string | null;
  })[];
}
