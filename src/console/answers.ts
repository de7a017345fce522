import type { Role } from '../parties/people/roles.ts';
import type { CaseView } from '../staff/case-schema.ts';
import type { TimelineEntry as RecordedEntry } from '../payments/timeline/assemble.ts';
import type { Understood } from '../payments/timeline/understand.ts';
import type { Permission } from '../parties/people/permissions.ts';

/**
 * The types of the API's answers. The web console imports them, so that both sides always agree.
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
    /** False: the person sees and changes nothing until another administrator has confirmed the person. */
    readonly isConfirmed: boolean;
  };
  readonly permissions: readonly Permission[];
  readonly environment: 'sandbox' | 'production';
  /** True: the console changes nothing. */
  readonly readOnly: boolean;
  /** IANA name, such as `Africa/Nairobi`. */
  readonly timeZone: string;
  readonly version: string;
}

/** `GET /account/passkeys`: the person's own. */
export interface PasskeysAnswer {
  /** Where they work; null: browsers allow none at the configured public URL. */
  readonly origin: string | null;
  readonly passkeys: readonly {
    readonly id: string;
    readonly name: string;
    readonly createdAt: string;
    readonly usedAt: string | null;
  }[];
}

/** `POST /links/read`: whom a one-time link is for, and a new secret for one-time codes. */
export interface LinkAnswer {
  readonly login: string;
  readonly name: string;
  readonly codesRequired: boolean;
  /** Base 32. */
  readonly secret: string;
  /** Content of a QR code: `otpauth://…`. */
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
  /** The parts of the search text, and the meanings that they were given. */
  readonly understood: readonly Understood[];
  readonly payments: readonly ListedPayment[];
  /** Payments that only an operator reports. Only for staff, with the first page of a search. */
  readonly lost: readonly CaseView[];
  /** Cursor of the next page; null: there are no older ones. */
  readonly next: string | null;
  /** Everything created since then has been searched; null: the whole period. */
  readonly searchedTo: string | null;
}

/** A row in the form of the API: times as text, and cents as decimal text under a name without the unit. */
export type OnWire<Row> = Row extends unknown
  ? {
      readonly [Name in keyof Row as Name extends `${infer Short}Cents` ? Short : Name]: Text<
        Row[Name]
      >;
    }
  : never;
type Text<Value> = Value extends Date | bigint ? string : Value;

/** Something that happened to a payment. */
export type TimelineEntry = OnWire<RecordedEntry>;

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
  /** Number of status queries; null: no instruction is in progress. */
  readonly queries: number | null;
  readonly nextStepAt: string | null;
  /**
   * From then on the operator's answer that it does not have the instruction proves that it was not
   * executed. Null: no instruction is in progress, or such an answer never proves it.
   */
  readonly provableAt: string | null;
  readonly note: string | null;
  readonly timeline: readonly TimelineEntry[];
}
