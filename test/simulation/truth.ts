/** What really happened to the instructions with one reference, by the operator's own records. */
export interface Entry {
  readonly reference: string;
  readonly operatorCode: string;
  readonly billerCode: string;
  readonly instructedCents: bigint;
  /** `on_its_way` while the operator does not know of it. */
  state: 'on_its_way' | 'deciding' | 'paid' | 'declined';
  /** The state that follows `deciding`. */
  verdict: 'paid' | 'declined' | undefined;
  /** Each payment really made, in cents. */
  readonly payments: bigint[];
  /** Instructions that may still arrive and be executed. */
  underWay: number;
  /** When the last instruction with this reference left its sender. */
  leftAtMs: number;
  /** When it arrived at the operator. */
  arrivedAtMs: number | undefined;
  /** The operator never reports a result, not even when queried. */
  silent: boolean;
  /** The operator sent a false report. */
  lied: boolean;
  /** Paid several times by the operator's or the network's own fault. */
  excused: boolean;
  /** Final results that the operator reported, true or false, whether or not they arrived. */
  readonly words: Set<'paid' | 'declined'>;
  /** The service acknowledged a callback about it. */
  callbackTaken: boolean;
  /** Number of instructions whose senders wait for an answer. */
  answersOut: number;
}

/** An acknowledged callback, which the service must have recorded. */
export interface TakenCallback {
  readonly operatorCode: string;
  readonly reference: string;
  readonly outcome: 'paid' | 'declined';
}

/** What vendors and operators know; `judge` compares it with the ledger. */
export interface Truth {
  /** By operator and reference: `entryKey`. */
  readonly entries: Map<string, Entry>;
  readonly takenCallbacks: TakenCallback[];
  /** Acknowledged callbacks about payments that the operator does not have. */
  readonly unmatched: { readonly operatorCode: string; readonly reference: string }[];
  /** Answers to creates, by the vendor's id and reference. */
  readonly answered: Map<string, string>;
}

export function entryKey(operatorCode: string, reference: string): string {
  return `${operatorCode} ${reference}`;
}

/** The entries of all operators with the reference. */
export function entriesOf(truth: Truth, reference: string): Entry[] {
  return [...truth.entries.values()].filter((entry) => entry.reference === reference);
}

export function createTruth(): Truth {
  return { entries: new Map(), takenCallbacks: [], unmatched: [], answered: new Map() };
}
