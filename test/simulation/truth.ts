/** What really became of the instructions about one reference, by the operator's own books. */
export interface Entry {
  readonly reference: string;
  readonly operatorCode: string;
  readonly billerCode: string;
  readonly instructedCents: bigint;
  /** `on_its_way` while the operator does not know of it. */
  state: 'on_its_way' | 'deciding' | 'paid' | 'declined';
  /** What it will be, for `deciding`. */
  verdict: 'paid' | 'declined' | undefined;
  /** Each payment really made, in cents. */
  readonly payments: bigint[];
  /** Instructions that may still arrive and be executed. */
  underWay: number;
  /** When the last instruction about it left its sender. */
  leftAtMs: number;
  /** When the operator got to know of it. */
  arrivedAtMs: number | undefined;
  /** The operator never tells about it, not even when asked. */
  silent: boolean;
  /** The operator said, somewhere, what was not so. */
  lied: boolean;
  /** Paid several times by the operator's or the network's own fault. */
  excused: boolean;
  /** Final words it gave, true or not, whether they arrived or not. */
  readonly words: Set<'paid' | 'declined'>;
  /** The service acknowledged a callback about it. */
  callbackTaken: boolean;
  /** Instructions whose sender waits for the answer. */
  answersOut: number;
}

/** An acknowledged callback: after it the service has to know. */
export interface TakenCallback {
  readonly operatorCode: string;
  readonly reference: string;
  readonly outcome: 'paid' | 'declined';
}

/** What the outside world knows; the judge compares it with the books. */
export interface Truth {
  /** By operator and reference: `entryKey`. */
  readonly entries: Map<string, Entry>;
  readonly takenCallbacks: TakenCallback[];
  /** Acknowledged callbacks about what the operator does not have. */
  readonly unmatched: { readonly operatorCode: string; readonly reference: string }[];
  /** Answers to creates, by the vendor's id and reference. */
  readonly answered: Map<string, string>;
}

export function entryKey(operatorCode: string, reference: string): string {
  return `${operatorCode} ${reference}`;
}

/** What every operator knows of the reference. */
export function entriesOf(truth: Truth, reference: string): Entry[] {
  return [...truth.entries.values()].filter((entry) => entry.reference === reference);
}

export function createTruth(): Truth {
  return { entries: new Map(), takenCallbacks: [], unmatched: [], answered: new Map() };
}
