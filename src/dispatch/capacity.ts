import type { Operator } from '../billers/biller.ts';

/**
 * How many calls each operator can take now: its concurrency less what is under way, and its rate.
 * Status queries may use half of the concurrency, so that a silent operator's verifications do not
 * keep payments from being sent.
 */
export interface Capacity {
  /**
   * Free places for this stage, a whole number ≥ 0.
   * @param promised places that are given away already, though nothing has begun there yet.
   */
  free(operator: Operator, stage: 'send' | 'verify', promised: number): number;
  begin(operator: Operator, stage: 'send' | 'verify'): void;
  end(operator: Operator, stage: 'send' | 'verify'): void;
  /** Calls under way to all operators. */
  readonly underWay: number;
}

interface Usage {
  send: number;
  verify: number;
  /** Token bucket of instructions; a second's worth at most. */
  tokens: number;
  filledAtMs: number;
}

/** @param nowMs a monotonic clock in milliseconds. */
export function createCapacity(nowMs: () => number): Capacity {
  const usages = new Map<string, Usage>();
  const usageOf = (operator: Operator): Usage => {
    const known = usages.get(operator.operatorCode);
    if (known !== undefined) return known;
    const fresh = { send: 0, verify: 0, tokens: operator.maxPerSecond ?? 0, filledAtMs: nowMs() };
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
      for (const usage of usages.values()) sum += usage.send + usage.verify;
      return sum;
    },
    free: (operator, stage, promised) => {
      const usage = usageOf(operator);
      const places = operator.maxConcurrency - usage.send - usage.verify - promised;
      if (stage === 'verify') {
        return Math.max(0, Math.min(places, Math.ceil(operator.maxConcurrency / 2) - usage.verify));
      }
      if (operator.maxPerSecond === null) return Math.max(0, places);
      return Math.max(0, Math.min(places, refill(usage, operator.maxPerSecond)));
    },
    begin: (operator, stage) => {
      const usage = usageOf(operator);
      usage[stage] += 1;
      if (stage === 'send' && operator.maxPerSecond !== null) usage.tokens -= 1;
    },
    end: (operator, stage) => {
      usageOf(operator)[stage] -= 1;
    },
  };
}
