import type { Operator } from '../billers/biller.ts';

/** What a call to an operator does: it sends a payment, asks about one, or validates an account. */
export type CallKind = 'send' | 'verify' | 'validate';

/**
 * How many calls each operator can take now: its concurrency less what is under way, and its rate.
 * Status queries may use half of the concurrency, so that a silent operator's verifications do not
 * keep payments from being sent. So may validations, which also leave half of a second's rate.
 */
export interface Capacity {
  /**
   * Free places for this kind of call, a whole number ≥ 0.
   * @param promised places that are given away already, though nothing has begun there yet.
   */
  free(operator: Operator, kind: CallKind, promised: number): number;
  begin(operator: Operator, kind: CallKind): void;
  end(operator: Operator, kind: CallKind): void;
  /** Calls the listener when a validation has given its place back. */
  onValidated(listener: () => void): void;
  /** Calls under way to all operators. */
  readonly underWay: number;
}

interface Usage {
  send: number;
  verify: number;
  validate: number;
  /** Token bucket of instructions and validations; a second's worth at most. */
  tokens: number;
  filledAtMs: number;
}

/** @param nowMs a monotonic clock in milliseconds. */
export function createCapacity(nowMs: () => number): Capacity {
  const usages = new Map<string, Usage>();
  const listeners: (() => void)[] = [];
  const usageOf = (operator: Operator): Usage => {
    const known = usages.get(operator.operatorCode);
    if (known !== undefined) return known;
    const tokens = operator.maxPerSecond ?? 0;
    const fresh = { send: 0, verify: 0, validate: 0, tokens, filledAtMs: nowMs() };
    usages.set(operator.operatorCode, fresh);
    return fresh;
  };
  const refill = (usage: Usage, perSecond: number): number => {
    const now = nowMs();
    const gained = ((now - usage.filledAtMs) / 1000) * perSecond;
    usage.tokens = Math.min(perSecond, usage.tokens + gained);
    usage.filledAtMs = now;
    return Math.floor(usage.tokens);
  };
  return {
    get underWay() {
      let sum = 0;
      for (const usage of usages.values()) sum += inUse(usage);
      return sum;
    },
    free: (operator, kind, promised) => {
      const { maxConcurrency, maxPerSecond } = operator;
      const usage = usageOf(operator);
      const limits = [maxConcurrency - inUse(usage) - promised];
      if (kind !== 'send') limits.push(Math.ceil(maxConcurrency / 2) - usage[kind]);
      if (kind !== 'verify' && maxPerSecond !== null) {
        const kept = kind === 'validate' ? Math.floor(maxPerSecond / 2) : 0;
        limits.push(refill(usage, maxPerSecond) - kept);
      }
      return Math.max(0, Math.min(...limits));
    },
    begin: (operator, kind) => {
      const usage = usageOf(operator);
      usage[kind] += 1;
      if (kind !== 'verify' && operator.maxPerSecond !== null) usage.tokens -= 1;
    },
    end: (operator, kind) => {
      usageOf(operator)[kind] -= 1;
      if (kind === 'validate') for (const listener of listeners) listener();
    },
    onValidated: (listener) => void listeners.push(listener),
  };
}

function inUse(usage: Usage): number {
  return usage.send + usage.verify + usage.validate;
}
