import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { isoDay } from '../../platform/base/days.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { proposeRule, proposeRuleEnd } from '../../credit/decisions/propose.ts';
import { PRODUCT_TYPES, RISK_CLASSES } from '../../credit/facts.ts';
import type { ProductType, RiskClass } from '../../credit/facts.ts';
import type { SuppressionRule } from '../../credit/registry/suppression.ts';
import {
  listSuppressionChanges,
  readSuppressionRules,
} from '../../credit/registry/suppression-store.ts';
import { SECTORS } from '../../parties/vendor.ts';
import type { Sector } from '../../parties/vendor.ts';
import { code, command, money, requireSome, wholeNumber } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { realDay } from './import.ts';
import { propose, proposing } from './proposals.ts';
import type { GroundsOptions } from './proposals.ts';
import { table } from '../output.ts';

interface Conditions {
  readonly balanceUpTo?: bigint;
  readonly originalUpTo?: bigint;
  readonly products?: readonly ProductType[];
  readonly sectors?: readonly Sector[];
  readonly riskClasses?: readonly RiskClass[];
  readonly statesFrom?: string;
  readonly statesUntil?: string;
}

const CONDITIONS = [
  'balanceUpTo',
  'originalUpTo',
  'products',
  'sectors',
  'riskClasses',
  'statesFrom',
  'statesUntil',
] as const satisfies readonly (keyof Conditions)[];

/** Negative information that must not be shown or scored. */
export function addSuppressionCommands(credit: Command, cli: Cli): void {
  const suppression = credit
    .command('suppression')
    .description('Rules for negative information that is neither shown nor scored.');
  addList(suppression, cli);
  addSet(suppression, cli);
  addRemove(suppression, cli);
  addChanges(suppression, cli);
}

function addList(suppression: Command, cli: Cli): void {
  command(suppression, 'list', 'Rules in force.').action(async (options: { json?: boolean }) => {
    await cli.run(options, async ({ pool }) => {
      const rules = await readSuppressionRules(pool);
      return {
        json: { rules: rules.map(jsonOf) },
        text: table(
          [{ title: 'RULE' }, { title: 'CONDITIONS' }, { title: 'REASON' }],
          rules.map((rule) => [rule.rule, conditionsText(rule), rule.reason]),
          'no rule: everything is shown and scored',
        ),
      };
    });
  });
}

function addSet(suppression: Command, cli: Cli): void {
  const made = command(
    suppression,
    'set <rule>',
    'Propose a rule, which replaces one of the same name. It applies if all given conditions hold, from the first request after another person has approved it.',
  )
    .option('--balance-up-to <amount>', 'states with a balance of at most this, in KES', money)
    .option(
      '--original-up-to <amount>',
      'accounts with an original amount of at most this, in KES',
      money,
    )
    .option(
      '--products <codes>',
      `separated by commas, of ${PRODUCT_TYPES.join(', ')}`,
      listOf(PRODUCT_TYPES),
    )
    .option(
      '--sectors <sectors>',
      `of lenders, separated by commas: ${SECTORS.join(', ')}`,
      listOf(SECTORS),
    )
    .option(
      '--risk-classes <codes>',
      `separated by commas, of ${RISK_CLASSES.join(', ')}`,
      listOf(RISK_CLASSES),
    )
    .option('--states-from <date>', 'states as of this day or later, YYYY-MM-DD', realDay)
    .option('--states-until <date>', 'states as of this day or earlier, YYYY-MM-DD', realDay);
  proposing(made).action(async (name: string, options: Conditions & GroundsOptions) => {
    await cli.run(options, async (session) => {
      const rule = ruleOf(code(name), options);
      const step = { session, options, about: ['rule', rule.rule] as const };
      return await propose(cli, step, (deps, grounds) => proposeRule(deps, rule, grounds));
    });
  });
}

/** Throws: `UsageError` without a condition. */
function ruleOf(rule: string, given: Conditions & { readonly reason: string }): SuppressionRule {
  requireSome(given, CONDITIONS);
  const { statesFrom, statesUntil } = given;
  return {
    rule,
    reason: given.reason,
    balanceUpToCents: given.balanceUpTo ?? null,
    originalUpToCents: given.originalUpTo ?? null,
    products: given.products ?? null,
    sectors: given.sectors ?? null,
    riskClasses: given.riskClasses ?? null,
    statesFrom: statesFrom === undefined ? null : new Date(`${statesFrom}T00:00:00Z`),
    statesUntil: statesUntil === undefined ? null : new Date(`${statesUntil}T00:00:00Z`),
  };
}

function addRemove(suppression: Command, cli: Cli): void {
  proposing(
    command(
      suppression,
      'remove <rule>',
      'Propose the end of a rule. What it covered is shown and scored again from the first request after another person has approved it.',
    ),
  ).action(async (name: string, options: GroundsOptions) => {
    await cli.run(options, async (session) => {
      const rule = code(name);
      const step = { session, options, about: ['rule-end', rule] as const };
      return await propose(cli, step, (deps, grounds) => proposeRuleEnd(deps, rule, grounds));
    });
  });
}

function addChanges(suppression: Command, cli: Cli): void {
  command(suppression, 'changes', 'When rules were set and removed, and why, newest first.')
    .option('--limit <count>', 'at most this many', wholeNumber(1, 10_000), 100)
    .action(async (options: { json?: boolean; limit: number }) => {
      await cli.run(options, async ({ pool, wireTime }) => {
        const changes = await listSuppressionChanges(pool, options.limit);
        return {
          json: {
            changes: changes.map((change) => ({
              rule: change.rule,
              changed: wireTime.format(change.changedAt),
              reason: change.reason,
              became: change.became,
            })),
          },
          text: table(
            [{ title: 'CHANGED' }, { title: 'RULE' }, { title: 'WHAT' }, { title: 'REASON' }],
            changes.map(({ rule, changedAt, reason, became }) => [
              wireTime.format(changedAt),
              rule,
              became === null ? 'removed' : 'set',
              reason,
            ]),
            'no change since the registry began',
          ),
        };
      });
    });
}

/** A parser of comma-separated codes. */
function listOf<Code extends string>(codes: readonly Code[]): (text: string) => Code[] {
  return (text) =>
    [...new Set(text.split(','))].map((given) => {
      const known = codes.find((one) => one === given);
      if (known === undefined) {
        throw new InvalidArgumentError(
          `They must be some of ${codes.join(', ')}, comma-separated.`,
        );
      }
      return known;
    });
}

function jsonOf(rule: SuppressionRule) {
  return {
    rule: rule.rule,
    reason: rule.reason,
    balance_up_to: rule.balanceUpToCents === null ? null : formatMoney(rule.balanceUpToCents),
    original_up_to: rule.originalUpToCents === null ? null : formatMoney(rule.originalUpToCents),
    products: rule.products,
    sectors: rule.sectors,
    risk_classes: rule.riskClasses,
    states_from: rule.statesFrom && isoDay(rule.statesFrom),
    states_until: rule.statesUntil && isoDay(rule.statesUntil),
  };
}

function conditionsText(rule: SuppressionRule): string {
  const shown = jsonOf(rule);
  return [
    shown.balance_up_to === null ? '' : `balance up to ${shown.balance_up_to}`,
    shown.original_up_to === null ? '' : `original amount up to ${shown.original_up_to}`,
    shown.products === null ? '' : `product ${shown.products.join(', ')}`,
    shown.sectors === null ? '' : `sector ${shown.sectors.join(', ')}`,
    shown.risk_classes === null ? '' : `risk class ${shown.risk_classes.join(', ')}`,
    shown.states_from === null ? '' : `from ${shown.states_from}`,
    shown.states_until === null ? '' : `until ${shown.states_until}`,
  ]
    .filter((condition) => condition !== '')
    .join('; ');
}
