import { Type } from 'typebox';
import { OWN_CLASSES } from '../payments/house/account.ts';
import { view } from './definition.ts';
import type { Noun } from './definition.ts';
import { inputOf, reason, shortText, text, textOrNull, timeOrNull, titled } from './fields.ts';
import { proposing } from './proposing.ts';
import { wireOf } from './wire.ts';

const core = async () => await import('../payments/house/own-accounts.ts');

const accountView = Type.Object({
  account: text({ title: 'Account' }),
  class: Type.Enum([...OWN_CLASSES], { title: 'Class' }),
  title: text({ title: 'Title' }),
  added_at: timeOrNull({ title: 'Added', description: 'null: every installation has it' }),
  ...titled({ proposed_by: textOrNull, decided_by: textOrNull }),
});

export const CHART: Noun = {
  command: 'house chart',
  summary:
    'Accounts of the house for journals: the standard ones, and those that two people added.',
  definitions: [
    view(core, {
      name: 'chart.list',
      summary: 'The accounts that journals may use under their own names.',
      route: 'GET /chart',
      permission: 'finance.read',
      input: inputOf({}),
      output: Type.Object({ accounts: Type.Array(accountView) }),
      rows: 'accounts',
      empty: 'no accounts',
      handle: async ({ core: loaded, deps: { pool } }) => ({
        accounts: (await loaded.listOwnAccounts(pool)).map(wireOf),
      }),
    }),
    proposing(core, {
      name: 'chart.propose',
      summary:
        'Propose an account of a class. Another person approves it; then journals may use it.',
      route: 'POST /chart',
      permission: 'finance.act',
      proposes: 'house_account',
      input: inputOf({
        account: Type.String({
          pattern: `^((${OWN_CLASSES.join('|')}):[a-z0-9_-]{1,40}|bank:[a-z0-9_]{1,40})$`,
          form: 'a class, a colon and a name, such as liability:suppliers; or bank: and a code',
          description: 'its class and name, such as liability:suppliers, or bank:<code>',
          argument: true,
        }),
        title: shortText({ description: 'its name in reports' }),
        reason,
      }),
      make: async ({ core: { proposeAccount }, input, deps, viewer: { actor: by } }) => {
        const { reason: note, ...of } = input;
        return await proposeAccount(await deps.proposals(), { ...of, note, by });
      },
    }),
  ],
};
