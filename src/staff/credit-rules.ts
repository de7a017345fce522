import { Type } from 'typebox';
import type { Static, TProperties } from 'typebox';
import type { SuppressionRule } from '../credit/registry/suppression.ts';
import { PRODUCT_TYPES, RISK_CLASSES } from '../credit/facts.ts';
import { SECTORS } from '../parties/vendor.ts';
import { isoDay } from '../platform/base/days.ts';
import { parseMoney } from '../platform/base/money.ts';
import { proposingCredit } from './credit-fields.ts';
import { view } from './definition.ts';
import type { Noun } from './definition.ts';
import * as fields from './fields.ts';
import { moneyOrNull, NOTHING, orNull, text, textOrNull, titled } from './fields.ts';
import { BY_ID, list } from './lists.ts';
import type { PageOf } from './lists.ts';
import { readDay } from '../platform/base/times.ts';
import { wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../credit/registry/read-suppression.ts')),
  ...(await import('./case-core.ts')),
});

const rule = Type.Object({
  rule: text({ title: 'Rule' }),
  /** The conditions in words. The rule applies where all of them hold. */
  ...titled({ conditions: text, reason: text }),
  // Null: it always holds.
  balance_up_to: moneyOrNull(),
  original_up_to: moneyOrNull(),
  products: orNull(Type.Array(Type.Enum([...PRODUCT_TYPES]))),
  sectors: orNull(Type.Array(Type.Enum([...SECTORS]))),
  risk_classes: orNull(Type.Array(Type.Enum([...RISK_CLASSES]))),
  states_from: textOrNull(),
  states_until: textOrNull(),
});
const rules = Type.Object({ rules: Type.Array(rule) });
export type RuleList = Static<typeof rules>;
export type RuleView = Static<typeof rule>;

export function ruleView({ statesFrom, statesUntil, ...given }: SuppressionRule): RuleView {
  const days = {
    states_from: statesFrom && isoDay(statesFrom),
    states_until: statesUntil && isoDay(statesUntil),
  };
  const shown = { ...wireOf(given), ...days };
  const conditions = Object.entries(CONDITIONS)
    .map(([name, says]) => ({ says, value: shown[name as keyof typeof CONDITIONS] }))
    .filter(({ value }) => value !== null)
    .map(({ says, value }) => `${says} ${[value].flat().join(', ')}`);
  return { ...shown, conditions: conditions.join('; ') };
}

const CONDITIONS = {
  balance_up_to: 'balance up to',
  original_up_to: 'original amount up to',
  products: 'product',
  sectors: 'sector',
  risk_classes: 'risk class',
  states_from: 'from',
  states_until: 'until',
} as const;

const change = Type.Object({
  change: text(),
  ...titled({ changed_at: fields.time, rule: text }),
  /** The rule from then on; null: it was removed. */
  became: orNull(Type.Record(Type.String(), Type.Unknown()), {
    title: 'What',
    text: (became: object | null) => (became === null ? 'removed' : 'set'),
  }),
  reason: text({ title: 'Reason' }),
});
export type RuleChanges = PageOf<'changes', typeof change>;

/** An option with codes that are separated by commas. */
function codes<Code extends string>(known: readonly Code[], option: string, description: string) {
  const read = (given: string): readonly string[] | undefined => {
    const found = [...new Set(given.split(','))];
    return found.every((each) => known.includes(each as Code)) ? found : undefined;
  };
  const form = `some of ${known.join(', ')}, separated by commas`;
  const spelt = [{ option, placeholder: 'codes', read, form }];
  return Type.Optional(
    Type.Array(Type.Enum([...known]), { minItems: 1, uniqueItems: true, description, spelt, form }),
  );
}

const ruleName = (): ReturnType<typeof text> =>
  text({
    pattern: '^[a-z0-9_]{1,60}$',
    form: '1 to 60 lower-case letters, digits or underscores',
    description: 'name of the rule',
    argument: true,
  });

const given = {
  rule: ruleName(),
  balance_up_to: Type.Optional(
    fields.amount({ description: 'states with a balance of at most this, in KES' }),
  ),
  original_up_to: Type.Optional(
    fields.amount({ description: 'accounts with an original amount of at most this, in KES' }),
  ),
  products: codes(PRODUCT_TYPES, 'products', `of ${PRODUCT_TYPES.join(', ')}`),
  sectors: codes(SECTORS, 'sectors', `of lenders: ${SECTORS.join(', ')}`),
  risk_classes: codes(RISK_CLASSES, 'risk-classes', `of ${RISK_CLASSES.join(', ')}`),
  states_from: Type.Optional(fields.day({ description: 'states as of this day or later' })),
  states_until: Type.Optional(fields.day({ description: 'states as of this day or earlier' })),
} satisfies TProperties;

type GivenRule = Static<ReturnType<typeof Type.Object<typeof given>>>;

/** Throws: `invalid_field`. */
function ruleOf(input: GivenRule, reason: string): SuppressionRule {
  const cents = (name: 'balance_up_to' | 'original_up_to'): bigint | null =>
    input[name] === undefined ? null : parseMoney(input[name], name);
  const dateOf = (name: 'states_from' | 'states_until'): Date | null =>
    input[name] === undefined ? null : new Date(`${readDay(input[name], name)}T00:00:00Z`);
  return {
    ...{ rule: input.rule, reason: reason.trim() },
    balanceUpToCents: cents('balance_up_to'),
    originalUpToCents: cents('original_up_to'),
    products: input.products ?? null,
    sectors: input.sectors ?? null,
    riskClasses: input.risk_classes ?? null,
    statesFrom: dateOf('states_from'),
    statesUntil: dateOf('states_until'),
  };
}

export const CREDIT_RULES: Noun = {
  command: 'credit suppression',
  summary: 'Rules for negative information that is neither shown nor scored.',
  definitions: [
    view(core, {
      name: 'credit-rule.list',
      summary: 'Rules in force.',
      route: 'GET /credit/rules',
      permission: 'credit.read',
      input: NOTHING,
      output: rules,
      rows: 'rules',
      empty: 'no rule: everything is shown and scored',
      handle: async ({ core: { readSuppressionRules }, deps: { pool } }) => ({
        rules: (await readSuppressionRules(pool)).map(ruleView),
      }),
    }),
    proposingCredit(
      {
        name: 'credit-rule.set',
        summary:
          'Propose a rule, which replaces one of the same name. It applies if all given conditions hold, from the first request after another person has approved it.',
        path: 'rule',
        proposes: 'credit_rule',
        needsOne: Object.keys(CONDITIONS),
      },
      given,
      async ({ core: { proposeRule }, input, deps, grounds }) =>
        await proposeRule(deps, ruleOf(input, grounds.reason), grounds),
    ),
    proposingCredit(
      {
        name: 'credit-rule.remove',
        summary:
          'Propose the end of a rule. What it covered is shown and scored again from the first request after another person has approved it.',
        path: 'rule-end',
        proposes: 'credit_rule',
      },
      { rule: ruleName() },
      async ({ core: { proposeRuleEnd }, input, deps, grounds }) =>
        await proposeRuleEnd(deps, input.rule, grounds),
    ),
    list(core, BY_ID, {
      name: 'credit-rule.changes',
      summary: 'When rules were set and removed, and why, newest first.',
      route: 'GET /credit/rule-changes',
      permission: 'credit.read',
      rows: 'changes',
      row: change,
      empty: 'no change since the registry began',
      read: async ({ core: loaded, deps: { pool } }, page) =>
        await loaded.listSuppressionChanges(pool, page),
      placeOf: ({ changeId }) => changeId,
      show: (shown, { core: { factsOf } }) =>
        shown.map(({ changeId, became, ...row }) => ({
          ...wireOf({ change: changeId, ...row }),
          became: became && factsOf(became),
        })),
    }),
  ],
};
