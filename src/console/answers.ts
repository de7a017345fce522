import type { Role } from '../parties/people/roles.ts';
import type { Understood } from '../payments/timeline/understand.ts';
import type { Permission } from './permissions.ts';

/**
 * The shapes of the API's answers. The web console imports these types, so that the two cannot differ.
 * Money is decimal text in KES, such as `1450.00`; times are ISO 8601 in UTC.
 */

/** `GET /session`: the person who is signed in. */
export interface SessionAnswer {
  readonly person: {
    readonly login: string;
    readonly name: string;
    readonly role: Role;
    /** The vendor whose people the person belongs to; null for staff. */
    readonly vid: string | null;
  };
  readonly permissions: readonly Permission[];
  readonly environment: 'sandbox' | 'production';
  /** True: the console changes nothing. */
  readonly readOnly: boolean;
  /** IANA name, such as `Africa/Nairobi`. */
  readonly timeZone: string;
  readonly version: string;
}

/** `POST /links/read`: whom a one-time link is for, and a new secret for one-time codes. */
export interface LinkAnswer {
  readonly login: string;
  readonly name: string;
  readonly codesRequired: boolean;
  /** Base 32. */
  readonly secret: string;
  /** For a QR code: `otpauth://…`. */
  readonly secretUri: string;
}

/** A payment in a list. */
export interface ListedPayment {
  readonly reference: string;
  readonly vid: string;
  readonly status: 'QUEUED' | 'PENDING' | 'SUCCESS' | 'FAILED';
  readonly biller: string;
  readonly operator: string | null;
  readonly account: string;
  readonly phone: string | null;
  readonly amount: string;
  readonly fee: string;
  readonly merchantReference: string | null;
  readonly createdAt: string;
  readonly settledAt: string | null;
}

/** The columns of the list, in the order in which they are shown. */
export const PAYMENT_COLUMNS = [
  'created',
  'reference',
  'merchantReference',
  'vendor',
  'biller',
  'operator',
  'account',
  'phone',
  'amount',
  'fee',
  'status',
  'settled',
] as const;
export type PaymentColumn = (typeof PAYMENT_COLUMNS)[number];

/** A value of a filter, and its name for people. */
export interface Choice {
  readonly code: string;
  readonly name: string;
}

/** `GET /payments/choices`: what the list can be filtered by. */
export interface PaymentChoices {
  readonly billers: readonly Choice[];
  readonly operators: readonly Choice[];
  /** Empty for a vendor's people. */
  readonly vendors: readonly Choice[];
}

/** `GET /payments`, newest first. */
export interface PaymentsAnswer {
  /** What the parts of the search text were taken for. */
  readonly understood: readonly Understood[];
  readonly payments: readonly ListedPayment[];
  /** For the next page; null: there are no older ones. */
  readonly next: string | null;
  /** Everything created since then has been searched; null: the whole period. */
  readonly searchedTo: string | null;
}

/** Something that happened to a payment; the other fields depend on the kind. */
export interface TimelineEntry {
  readonly at: string;
  readonly kind:
    | 'created'
    | 'transfer'
    | 'attempt'
    | 'settled'
    | 'unmatched_callback'
    | 'statement_entry'
    | 'correction'
    | 'event'
    | 'case';
  readonly [field: string]: unknown;
}

/** `GET /payments/:reference`. */
export interface PaymentDetail extends ListedPayment {
  readonly billerReference: string | null;
  readonly billerResponseTime: string | null;
  readonly message: string | null;
  readonly failureCode: string | null;
  /** Such as token and units. */
  readonly details: Readonly<Record<string, string>> | null;
  /** Where the outcome came from: answer, status, callback, … */
  readonly settledBy: string | null;
  readonly archived: boolean;
  /** How often the operator was asked; null: not under way. */
  readonly queries: number | null;
  readonly nextStepAt: string | null;
  readonly note: string | null;
  readonly timeline: readonly TimelineEntry[];
}
