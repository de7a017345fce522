import type { AccountState, CreditAccount, CreditFile, ProductType, RiskClass } from '../facts.ts';
import { isKept, isOriginalKnown } from '../scorecards/standing.ts';
import type { Sector } from '../../parties/vendor.ts';

/**
 * Negative information that a rule covers is neither shown nor scored. Absent conditions always
 * hold.
 */
export interface SuppressionRule {
  readonly rule: string;
  /** The reason, for people. */
  readonly reason: string;
  readonly balanceUpToCents: bigint | null;
  readonly originalUpToCents: bigint | null;
  readonly products: readonly ProductType[] | null;
  readonly sectors: readonly Sector[] | null;
  readonly riskClasses: readonly RiskClass[] | null;
  /** Range of the state's as-of date, both ends included. */
  readonly statesFrom: Date | null;
  readonly statesUntil: Date | null;
}

/**
 * The file with every suppressed state made neutral: class A, nothing overdue, no days or
 * instalments in arrears. A state that was written off, in legal action, in collection or called up
 * becomes active. Balances, dates and everything positive stay. An account with suppressed negative
 * information is marked, so that it does not count as one that was kept well.
 */
export function applySuppression(file: CreditFile, rules: readonly SuppressionRule[]): CreditFile {
  if (rules.length === 0) return file;
  return {
    ...file,
    accounts: file.accounts.map((account) => {
      let troubleSuppressed = account.troubleSuppressed === true;
      const neutral = (state: AccountState): AccountState => {
        if (!isNegative(state) || !rules.some((rule) => covers(rule, account, state))) return state;
        if (!isKept(account, state)) troubleSuppressed = true;
        return neutralState(state);
      };
      const current = neutral(account.current);
      const history = account.history.map(neutral);
      return { ...account, current, history, ...(troubleSuppressed ? { troubleSuppressed } : {}) };
    }),
  };
}

const NEGATIVE_STATUSES: ReadonlySet<string> = new Set(['C', 'D', 'E', 'J']);

function isNegative(state: AccountState): boolean {
  return (
    state.overdueCents > 0n ||
    state.daysInArrears > 0 ||
    state.riskClass !== 'A' ||
    NEGATIVE_STATUSES.has(state.status)
  );
}

function covers(rule: SuppressionRule, account: CreditAccount, state: AccountState): boolean {
  return (
    (rule.balanceUpToCents === null || state.balanceCents <= rule.balanceUpToCents) &&
    (rule.originalUpToCents === null ||
      (isOriginalKnown(account) && account.originalCents <= rule.originalUpToCents)) &&
    (rule.products === null || rule.products.includes(account.product)) &&
    (rule.sectors === null || rule.sectors.includes(account.sector)) &&
    (rule.riskClasses === null || rule.riskClasses.includes(state.riskClass)) &&
    (rule.statesFrom === null || state.asOf >= rule.statesFrom) &&
    (rule.statesUntil === null || state.asOf <= rule.statesUntil)
  );
}

function neutralState(state: AccountState): AccountState {
  return {
    ...state,
    overdueCents: 0n,
    daysInArrears: 0,
    instalmentsInArrears: 0,
    riskClass: 'A',
    status: NEGATIVE_STATUSES.has(state.status) ? 'F' : state.status,
  };
}
