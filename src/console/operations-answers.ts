import type { FloatView } from '../staff/float-view.ts';
import type { PaymentInterval, PaymentSums } from '../staff/activity-view.ts';

/** Shapes of the API’s answers about operations and administration; `answers.ts` says how values look. */

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
