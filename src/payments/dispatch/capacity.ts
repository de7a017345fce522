import type { Operator } from '../billers/biller.ts';

/** What a call to an operator does: it sends a payment, asks about one, or validates an account. */
export type CallKind = 'send' | 'verify' | 'validate';

/**
 * How many calls each operator can take now: its concurrency less what is under way, and its rate.
 * Status queries and validations together may use half of the concurrency, so that a silent operator's
 * keep no payments from being sent. Validations also leave half of a second's rate, and a vendor may
 * use half of what they may, so that it keeps no other vendor from validating.
 */
export interface Capacity {
  /**
   * Free places for this kind of call, a whole number ≥ 0.
   * @param promised places that are given away already, though nothing has begun there yet.
   */
  free(operator: Operator, kind: CallKind, promised: number): number;
  begin(operator: Operator, kind: CallKind): void;
  end(operator: Operator, kind: CallKind): void;
  /**
   * Begins a validation for a vendor; undefined when there is no place, or the vendor has its share.
   * Call what it returns when it has ended.
   */
  beginValidation(operator: Operator, vendorId: number): (() => void) | undefined;
  /** Calls the listener when a validation has given its place back. */
  onValidated(listener: () => void): void;
  /** Calls under way to all operators. */
  readonly underWay: number;
}

interface Usage {
  send: number;
  verify: number;
  validate: number;
  /** The vendor of each validation. */
  readonly validating: number[];
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
    const fresh = newUsage(operator, nowMs());
    usages.set(operator.operatorCode, fresh);
    return fresh;
  };
  const free: Capacity['free'] = (operator, kind, promised) => {
    const { maxConcurrency, maxPerSecond } = operator;
    const usage = usageOf(operator);
    const limits = [maxConcurrency - inUse(usage) - promised];
    if (kind !== 'send') limits.push(maxQueries(operator) - usage.verify - usage.validate);
    if (kind !== 'verify' && maxPerSecond !== null) {
      const kept = kind === 'validate' ? Math.floor(maxPerSecond / 2) : 0;
      limits.push(refill(usage, maxPerSecond, nowMs()) - kept);
    }
    return Math.max(0, Math.min(...limits));
  };
  const begin: Capacity['begin'] = (operator, kind) => {
    const usage = usageOf(operator);
    usage[kind] += 1;
    if (kind !== 'verify' && operator.maxPerSecond !== null) usage.tokens -= 1;
  };
  const end: Capacity['end'] = (operator, kind) => {
    usageOf(operator)[kind] -= 1;
    if (kind === 'validate') for (const listener of listeners) listener();
  };
  return {
    get underWay() {
      let sum = 0;
      for (const usage of usages.values()) sum += inUse(usage);
      return sum;
    },
    free,
    begin,
    end,
    beginValidation: (operator, vendorId) => {
      const { validating } = usageOf(operator);
      const own = validating.filter((other) => other === vendorId).length;
      if (own >= Math.ceil(maxQueries(operator) / 2)) return undefined;
      if (free(operator, 'validate', 0) === 0) return undefined;
      validating.push(vendorId);
      begin(operator, 'validate');
      return () => {
        validating.splice(validating.indexOf(vendorId), 1);
        end(operator, 'validate');
      };
    },
    onValidated: (listener) => void listeners.push(listener),
  };
}

function newUsage({ maxPerSecond }: Operator, now: number): Usage {
  const calls = { send: 0, verify: 0, validate: 0, validating: [] };
  return { ...calls, tokens: maxPerSecond ?? 0, filledAtMs: now };
}

/** Whole tokens in the bucket now. */
function refill(usage: Usage, perSecond: number, now: number): number {
  const gained = ((now - usage.filledAtMs) / 1000) * perSecond;
  usage.tokens = Math.min(perSecond, usage.tokens + gained);
  usage.filledAtMs = now;
  return Math.floor(usage.tokens);
}

/** Status queries and validations at once. */
function maxQueries({ maxConcurrency }: Operator): number {
  return Math.ceil(maxConcurrency / 2);
}

function inUse(usage: Usage): number {
  return usage.send + usage.verify + usage.validate;
}
