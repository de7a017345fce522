/** A time, or a day such as `2026-11-21` of the service's time zone. */
export type Time = Date | string;

export interface Period {
  /** Included. */
  readonly from?: Time | undefined;
  /** Not included; of a day, nothing after its end. */
  readonly to?: Time | undefined;
}

/** Largest number of items on a page: 1 to 200. */
export interface Paging {
  readonly limit?: number | undefined;
}

/** A page of a list. It may have fewer items than asked for, even none, although there are more. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Null: there are no more. */
  readonly nextCursor: string | null;
}

/** Which payments. One of `account`, `reference` and `merchantReference` at a time. */
export interface PaymentFilter extends Period {
  readonly status?: string | undefined;
  /** The biller's code. */
  readonly biller?: string | undefined;
  readonly account?: string | undefined;
  readonly reference?: string | undefined;
  readonly merchantReference?: string | undefined;
}

export interface ListedPayment {
  readonly reference: string;
  readonly merchantReference: string | null;
  /** `QUEUED`, `PENDING`, `SUCCESS` or `FAILED`. */
  readonly status: string;
  readonly biller: string;
  readonly account: string;
  readonly phone: string | null;
  readonly amountCents: number;
  readonly feeCents: number;
  readonly createdAt: Date;
  readonly settledAt: Date | null;
}

export interface PaymentPage extends Page<ListedPayment> {
  /** All payments accepted since this time have been searched; null: the whole period. */
  readonly searchedTo: Date | null;
}

/** One thing that happened to a payment. Fields of other kinds are null. */
export interface TimelineEntry {
  readonly at: Date;
  /** `created`, `attempt`, `settled`, `transfer` or `event`; more may be added. */
  readonly kind: string;
  /** The result; only of `settled`. */
  readonly status: string | null;
  /** `paid`, `declined`, `not_sent`; null: not known. Only of `attempt`. */
  readonly outcome: string | null;
  /** The attempt's number; only of `attempt`. */
  readonly attempt: number | null;
  /** Only of `transfer`. */
  readonly movement: string | null;
  readonly amountCents: number | null;
  /** Only of `event`. */
  readonly eventId: string | null;
  readonly eventType: string | null;
}

export interface PaymentRecord extends ListedPayment {
  readonly billerReference: string | null;
  readonly billerResponseTime: Date | null;
  readonly message: string | null;
  readonly failureCode: string | null;
  readonly details: Readonly<Record<string, string>> | null;
  /** True: the details are only in an archive; the amounts and references are still here. */
  readonly archived: boolean;
  readonly timeline: readonly TimelineEntry[];
}

/** Your money with the service. */
export interface Balance {
  readonly at: Date;
  readonly floatCents: number;
  /** Held for payments without a final result. */
  readonly reservedCents: number;
  /** Collected income that has not been moved to the float. */
  readonly collectedCents: number;
  /** Collected income that waits for a transfer to your bank. */
  readonly heldCents: number;
  readonly totalCents: number;
}

export interface StatementHead {
  readonly from: Date;
  readonly to: Date;
  readonly openingCents: number;
  readonly closingCents: number;
  readonly openingFloatCents: number;
  readonly closingFloatCents: number;
  /** Number of lines. */
  readonly count: number;
  readonly movements: readonly {
    readonly movement: string;
    readonly count: number;
    readonly changeCents: number;
  }[];
}

export interface StatementLine {
  readonly at: Date;
  readonly movement: string;
  readonly reference: string | null;
  readonly merchantReference: string | null;
  readonly collector: string | null;
  readonly collectorReference: string | null;
  readonly operator: string | null;
  readonly operatorReference: string | null;
  /** The case that led to a correction. */
  readonly caseId: string | null;
  readonly debitAccount: string;
  readonly creditAccount: string;
  readonly amountCents: number;
  /** The change of your money with the service. */
  readonly changeCents: number;
  readonly balanceCents: number;
  readonly floatCents: number;
}

export interface StatementPage extends Page<StatementLine> {
  /** Only on the first page; null on the others. */
  readonly head: StatementHead | null;
}

export interface EventFilter {
  readonly type?: string | undefined;
  /** `waiting`, `delivered`, `given_up` or `off`. */
  readonly state?: string | undefined;
  /** Events since then, oldest first. The list then has no end: it goes on with what happens later. */
  readonly since?: Time | undefined;
  /** With `since`: how many seconds a page may wait for an event, less than the time-out of a call. */
  readonly wait?: number | undefined;
}

/** An event with the state of its delivery. */
export interface ListedEvent {
  readonly eventId: string;
  /** The `webhook-id` that it is sent with, every time. */
  readonly webhookId: string;
  readonly type: string;
  readonly at: Date;
  /** The payment that it is about. */
  readonly reference: string | null;
  /** The body that is sent. */
  readonly payload: {
    readonly type: string;
    readonly timestamp: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
  readonly delivery: {
    readonly state: string;
    readonly attempts: number;
    readonly nextAttemptAt: Date | null;
    readonly endedAt: Date | null;
    readonly lastResult: string | null;
  };
}

/** A security key, or a secret of the webhook, without its value. */
export interface Key {
  readonly keyId: string;
  readonly createdAt: Date;
  /** When it becomes invalid; null: not before it is replaced. */
  readonly validUntil: Date | null;
  readonly isCurrent: boolean;
}

export interface NewKey {
  readonly keyId: string;
  /** The secret. It is shown only once: store it now. */
  readonly secret: string;
  readonly overlapSeconds: number;
}

export interface Rotation {
  /** Time for which the former one stays valid. */
  readonly overlapSeconds: number;
  /**
   * A random UUID for this rotation (`crypto.randomUUID()`). A repeat with it gets the same secret, for ten
   * minutes.
   */
  readonly idempotencyKey: string;
}

export interface Webhook {
  readonly url: string;
  /** True: events are sent. False: they wait until the webhook is enabled. */
  readonly enabled: boolean;
  readonly disabledAt: Date | null;
  readonly disabledReason: string | null;
  /** Number of consecutive failed attempts. */
  readonly failures: number;
  readonly failingSince: Date | null;
  /** The types of events that are sent. */
  readonly types: readonly string[];
  readonly offTypes: readonly string[];
  readonly waitingEvents: number;
  readonly secrets: readonly Key[];
}

export interface SetWebhook extends Webhook {
  /** Signs the events. Shown once; null: there was one before. */
  readonly secret: string | null;
}

export interface WebhookTest {
  readonly delivered: boolean;
  readonly webhookId: string;
  readonly url: string;
  readonly result: string;
  /** The beginning of what the receiver answered. */
  readonly answer: string | null;
  readonly durationMs: number;
}

export interface LoggedRequest {
  readonly requestId: string;
  readonly at: Date;
  readonly operation: string | null;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** Null: the request was not refused. */
  readonly errorCode: string | null;
  readonly durationMs: number;
  /** The key that signed. */
  readonly keyId: string | null;
}

/** A biller with your own fee. */
export interface BillerRecord {
  readonly biller: string;
  readonly name: string;
  readonly category: string;
  /** `ONLINE` or `OFFLINE`. */
  readonly status: string;
  readonly minimumCents: number;
  readonly maximumCents: number | null;
  readonly accountLabel: string;
  readonly accountFormat: string;
  readonly phoneRequired: boolean;
  readonly canValidate: boolean;
  readonly fee: {
    readonly tiers: readonly {
      readonly fromCents: number;
      readonly flatCents: number;
      /** Per cent of the amount, such as `1.5`. */
      readonly percent: string;
    }[];
    readonly minimumCents: number | null;
    readonly maximumCents: number | null;
    readonly vatPercent: string;
    /** `included` in the fee, or `added` to it. */
    readonly vat: string;
    /** Excise duty on the fee, `included` or `added` as VAT is. */
    readonly excisePercent: string;
  } | null;
  /** JSON Schema of the parameters of create in the HTTP API. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface EnquiryFilter extends Period {
  readonly outcome?: string | undefined;
  readonly requestReference?: string | undefined;
}

/** The scorecard of a score. */
export interface Scorecard {
  readonly card: string;
  /** True: not made from what became of real loans, so its scores are examples. */
  readonly example: boolean;
  /** The probability is that of a default within so many months. */
  readonly horizonMonths: number;
  /** A default is so many days late. */
  readonly defaultDays: number;
  /** The people that the card was made from. */
  readonly population: string;
}

/** An invoice for your fees, or a credit note for those that you got back. */
export interface ListedInvoice {
  readonly invoice: string;
  readonly number: string;
  /** `invoice` or `credit_note`. */
  readonly kind: string;
  readonly issuedAt: Date;
  readonly from: Date;
  readonly to: Date;
  /** Number of the invoice that a credit note names. */
  readonly credits: string | null;
  /** Reference of the only payment; null: those of a period. */
  readonly payment: string | null;
  readonly netCents: number;
  readonly exciseCents: number;
  readonly vatCents: number;
  readonly totalCents: number;
  /** From the control unit of the tax authority. */
  readonly controlNumber: string | null;
  readonly qrCode: string | null;
}

export interface InvoiceParty {
  readonly legalName: string;
  readonly pin: string | null;
  readonly address: string;
}

export interface Invoice extends ListedInvoice {
  readonly currency: string;
  readonly seller: InvoiceParty;
  readonly buyer: InvoiceParty;
  /** One for each biller and price. */
  readonly lines: readonly {
    readonly biller: string | null;
    readonly payments: number;
    readonly excisePercent: string | null;
    readonly vatPercent: string | null;
    readonly netCents: number;
    readonly exciseCents: number;
    readonly vatCents: number;
    readonly totalCents: number;
  }[];
}

/** A credit enquiry, without personal data. */
export interface ListedEnquiry {
  /** Its number among your enquiries. */
  readonly sequence: string;
  readonly at: Date;
  readonly operation: string;
  readonly requestReference: string;
  readonly reportReason: number;
  readonly outcome: string;
  /** The last three digits of the customer's reference. */
  readonly customer: string | null;
  /** True: a name on file is another than in the enquiry, as after a marriage; check the document. */
  readonly nameDiffers: boolean;
  readonly grade: string | null;
  /** Null: the registry gave no score. */
  readonly scorecard: Scorecard | null;
  readonly erased: boolean;
}
