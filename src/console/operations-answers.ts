import type { PaymentInterval, PaymentSums } from '../staff/activity-view.ts';
import type { BillerState } from '../staff/biller-view.ts';
import type { Role } from '../parties/people/roles.ts';

/** Shapes of the API’s answers about operations and administration; `answers.ts` says how values look. */

/** Number of those that wait, and the age of the oldest. */
export interface WaitingCount {
  readonly count: number;
  readonly oldestSeconds: number;
}

/** Our float with an operator, as the operator reports it. */
export interface FloatView {
  readonly operator: string;
  /** Null until the operator has answered. */
  readonly balance: string | null;
  readonly polledAt: string | null;
  readonly state: 'enough' | 'low' | 'stopped';
  readonly low: string | null;
  readonly stop: string | null;
  readonly resume: string | null;
  /** Until the stop limit; null: not within two weeks, or not known. */
  readonly hoursLeft: number | null;
}

/** `GET /home`, and the data of each event of `GET /home/events`. */
export interface HomeAnswer {
  readonly at: string;
  readonly todaySince: string;
  readonly today: PaymentSums;
  readonly lastHourSince: string;
  readonly lastHour: PaymentSums;
  readonly minutes: readonly PaymentInterval[];
  readonly queued: WaitingCount;
  readonly unknown: WaitingCount;
  /** The vendor's float, for the vendor's people. */
  readonly float: string | null;
  /** Shown only to staff. */
  readonly house: {
    readonly floats: readonly FloatView[];
    readonly billers: readonly BillerState[];
    readonly cases: WaitingCount;
  } | null;
}

/** An operator in a list. */
export interface OperatorView {
  readonly code: string;
  readonly name: string;
  readonly connector: string;
  /** Billers with a route through it. */
  readonly billers: readonly string[];
  /** Billers for which nothing is sent through it now. */
  readonly blocked: readonly { readonly biller: string; readonly obstacle: string }[];
  readonly float: FloatView | null;
  /** Payments whose outcome it has to report. */
  readonly openInstructions: number;
  /** Sums of payments with a final state. */
  readonly lastHour: PaymentSums;
}

/** `GET /operators`. */
export interface OperatorsAnswer {
  readonly operators: readonly OperatorView[];
}

/** `GET /operators/:code`. */
export interface OperatorDetail extends OperatorView {
  readonly maxConcurrency: number;
  readonly maxPerSecond: number | null;
  /** The last 24 hours, by half-hour, of payments with a final state. */
  readonly intervals: readonly PaymentInterval[];
}

/** A person who signs in to the console. */
export interface PersonView {
  readonly login: string;
  readonly name: string;
  readonly role: Role;
  readonly vid: string | null;
  readonly status: 'active' | 'disabled';
  readonly createdAt: string;
  /** False until the person has used the invitation. */
  readonly hasPassword: boolean;
  readonly hasCodes: boolean;
  /** Changed in the database, not by the service: cannot sign in until the role is set, and a new link used. */
  readonly isAltered: boolean;
  /** The proposal with which another person confirms this one; null: confirmed, or not signed in yet. */
  readonly waitsFor: string | null;
}

/** `GET /people`. */
export interface PeopleAnswer {
  readonly people: readonly PersonView[];
  /** The roles that the viewer may give. */
  readonly roles: readonly Role[];
}

/** `POST /people`, `POST /people/:login/link`: shown once. */
export interface InvitationAnswer {
  readonly login: string;
  /** Below the console’s path; the page adds its own address. */
  readonly path: string;
  readonly validHours: number;
}

/** An entry of the audit log. */
export interface AuditView {
  readonly auditId: string;
  readonly at: string;
  readonly login: string;
  readonly role: string | null;
  readonly action: string;
  readonly target: string | null;
  readonly reason: string | null;
  readonly address: string;
  readonly requestId: string;
  readonly channel: 'console' | 'api' | 'command' | 'vendor';
  /** The name of the token of a program; null: a person acted. */
  readonly token: string | null;
  /** Null: it was interrupted, or is still running. */
  readonly result: 'done' | 'refused' | 'failed' | null;
  readonly before: unknown;
  readonly after: unknown;
  /** Filter of an export. */
  readonly filter: unknown;
}

/** `GET /audit`, newest first. */
export interface AuditAnswer {
  readonly entries: readonly AuditView[];
  /** Cursor of the next page; null: there are no older ones. */
  readonly next: string | null;
}
