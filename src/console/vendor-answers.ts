import type {
  DuplicateCheck,
  EnquiryPolicy,
  Sector,
  SignatureVersion,
  StatusText,
} from '../parties/vendor.ts';
import type { EventState, EventType } from '../payments/events/event-types.ts';
import type { FormulaFields } from '../payments/prices/describe.ts';
import type { TopUpKind } from '../payments/vendor-floats/rule.ts';

/** Shapes of the API’s answers about vendors; `answers.ts` says how values look. */

/** A vendor in a list. */
export interface VendorView {
  readonly vid: string;
  readonly name: string;
  readonly status: 'active' | 'suspended';
  readonly float: string;
  readonly collected: string;
  /** The limit for the event `float.low`; null: no event. */
  readonly low: string | null;
  /** Null: nobody watches the float. */
  readonly floatState: 'enough' | 'low' | null;
  /** Null: not within two weeks, or not known. */
  readonly hoursLeft: number | null;
  readonly today: {
    readonly count: number;
    readonly failed: number;
    /** Sum of the payments that have not failed. */
    readonly amount: string;
  };
}

/** `GET /vendors`, by vid. */
export interface VendorsAnswer {
  readonly vendors: readonly VendorView[];
  /** Cursor of the next page; null: there are no more. */
  readonly next: string | null;
}

export interface VendorSettings {
  readonly name: string;
  readonly sector: Sector;
  readonly duplicateCheck: DuplicateCheck;
  readonly duplicateWindowSeconds: number;
  readonly referenceRequired: boolean;
  readonly enquiryPolicy: EnquiryPolicy;
  readonly statusText: StatusText;
  readonly signature: SignatureVersion;
}

/** The vendor's price for a payment to a biller. */
export interface VendorPrice {
  readonly biller: string;
  /** True: it is agreed with this vendor; false: it is everybody's. */
  readonly isOwn: boolean;
  readonly since: string;
  readonly formula: FormulaFields;
}

/** `GET /vendors/:vid`: for staff, and for the vendor's own people. */
export interface VendorDetail extends VendorView {
  readonly createdAt: string;
  readonly reserved: string;
  readonly topUps: readonly TopUpKind[];
  readonly settings: VendorSettings;
  readonly prices: readonly VendorPrice[];
}

/** `PUT /vendors/:vid`. */
export interface VendorSet extends VendorDetail {
  /** It waits for another person; null: it is in force. */
  readonly proposal: string | null;
}

/** `POST /vendors`: the first security key, shown once. */
export interface VendorAdded {
  readonly vid: string;
  readonly secret: string;
}

/** A key or a secret, without its value. */
export interface KeyView {
  readonly keyId: string;
  readonly createdAt: string;
  /** Null: until it is replaced. */
  readonly validUntil: string | null;
}

/** `GET /vendors/:vid/keys`: the valid ones, the current one first. */
export interface KeysAnswer {
  readonly keys: readonly KeyView[];
}

/** A new key or secret, shown once. */
export interface NewSecret {
  /** Null: another person has to approve it first. */
  readonly secret: string | null;
  readonly overlapSeconds: number;
  /** Set for staff; null: the vendor's own person acted. */
  readonly proposal: string | null;
}

/** `GET /vendors/:vid/webhook`. */
export interface WebhookAnswer {
  /** Null: none yet. */
  readonly webhook: {
    readonly url: string;
    /** It may be plain http, and in a private network; staff decide that. */
    readonly allowsPrivate: boolean;
    readonly disabledAt: string | null;
    readonly disabledReason: string | null;
    /** Failures in a row. */
    readonly failures: number;
    readonly failingSince: string | null;
    /** The types of events that are not sent. */
    readonly offTypes: readonly EventType[];
  } | null;
  /** Events that wait for their delivery. */
  readonly waiting: number;
  readonly secrets: readonly KeyView[];
}

/** `PUT /vendors/:vid/webhook`. */
export interface WebhookSet extends WebhookAnswer {
  /** The first secret, shown only once; null: the webhook had one already, or it waits. */
  readonly secret: string | null;
  /** It waits for another person; null: it is in force. */
  readonly proposal: string | null;
}

/** An event with the result of its last delivery. */
export interface EventView {
  readonly eventId: string;
  /** The `webhook-id`. */
  readonly webhookId: string;
  readonly type: EventType;
  readonly at: string;
  readonly state: EventState;
  readonly attempts: number;
  /** When it is tried next; null: it is not. */
  readonly dueAt: string | null;
  readonly endedAt: string | null;
  readonly lastResult: string | null;
  /** The payment's reference; null: it is not about one. */
  readonly reference: string | null;
  /** JSON, as it is sent. */
  readonly body: string;
}

/** `GET /vendors/:vid/events`, newest first. */
export interface EventsAnswer {
  readonly events: readonly EventView[];
  /** Cursor of the next page; null: there are no older ones. */
  readonly next: string | null;
}

/** `POST /vendors/:vid/webhook/test`. */
export interface TestAnswer {
  readonly delivered: boolean;
  readonly webhookId: string;
  readonly url: string;
  /** Such as `HTTP 200`. */
  readonly result: string;
  /** The beginning of what the receiver answered; null: nothing. */
  readonly answer: string | null;
  readonly durationMs: number;
}

/** Number of events that are sent again. */
export interface ReplayAnswer {
  readonly count: number;
}
