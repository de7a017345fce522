import { Type } from 'typebox';
import { OWN_CLASSES } from '../payments/house/account.ts';
import { action, view } from './definition.ts';
import type { Noun } from './definition.ts';
import { inputOf, reason, shortText, text, textOrNull, timeOrNull, titled } from './fields.ts';
import { proposalView } from './proposal-schema.ts';

const core = async () => ({
  ...(await import('../payments/house/own-accounts.ts')),
  ...(await import('./proposal-core.ts')),
});

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
        accounts: (await loaded.listOwnAccounts(pool)).map(
          ({ addedAt, proposedBy, decidedBy, ...of }) => ({
            ...of,
            added_at: addedAt?.toISOString() ?? null,
            ...{ proposed_by: proposedBy, decided_by: decidedBy },
          }),
        ),
      }),
    }),
    action(core, {
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
      output: Type.Object({ proposal: proposalView }),
      handle: async ({ core: loaded, input, deps, viewer }) => {
        const { account, title, reason: note } = input;
        const row = await loaded.proposeAccount(await deps.proposals(), {
          ...{ account, title, note, by: viewer.actor },
        });
        const { result: proposal, audit } = await loaded.proposedAnswer(row, deps, viewer);
        return { result: { proposal }, audit };
      },
    }),
  ],
};
