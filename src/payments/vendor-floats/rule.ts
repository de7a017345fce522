export type TopUpKind = 'fund' | 'push';

interface RuleTerms {
  /** Below it the float is topped up. */
  readonly thresholdCents: bigint;
  /** The least time between two top-ups of the rule. */
  readonly pauseSeconds: number;
}

/** `fund` moves collected income into the float; `push` sends a phone a prompt to pay. */
export type TopUpRule =
  | (RuleTerms & { readonly kind: 'fund' })
  | (RuleTerms & {
      readonly kind: 'push';
      /** The amount that the float is filled up to. */
      readonly targetCents: bigint;
      /** Largest amount of one prompt. */
      readonly maximumCents: bigint;
      /** Largest sum of all prompts of a day. */
      readonly dailyCents: bigint;
      readonly sourceCode: string;
      /** 12 digits. */
      readonly phone: string;
    });

/** The facts that a rule is applied to. */
export interface TopUpFacts {
  readonly floatCents: bigint;
  readonly collectedCents: bigint;
  /** Prompted or paid, and not collected yet. */
  readonly awaitedCents: bigint;
  readonly now: Date;
  /** The rule's last top-up; null: none. */
  readonly lastAt: Date | null;
  /** Sum that the rule has asked for today, without refused prompts. */
  readonly todayCents: bigint;
}

const SHILLING = 100n;

/** The amount that the rule tops up now, in cents; 0: nothing. Pure. */
export function topUpCents(rule: TopUpRule, facts: TopUpFacts): bigint {
  const { floatCents, collectedCents, awaitedCents, now, lastAt, todayCents } = facts;
  // What was paid on a prompt is collected income until it is moved, and before that on its way.
  const haveCents = rule.kind === 'push' ? floatCents + collectedCents + awaitedCents : floatCents;
  if (haveCents >= rule.thresholdCents) return 0n;
  const isPausing = lastAt !== null && now.getTime() < lastAt.getTime() + rule.pauseSeconds * 1_000;
  if (isPausing) return 0n;
  // Funding moves all of it, always.
  if (rule.kind === 'fund') return collectedCents;
  const wanted = [
    rule.targetCents - haveCents + (SHILLING - 1n),
    rule.maximumCents,
    rule.dailyCents - todayCents,
  ].reduce((least, cents) => (cents < least ? cents : least));
  return wanted < SHILLING ? 0n : wanted - (wanted % SHILLING);
}

/**
 * The state of a vendor's float. It recovers a tenth above the limit, so that a float that stays near
 * the limit is not reported again and again. Pure.
 */
export function vendorFloatState(
  state: 'enough' | 'low',
  floatCents: bigint,
  lowCents: bigint | null,
): 'enough' | 'low' {
  if (lowCents === null) return 'enough';
  const recoversCents = state === 'low' ? lowCents + lowCents / 10n : lowCents;
  return floatCents < recoversCents ? 'low' : 'enough';
}
