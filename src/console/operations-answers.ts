import type { PaymentInterval, PaymentSums } from '../staff/activity-view.ts';
import type { BillerState } from '../staff/biller-view.ts';

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
