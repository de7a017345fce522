import type { Operator } from '../billers/biller.ts';

/**
 * The purpose of a call to an operator: it sends a payment, asks about one, or validates an
 * account.
 */
export type CallKind = 'send' | 'verify' | 'validate';

/**
 * Counts the calls that each operator can accept now: its concurrency less the calls in progress, and
 * its rate. Status queries and validations together may use half of the concurrency, so that those of a
 * silent operator do not keep payments from being sent. Validations also leave half of a second's rate
 * to payments, and one vendor may use half of the validations' share, so that it does not keep other
 * vendors from validating.
 */
export interface Capacity {
  /**
   * Free slots for this kind of call, a whole number ≥ 0.
   * @param promised slots that are already assigned, although their calls have not begun.
   */
  free(operator: Operator, kind: CallKind, promised: number): number;
  begin(operator: Operator, kind: CallKind): void;
  end(operator: Operator, kind: CallKind): void;
  /**
   * Begins a validation for a vendor; undefined if there is no slot, or the vendor has used its
   * share. Call the returned function when the validation has ended.
   */
  beginValidation(operator: Operator, vendorId: number): (() => void) | undefined;
  /** Calls the listener when a validation has returned its slot. */
  onValidated(listener: () => void): void;
  /** Calls in progress to all operators. */
  readonly underWay: number;
}

interface Usage {
  send: number;
  verify: number;
  validate: number;
  /** The vendor of each validation. */
  readonly validating: number[];
  /** Token bucket of instructions and validations; at most one second's worth. */
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

/** Maximum number of simultaneous status queries and validations. */
function maxQueries({ maxConcurrency }: Operator): number {
  return Math.ceil(maxConcurrency / 2);
}

function inUse(usage: Usage): number {
  return usage.send + usage.verify + usage.validate;
}
