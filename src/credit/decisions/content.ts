import { isoDay } from '../../platform/base/days.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { ImportCounts } from '../importing/imports-store.ts';
import type { TemplateName } from '../importing/template.ts';
import type { AmountUnit } from '../registry/account.ts';
import type { DisputeOutcome } from '../registry/disputes-store.ts';
import type { SuppressionRule } from '../registry/suppression.ts';
import type { Sector } from '../../parties/vendor.ts';
import type { ScoreKind } from '../scorecards/scorecard.ts';

/** A rule as it is stored in a proposal: JSON has no exact integers of 64 bits, so cents are text. */
export interface StoredRule {
  readonly rule: string;
  readonly reason: string;
  readonly balanceUpToCents: string | null;
  readonly originalUpToCents: string | null;
  readonly products: SuppressionRule['products'];
  readonly sectors: SuppressionRule['sectors'];
  readonly riskClasses: SuppressionRule['riskClasses'];
  readonly statesFrom: string | null;
  readonly statesUntil: string | null;
}

/** What is proposed. References of people are text, and nothing else about them is in it. */
export type Content =
  | { readonly kind: 'merge' | 'unmerge'; readonly from: string; readonly into: string }
  | {
      readonly kind: 'dispute';
      readonly dispute: string;
      readonly crn: string;
      readonly account: string;
      readonly outcome: DisputeOutcome;
    }
  /** An account that was listed wrongly leaves every answer. */
  | {
      readonly kind: 'withdrawal';
      readonly crn: string;
      readonly account: string;
      readonly lender: string;
    }
  /** A debt that two lenders submit counts once, under the one that bought it. */
  | {
      readonly kind: 'sale';
      readonly crn: string;
      readonly account: string;
      readonly lender: string;
      /** The buyer's account. */
      readonly into: string;
      readonly buyer: string;
      readonly soldOn: string;
    }
  /** A case is closed, and nothing else is changed. */
  | { readonly kind: 'case'; readonly case: string }
  | {
      readonly kind: 'import';
      readonly lender: string;
      readonly sector: Sector;
      readonly template: TemplateName;
      readonly asOf: string;
      readonly corrects: boolean;
      readonly amounts: AmountUnit;
      readonly fileName: string;
      /** Of the file, hexadecimal: the one that was tried is the one that is imported. */
      readonly sha256: string;
      /** What its trial would have changed. */
      readonly counts: ImportCounts;
    }
  | {
      readonly kind: 'suppression';
      readonly rule: StoredRule;
      /** In force when it was proposed. */
      readonly former: StoredRule | null;
    }
  | { readonly kind: 'suppression_end'; readonly former: StoredRule }
  | {
      readonly kind: 'scorecard';
      readonly score: ScoreKind;
      readonly role: 'champion' | 'challenger';
      /** Null: the newest shipped card answers; no challenger. */
      readonly card: string | null;
      /** When it was proposed. */
      readonly former: string | null;
    };

/** What a proposal is about: only one at a time waits for a decision. */
export function aboutOf(content: Content): string {
  switch (content.kind) {
    case 'merge':
    case 'unmerge':
      return `subject ${content.from}`;
    case 'dispute':
      return `dispute ${content.dispute}`;
    case 'withdrawal':
    case 'sale':
      return `account ${content.account}`;
    case 'case':
      return `case ${content.case}`;
    case 'import':
      return `file ${content.sha256} of ${content.lender}, ${content.asOf}`;
    case 'suppression':
      return `rule ${content.rule.rule}`;
    case 'suppression_end':
      return `rule ${content.former.rule}`;
    case 'scorecard':
      return `${content.role} ${content.score}`;
  }
}

/** For people, in one line. */
export function textOf(content: Content): string {
  switch (content.kind) {
    case 'merge':
      return `${content.from} is answered under ${content.into}`;
    case 'unmerge':
      return `${content.from} is answered apart from ${content.into} again`;
    case 'dispute':
      return `the dispute about account ${content.account} of ${content.crn} is ${content.outcome}`;
    case 'withdrawal':
      return `account ${content.account} of ${content.crn}, submitted by ${content.lender}, is withdrawn`;
    case 'sale':
      return `account ${content.account} of ${content.crn}, submitted by ${content.lender}, was sold on ${content.soldOn} and is account ${content.into} of ${content.buyer}`;
    case 'case':
      return 'the case is closed';
    case 'import':
      return `${content.fileName} of ${content.lender}, as of ${content.asOf}: ${content.counts.records} records, ${content.counts.rejected} rejected, amounts in ${content.amounts}`;
    case 'suppression':
      return `rule ${content.rule.rule} is ${content.former === null ? 'put into force' : 'replaced'}`;
    case 'suppression_end':
      return `rule ${content.former.rule} ends`;
    case 'scorecard':
      return `${content.role} ${content.score}: ${content.former ?? 'default'} becomes ${content.card ?? 'default'}`;
  }
}

export function storedRule(rule: SuppressionRule): StoredRule {
  return {
    rule: rule.rule,
    reason: rule.reason,
    balanceUpToCents: rule.balanceUpToCents === null ? null : String(rule.balanceUpToCents),
    originalUpToCents: rule.originalUpToCents === null ? null : String(rule.originalUpToCents),
    products: rule.products,
    sectors: rule.sectors,
    riskClasses: rule.riskClasses,
    statesFrom: rule.statesFrom && isoDay(rule.statesFrom),
    statesUntil: rule.statesUntil && isoDay(rule.statesUntil),
  };
}

export function ruleOf(stored: StoredRule): SuppressionRule {
  return {
    ...stored,
    balanceUpToCents: stored.balanceUpToCents === null ? null : BigInt(stored.balanceUpToCents),
    originalUpToCents: stored.originalUpToCents === null ? null : BigInt(stored.originalUpToCents),
    statesFrom: dateOf(stored.statesFrom),
    statesUntil: dateOf(stored.statesUntil),
  };
}

function dateOf(day: string | null): Date | null {
  return day === null ? null : new Date(`${day}T00:00:00Z`);
}

const CONDITIONS = [
  'balanceUpToCents',
  'originalUpToCents',
  'products',
  'sectors',
  'riskClasses',
  'statesFrom',
  'statesUntil',
] as const satisfies readonly (keyof SuppressionRule)[];

/** Throws: `PlainError` for a rule without a condition, or with one that can never hold. */
export function requireUsableRule(rule: SuppressionRule): void {
  if (!/^[a-z0-9_]{1,60}$/.test(rule.rule)) {
    throw new PlainError('The name must be 1 to 60 lower-case letters, digits or underscores.', {
      field: 'rule',
    });
  }
  const given = CONDITIONS.filter((name) => rule[name] !== null);
  if (given.length === 0) {
    throw new PlainError('A rule needs a condition: otherwise it would hide everything.', {
      field: 'rule',
    });
  }
  for (const name of ['products', 'sectors', 'riskClasses'] as const) {
    if (rule[name]?.length === 0) throw new PlainError('It must not be empty.', { field: name });
  }
  const { statesFrom, statesUntil } = rule;
  if (statesFrom !== null && statesUntil !== null && statesFrom > statesUntil) {
    throw new PlainError('The first day must not be after the last one.', { field: 'statesFrom' });
  }
}
