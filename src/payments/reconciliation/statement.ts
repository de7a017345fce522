/** What an operator's statement says happened to our float with it. */
export type MovementKind = 'payment' | 'reversal' | 'top_up' | 'charge';

export interface StatementMovement {
  readonly kind: MovementKind;
  /** Of the file, the first being 1. */
  readonly line: number;
  /** By the operator's clock. */
  readonly at: Date;
  /** The operator's own; makes the movement once in all of its statements. */
  readonly operatorReference: string;
  /** Our `ipay_reference` as the operator repeats it; null when the line has none. */
  readonly reference: string | null;
  readonly billerCode: string | null;
  readonly account: string | null;
  /** Above zero. */
  readonly amountCents: bigint;
}

/** Our float with the operator at the start or the end of the period. */
interface StatementBalance {
  readonly kind: 'opening' | 'closing';
  readonly line: number;
  readonly balanceCents: bigint;
}

export type StatementEntry = StatementMovement | StatementBalance;

/** What is wrong with a line. */
export interface StatementProblem {
  readonly line: number;
  readonly field: string;
  /** Short name of the broken rule, such as `amount`. */
  readonly rule: string;
  readonly text: string;
}

/** How an operator writes statements, and what its silence means. One per protocol and settings. */
export interface StatementFormat {
  /** Names of the CSV header, in this order. */
  readonly columns: readonly string[];
  /** @param values as many as there are columns. */
  readLine(line: number, values: readonly string[]): StatementEntry | readonly StatementProblem[];
  /**
   * True when the operator guarantees that a payment which a complete statement does not list was
   * not made, once its acceptance window is over.
   */
  readonly absenceIsProof: boolean;
  /** As of `Connector`. Null: an instruction may be executed at any time, absence proves nothing. */
  readonly acceptanceWindowMs: number | null;
}

/** The effect of a movement on our float with the operator, in cents. */
export function effectCents(movement: Pick<StatementMovement, 'kind' | 'amountCents'>): bigint {
  return movement.kind === 'payment' || movement.kind === 'charge'
    ? -movement.amountCents
    : movement.amountCents;
}
