/** An operator's decision about an instruction, and the way in which the caller learns it. */
export interface Plan {
  /**
   * `paid`, `declined`: decided at once. `accepted`: executed later. `silent`: not executed and never
   * reported. `lost`: as if the instruction had never arrived.
   */
  readonly decision: 'paid' | 'declined' | 'accepted' | 'silent' | 'lost';
  /** Answer to the instruction. `when_executed` holds it back until the payment is done. */
  readonly answer: 'given' | 'never' | 'garbage' | 'cut' | 'when_executed';
  /** Time from the instruction to the execution; only with `accepted`. */
  readonly executeAfterMs: number;
  /** Times of the callbacks, counted from the execution; only with `accepted`. */
  readonly callbacksAfterMs: readonly number[];
  /** Time from the execution to its details, such as the token. Left out: they come with the result. */
  readonly detailsAfterMs?: number;
}

/** Delays of the simulated operators. The defaults of `main.ts` are the published behaviour. */
export interface Delays {
  /** From the instruction to the execution and its callback (9905, 9906), or from the result to its details (9912). */
  readonly callbackDelayMs: number;
  /** From the first callbacks to the late repeat (9906). */
  readonly callbackRepeatMs: number;
  /** Duration of the slow answer (9907). */
  readonly slowMs: number;
}

/** The behaviours by name, each with the end of an account that chooses it. */
export const OUTCOMES = {
  paid: '9901',
  declined: '9902',
  paid_unanswered: '9903',
  not_paid_unanswered: '9904',
  callback: '9905',
  callback_repeated: '9906',
  slow: '9907',
  garbage: '9908',
  never: '9909',
  lost: '9910',
  details_follow: '9912',
} as const;
export type OutcomeName = keyof typeof OUTCOMES;

const ENDS: ReadonlySet<string> = new Set(Object.values(OUTCOMES));

/** True if the account itself chooses the behaviour. */
export function choosesItself(account: string): boolean {
  return ENDS.has(account.slice(-4));
}

const AT_ONCE = { executeAfterMs: 0, callbacksAfterMs: [] } as const;

/**
 * The behaviour that the last four digits of an account choose.
 * @param lostBefore whether an instruction with this reference was already lost on the way.
 */
export function planFor(account: string, delays: Delays, lostBefore = false): Plan {
  switch (account.slice(-4)) {
    case '9902':
      return { decision: 'declined', answer: 'given', ...AT_ONCE };
    case '9903':
      return { decision: 'paid', answer: 'never', ...AT_ONCE };
    case '9904':
      return { decision: 'declined', answer: 'never', ...AT_ONCE };
    case '9905':
      return {
        decision: 'accepted',
        answer: 'given',
        executeAfterMs: delays.callbackDelayMs,
        callbacksAfterMs: [0],
      };
    case '9906':
      return {
        decision: 'accepted',
        answer: 'given',
        executeAfterMs: delays.callbackDelayMs,
        callbacksAfterMs: [0, 0, delays.callbackRepeatMs],
      };
    case '9907':
      return {
        decision: 'accepted',
        answer: 'when_executed',
        executeAfterMs: delays.slowMs,
        callbacksAfterMs: [0],
      };
    case '9908':
      return { decision: 'paid', answer: 'garbage', ...AT_ONCE };
    case '9909':
      return { decision: 'silent', answer: 'never', ...AT_ONCE };
    case '9910':
      return lostBefore
        ? { decision: 'paid', answer: 'given', ...AT_ONCE }
        : { decision: 'lost', answer: 'cut', ...AT_ONCE };
    case '9912':
      return {
        ...{ decision: 'paid', answer: 'given', ...AT_ONCE },
        detailsAfterMs: delays.callbackDelayMs,
      };
    default:
      return { decision: 'paid', answer: 'given', ...AT_ONCE };
  }
}
