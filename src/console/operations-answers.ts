import type { Role } from '../parties/people/roles.ts';

/** Shapes of the API’s answers about operations and administration; `answers.ts` says how values look. */

/** Payments of a period, by the time when they were created. */
export interface PaymentSums {
  readonly created: number;
  readonly paid: number;
  readonly failed: number;
  /** Without a final state. */
  readonly open: number;
  /** 0 to 1; null: none has a final state. */
  readonly successRate: number | null;
  /** Seconds to the final state, within 10 %. */
  readonly p50Seconds: number | null;
  readonly p95Seconds: number | null;
}

export interface PaymentInterval {
  readonly begin: string;
  readonly paid: number;
  readonly failed: number;
  readonly open: number;
  readonly p95Seconds: number | null;
}

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

/** A biller in a list. */
export interface BillerView {
  readonly code: string;
  readonly name: string;
  readonly category: string;
  readonly operators: readonly string[];
  /** The status that vendors see. */
  readonly status: 'ONLINE' | 'OFFLINE';
  /** Why it is OFFLINE; null: it is ONLINE. */
  readonly obstacle: string | null;
  readonly lastHour: PaymentSums;
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
    readonly billers: readonly BillerView[];
    readonly cases: WaitingCount;
  } | null;
}

/** `GET /billers`. */
export interface BillersAnswer {
  readonly billers: readonly BillerView[];
}

/** A biller's route through an operator. */
export interface RouteView {
  readonly operator: string;
  readonly position: number;
  readonly weight: number;
  readonly minimum: string | null;
  readonly maximum: string | null;
  readonly dailyLimit: string | null;
  /** Why nothing is sent through it now; null: it can be used. */
  readonly obstacle: string | null;
  readonly isBreakerOpen: boolean;
  /** The breaker lets a few payments through until the operator has answered one. */
  readonly isOnTrial: boolean;
}

/** `GET /billers/:code`. */
export interface BillerDetail extends BillerView {
  readonly minimum: string;
  readonly maximum: string | null;
  readonly accountLabel: string;
  readonly accountFormat: string;
  /** The status that people set. */
  readonly setStatus: 'ONLINE' | 'OFFLINE';
  /** When it is ONLINE again by itself. */
  readonly offlineUntil: string | null;
  readonly routes: readonly RouteView[];
  /** The last 24 hours, by half-hour. */
  readonly intervals: readonly PaymentInterval[];
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

/** Decimal text; equal for a fixed amount. */
export interface AmountRange {
  readonly minimum: string;
  readonly maximum: string;
  readonly currency: string;
}

/** `GET /billers/:code/products`: what its operators sell for it, as they listed it last. */
export interface BillerProductsAnswer {
  /** Which amounts it takes within its limits: any, or those of the products. */
  readonly amounts: 'any' | 'products';
  readonly operators: readonly {
    readonly operator: string;
    /** Time of its last complete list. */
    readonly refreshedAt: string | null;
    /** Why the last attempt failed. */
    readonly error: string | null;
  }[];
  readonly products: readonly {
    readonly operator: string;
    readonly code: string;
    readonly name: string;
    /** Value for the receiver. */
    readonly value: string;
    /** The payable amount. */
    readonly amount: AmountRange | null;
    /** The price that we pay to the operator. */
    readonly price: AmountRange | null;
    readonly validity: string | null;
  }[];
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
