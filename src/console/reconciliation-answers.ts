import type { CaseView } from '../staff/case-schema.ts';

/** A statement of an operator. Amounts are null when it does not say. */
export interface StatementSummary {
  readonly statementId: string;
  readonly operator: string;
  readonly from: string;
  /** Not included. */
  readonly to: string;
  readonly importedAt: string;
  /** Lists every movement of its period. */
  readonly complete: boolean;
  /** Asked from the operator, instead of imported from a file. */
  readonly pulled: boolean;
  readonly opening: string | null;
  readonly closing: string | null;
  /** Number of lines with each verdict. */
  readonly verdicts: Readonly<Record<string, number>>;
}

/** Our float with an operator in our books, against what it reported and its last statement. */
export interface Bridge {
  readonly operator: string;
  readonly booked: string;
  /** Null: the operator has reported no balance. Its parts sum to the difference. */
  readonly report: {
    readonly balance: string;
    readonly at: string;
    readonly difference: string;
    readonly inFlight: string;
    readonly settledSince: string;
    readonly notBooked: string;
    readonly unexplained: string;
  } | null;
  /** Null: there is no statement with a balance. */
  readonly statement: {
    readonly at: string;
    readonly closing: string;
    readonly booked: string;
    readonly difference: string;
  } | null;
}

/** `GET /reconciliation/:day`. */
export interface DayAnswer {
  /** YYYY-MM-DD, in the service's time zone. */
  readonly day: string;
  readonly from: string;
  readonly to: string;
  readonly closed: {
    readonly at: string;
    readonly by: string;
    readonly exceptions: Readonly<Record<string, unknown>>;
  } | null;
  /** The last closed day; null: none is closed. */
  readonly lastClosed: string | null;
  /** Open cases about something before the end of the day. */
  readonly openCases: number;
  /** Operators that were paid through, and whose statements do not cover the day. */
  readonly missing: readonly string[];
  /** Sums paid to each operator, by our ledger and by its statements. */
  readonly operators: readonly {
    readonly operator: string;
    readonly ours: string;
    readonly theirs: string | null;
    readonly difference: string | null;
  }[];
  readonly statements: readonly StatementSummary[];
  readonly bridges: readonly Bridge[];
  /** Operators whose statements can be imported. */
  readonly importable: readonly string[];
}

/** A difference between our ledger and a statement, side by side. */
export interface Difference {
  readonly case: CaseView;
  readonly ours: { readonly amount: string | null; readonly outcome: string | null };
  readonly theirs: {
    readonly amount: string | null;
    readonly operatorReference: string | null;
    readonly account: string | null;
    readonly at: string | null;
    readonly line: number | null;
  };
}

/** `GET /statements/:statementId`. */
export interface StatementAnswer extends StatementSummary {
  readonly differences: readonly Difference[];
}

/** `POST /statements`: all of it was imported, or nothing. */
export type ImportAnswer =
  | {
      readonly kind: 'refused';
      /** The first ones. */
      readonly problems: readonly { readonly line: number; readonly text: string }[];
      readonly count: number;
    }
  /** The file was imported before; nothing was done now. */
  | { readonly kind: 'repeated'; readonly statementId: string }
  /** It waits for another person. */
  | { readonly kind: 'proposed'; readonly proposalId: string };
