import { filledText, orNull, strict } from '../../platform/base/json-fields.ts';
import { Type } from 'typebox';
import type { Static, TSchema } from 'typebox';
import { SECTORS } from '../../parties/vendor.ts';
import { isoDay } from '../../platform/base/days.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Line } from '../../proposals/kind.ts';
import { PRODUCT_TYPES, RISK_CLASSES } from '../facts.ts';
import { TEMPLATES } from '../importing/template.ts';
import type { TemplateName } from '../importing/template.ts';
import { AMOUNT_UNITS } from '../registry/account.ts';
import type { SuppressionRule } from '../registry/suppression.ts';
import { SCORE_KINDS } from '../scorecards/scorecard.ts';

const reference = Type.String({ pattern: '^[0-9]{1,18}$' });
const id = Type.String({ pattern: '^[0-9a-f-]{36}$' });
const someText = filledText(1_000);
const isoDate = Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' });
/** JSON has no exact integers of 64 bits, so cents are text. */
const cents = Type.String({ pattern: '^[0-9]{1,18}$' });
const digest = Type.String({ pattern: '^[0-9a-f]{64}$' });
const count = Type.Integer({ minimum: 0 });

const ruleSchema = strict({
  rule: someText,
  reason: someText,
  balanceUpToCents: orNull(cents),
  originalUpToCents: orNull(cents),
  products: orNull(Type.Array(Type.Enum([...PRODUCT_TYPES]))),
  sectors: orNull(Type.Array(Type.Enum([...SECTORS]))),
  riskClasses: orNull(Type.Array(Type.Enum([...RISK_CLASSES]))),
  statesFrom: orNull(isoDate),
  statesUntil: orNull(isoDate),
});
export type StoredRule = Static<typeof ruleSchema>;

/** Two references are one person, or are not any more. */
export const MERGE = strict({
  kind: Type.Enum(['merge', 'unmerge']),
  from: reference,
  into: reference,
});
/** The outcome of a dispute. */
export const DISPUTE = strict({
  kind: Type.Enum(['dispute']),
  dispute: id,
  crn: reference,
  account: reference,
  outcome: Type.Enum(['upheld', 'rejected', 'withdrawn']),
});
/** An account that was listed wrongly leaves every answer. */
const WITHDRAWAL = strict({
  kind: Type.Enum(['withdrawal']),
  crn: reference,
  account: reference,
  lender: someText,
  /** The accounts that were sold into it, which leave with it. */
  bought: Type.Array(reference),
});
const sale = {
  crn: reference,
  account: reference,
  lender: someText,
  into: reference,
  buyer: someText,
  soldOn: isoDate,
};
/** A debt that two lenders submit counts once, under the one that bought it: `into`. */
const SALE = strict({ kind: Type.Enum(['sale']), ...sale });
/** There was no such sale, so both accounts count again. */
const SALE_END = strict({ kind: Type.Enum(['sale_end']), ...sale });
export const ACCOUNT = Type.Union([WITHDRAWAL, SALE, SALE_END]);
/** A person died, or is alive after all: earlier records and lenders' reports of a death do not count any more. */
export const LIFE = strict({
  kind: Type.Enum(['deceased', 'living']),
  crn: reference,
  diedOn: orNull(isoDate),
  /** The newest record when it was proposed, and its time. */
  former: orNull(someText),
});
/** A case is closed, and nothing else is changed. */
export const CASE = strict({ kind: Type.Enum(['case']), case: id });
/** A lender's file: the one that was tried is the one that is imported. */
export const IMPORT = strict({
  kind: Type.Enum(['import']),
  lender: someText,
  sector: Type.Enum([...SECTORS]),
  template: Type.Enum(Object.keys(TEMPLATES) as TemplateName[]),
  asOf: isoDate,
  corrects: Type.Boolean(),
  amounts: Type.Enum([...AMOUNT_UNITS]),
  fileName: someText,
  /** Digest of the file, hexadecimal. */
  sha256: digest,
  /** Counts of the changes that its trial found. */
  counts: strict({
    ...{ records: count, accountsAdded: count, statesAdded: count },
    ...{ corrected: count, unchanged: count, rejected: count },
  }),
});
/** `former`: in force when it was proposed. */
export const RULE = Type.Union([
  strict({
    kind: Type.Enum(['suppression']),
    rule: ruleSchema,
    former: orNull(ruleSchema),
  }),
  strict({ kind: Type.Enum(['suppression_end']), former: ruleSchema }),
]);
export const SCORECARD = strict({
  kind: Type.Enum(['scorecard']),
  score: Type.Enum([...SCORE_KINDS]),
  role: Type.Enum(['champion', 'challenger']),
  /** Null: the newest shipped card answers; no challenger. */
  card: orNull(someText),
  /** The digest of the scorecard; null if the proposal names no card. */
  sha256: orNull(digest),
  /** When it was proposed. */
  former: orNull(someText),
});

/** The content of a proposal. It has references of people as text, and nothing else about them. */
export type Content =
  | Static<typeof MERGE>
  | Static<typeof DISPUTE>
  | Static<typeof ACCOUNT>
  | Static<typeof LIFE>
  | Static<typeof CASE>
  | Static<typeof IMPORT>
  | Static<typeof RULE>
  | Static<typeof SCORECARD>;

/** The content of a proposal: what is proposed, and its grounds. */
export function grounded<What extends TSchema>(what: What) {
  return strict({
    what,
    /** Where it can be looked up. */
    evidence: someText,
    /** The case that led to it, which an approval closes. */
    caseId: orNull(id),
  });
}
export interface Grounded<What extends Content = Content> {
  readonly what: What;
  readonly evidence: string;
  readonly caseId: string | null;
}

/** The kind of proposal for each; what is about the same thing is of one kind. */
const KIND_NAMES = {
  merge: 'credit_merge',
  unmerge: 'credit_merge',
  dispute: 'credit_dispute',
  withdrawal: 'credit_account',
  sale: 'credit_account',
  sale_end: 'credit_account',
  deceased: 'credit_life',
  living: 'credit_life',
  case: 'credit_case',
  import: 'credit_import',
  suppression: 'credit_rule',
  suppression_end: 'credit_rule',
  scorecard: 'credit_scorecard',
} as const satisfies Record<Content['kind'], string>;

export function kindNameOf(kind: Content['kind']): (typeof KIND_NAMES)[Content['kind']] {
  return KIND_NAMES[kind];
}

export const CREDIT_KIND_NAMES: readonly string[] = [...new Set(Object.values(KIND_NAMES))];

const IMPERSONAL: ReadonlySet<string> = new Set([
  'credit_import',
  'credit_rule',
  'credit_scorecard',
]);

/** True if proposals of this kind name people. Fewer people may see those than the audit log. */
export function isAboutPeople(kindName: string): boolean {
  return CREDIT_KIND_NAMES.includes(kindName) && !IMPERSONAL.has(kindName);
}

/** Names the thing that a proposal is about. Only one proposal of each kind about it waits at a time. */
export function aboutOf(content: Content): string {
  switch (content.kind) {
    case 'merge':
    case 'unmerge':
      return `subject ${content.from}`;
    case 'dispute':
      return `dispute ${content.dispute}`;
    case 'withdrawal':
    case 'sale':
    case 'sale_end':
      return `account ${content.account}`;
    case 'deceased':
    case 'living':
      return `subject ${content.crn}`;
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

/** The content in one line for people. */
export function textOf(content: Content): string {
  switch (content.kind) {
    case 'merge':
      return `${content.from} is answered under ${content.into}`;
    case 'unmerge':
      return `${content.from} is answered apart from ${content.into} again`;
    case 'dispute':
      return `the dispute about account ${content.account} of ${content.crn} is ${content.outcome}`;
    case 'withdrawal': {
      const { bought } = content;
      const sold =
        bought.length === 0 ? '' : `, with what was sold into it (${bought.join(', ')}),`;
      return `account ${content.account} of ${content.crn}, submitted by ${content.lender}${sold || ','} is withdrawn`;
    }
    case 'sale':
      return `account ${content.account} of ${content.crn}, submitted by ${content.lender}, was sold on ${content.soldOn} and is account ${content.into} of ${content.buyer}`;
    case 'sale_end':
      return `account ${content.account} of ${content.crn}, submitted by ${content.lender}, was not sold on ${content.soldOn}: it and account ${content.into} of ${content.buyer} count apart again`;
    case 'deceased': {
      const on = content.diedOn === null ? '' : ` on ${content.diedOn}`;
      return `${content.crn} died${on} and gets no score any more`;
    }
    case 'living':
      return `${content.crn} is alive: no death that was recorded or reported until now counts`;
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

/** The content as lines, for whoever decides. */
export function linesOf(content: Content): Line[] {
  const change = { label: 'Change', text: textOf(content) };
  switch (content.kind) {
    case 'suppression': {
      const before = content.former === null ? [] : [conditionsLine('Replaces', content.former)];
      return [change, conditionsLine('Hides', content.rule), ...before];
    }
    case 'suppression_end':
      return [change, conditionsLine('Hides no longer', content.former)];
    case 'import':
    case 'scorecard':
      return content.sha256 === null
        ? [change]
        : [change, { label: 'SHA-256', text: content.sha256 }];
    default:
      return [change];
  }
}

const amount = (given: string | null) => given && formatMoney(BigInt(given));

function conditionsLine(label: string, rule: StoredRule): Line {
  const conditions: Readonly<Record<string, string | null>> = {
    'balance up to': amount(rule.balanceUpToCents),
    'original amount up to': amount(rule.originalUpToCents),
    products: rule.products && rule.products.join(', '),
    sectors: rule.sectors && rule.sectors.join(', '),
    'risk classes': rule.riskClasses && rule.riskClasses.join(', '),
    from: rule.statesFrom,
    until: rule.statesUntil,
  };
  const given = Object.entries(conditions).filter(([, value]) => value !== null);
  return { label, text: given.map(([name, value]) => `${name} ${value}`).join('; ') };
}

/** Names a record, so that a later one is noticed. Null: there is none. */
export function lifeText(
  newest: { readonly status: string; readonly recordedAt: Date } | null,
): string | null {
  return newest && `${newest.status}, recorded at ${newest.recordedAt.toISOString()}`;
}

export function storedRule(rule: SuppressionRule): StoredRule {
  return {
    rule: rule.rule,
    reason: rule.reason,
    balanceUpToCents: rule.balanceUpToCents === null ? null : String(rule.balanceUpToCents),
    originalUpToCents: rule.originalUpToCents === null ? null : String(rule.originalUpToCents),
    products: rule.products && [...rule.products],
    sectors: rule.sectors && [...rule.sectors],
    riskClasses: rule.riskClasses && [...rule.riskClasses],
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
  const { products, sectors, riskClasses } = rule;
  for (const [field, codes] of Object.entries({ products, sectors, risk_classes: riskClasses })) {
    if (codes?.length === 0) throw new PlainError('It must not be empty.', { field });
  }
  const { statesFrom, statesUntil } = rule;
  if (statesFrom !== null && statesUntil !== null && statesFrom > statesUntil) {
    throw new PlainError('The first day must not be after the last one.', { field: 'states_from' });
  }
}
