export interface StatementQuery {
  readonly from: Date;
  /** Excluded. */
  readonly to: Date;
  /** `next` of the page before; null for the first. */
  readonly cursor: string | null;
}

export type StatementPage =
  | {
      readonly kind: 'page';
      readonly movements: readonly FloatMovement[];
      /** Null on the last page. */
      readonly next: string | null;
    }
  | { readonly kind: 'unknown'; readonly reason: string };

/** One movement of our float with the operator. */
export interface FloatMovement {
  readonly kind: 'payment' | 'reversal' | 'top_up' | 'charge';
  /** By the operator's clock. */
  readonly at: Date;
  /** The operator's own reference; identifies the movement in all of its statements. */
  readonly operatorReference: string;
  /** The `ipay_reference` as the operator repeats it, of any form; null when the line has none. */
  readonly reference: string | null;
  readonly billerCode: string | null;
  readonly account: string | null;
  /** Above zero. */
  readonly amountCents: bigint;
}

/** A kind of movement of our float, as the operator's statement names it. */
export type MovementKind = FloatMovement['kind'];

export interface StatementMovement extends FloatMovement {
  /** Line number in the file, from 1. */
  readonly line: number;
}

/** Our float with the operator at the start or the end of the period. */
interface StatementBalance {
  readonly kind: 'opening' | 'closing';
  readonly line: number;
  readonly balanceCents: bigint;
}

export type StatementEntry = StatementMovement | StatementBalance;

/** A problem of a line. */
export interface StatementProblem {
  readonly line: number;
  readonly field: string;
  /** Short name of the broken rule, such as `amount`. */
  readonly rule: string;
  readonly text: string;
}

/**
 * The format of an operator's statements, and what a missing payment means. One per protocol and
 * settings.
 */
export interface StatementFormat {
  /** Names of the CSV header, in this order. */
  readonly columns: readonly string[];
  /** @param values as many as there are columns. */
  readLine(line: number, values: readonly string[]): StatementEntry | readonly StatementProblem[];
  /**
   * True if the operator guarantees that a payment which a complete statement does not list was not
   * made, once its acceptance window is over.
   */
  readonly absenceIsProof: boolean;
  /**
   * As in `Connector`. Null: an instruction may be executed at any time, so absence proves nothing.
   */
  readonly acceptanceWindowMs: number | null;
  /** As in `Connector`: an instruction may leave us as late as that. */
  readonly payDeadlineMs: number;
}
