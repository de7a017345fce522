/** The result of `fund` and of a reported collection. */
export interface Movement {
  /** False if there was nothing to move. */
  readonly moved: boolean;
  readonly amountCents: number;
  /** Identifies the movement: book each one once. Empty if nothing was moved. */
  readonly reference: string;
  /** True if an earlier request moved it; its answer may have told you about it already. */
  readonly replayed: boolean;
  readonly postedTime: Date;
  readonly text: string;
}

export interface Biller {
  readonly name: string;
  /** The value to use as `billerName` of a payment. */
  readonly code: string;
  readonly category: string;
  readonly minimumCents: number;
  /** Null: no maximum. */
  readonly maximumCents: number | null;
  /** Taken from the float in addition to the amount. If it depends on the amount: that of the minimum. */
  readonly feeCents: number;
  /** Formula of a fee that depends on the amount, as the service describes it. */
  readonly feeFormula: Readonly<Record<string, unknown>> | null;
  /** True: payments need `phone`. */
  readonly needsPhone: boolean;
  /** `msisdn`, or a regular expression. */
  readonly accountFormat: string;
  readonly accountLabel: string;
  readonly canValidate: boolean;
}

export interface BillerStatus extends Biller {
  /** `ONLINE` or `OFFLINE`. */
  readonly status: string;
}

export interface BillerProducts {
  readonly billerCode: string;
  /** True: only the amounts of these products are accepted. */
  readonly onlyProducts: boolean;
  readonly products: readonly {
    readonly name: string;
    readonly minimumCents: number;
    readonly maximumCents: number;
    readonly value: string | null;
    readonly validity: string | null;
  }[];
}

export interface NewPayment {
  /** The biller's code. */
  readonly billerName: string;
  readonly account: string;
  /** 10000 is KES 100.00. */
  readonly amountCents: number;
  /**
   * Your own unique reference of this payment, such as an order number: 1 to 64 printable ASCII
   * characters. It makes repeating safe, so this client requires it.
   */
  readonly merchantReference: string;
  readonly phone?: string | undefined;
}

/** An accepted payment. It is queued, not paid yet. */
export interface CreatedPayment {
  readonly reference: string;
  readonly postedTime: Date;
  readonly feeCents: number;
  /** True if this reference was accepted before; the payment is the same one. */
  readonly replayed: boolean;
  readonly text: string;
}

/** `SUCCESS` and `FAILED` are final. Other values are not, including values added later. */
export type PaymentStatus = 'QUEUED' | 'PENDING' | 'SUCCESS' | 'FAILED';

export interface Payment {
  /** The service's reference (`ipay_reference`). */
  readonly reference: string;
  /** Null for a payment that was created without one, by another program. */
  readonly merchantReference: string | null;
  readonly status: PaymentStatus;
  /** The operator's text for people. */
  readonly message: string | null;
  /** Why it failed; null unless `FAILED`. Treat an unknown value as `other`. */
  readonly failureCode: string | null;
  /** The operator's reference; null unless `SUCCESS`. */
  readonly billerReference: string | null;
  /** When the instruction that counted was sent to the operator. */
  readonly billerResponseTime: Date | null;
  readonly postedTime: Date;
  readonly account: string;
  readonly amountCents: number;
  readonly billerName: string;
  /** Values that the payment produced, such as `token` and `units`. */
  readonly details: Readonly<Record<string, string>>;
  /** Paid, and more `details` follow, such as the token; `transaction.details_received` announces them. */
  readonly detailsPending: boolean;
}

export interface AccountValidation {
  readonly valid: boolean;
  /** `SUCCESS`, or why the account is not valid. */
  readonly text: string;
  readonly account: string;
  readonly name: string | null;
  readonly amountDueCents: number | null;
  /** `YYYY-MM-DD` */
  readonly dueDate: string | null;
  readonly prefix: string | null;
}

export interface PhoneLookup {
  readonly prefix: string;
  /** The biller code of the operator's airtime. */
  readonly operator: string;
}

export interface Bulk {
  readonly batchReference: string;
  readonly batchId: string;
  /** `PROCESSING` or `DONE`. */
  readonly status: string;
  readonly sha256: string;
  readonly rows: number;
  readonly accepted: number;
  readonly refused: number;
  readonly postedTime: Date;
  readonly text: string;
}

export interface BulkRow {
  readonly row: number;
  readonly merchantReference: string | null;
  /** `ACCEPTED`, `REFUSED` or `WAITING`. */
  readonly result: string;
  /** True if the row is accepted, but as a payment that existed before: it is not paid again. */
  readonly replayed: boolean;
  readonly reference: string | null;
  readonly postedTime: Date | null;
  /** The error code of a refused row. */
  readonly code: string | null;
  readonly text: string | null;
  readonly field: string | null;
}

export interface BulkResult extends Bulk {
  readonly results: readonly BulkRow[];
}

/** A file as you have it, instead of rows. */
export interface UploadFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly contentType: 'text/csv' | 'application/x-ndjson';
}
