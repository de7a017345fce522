import { Type } from 'typebox';
import {
  accountNumber,
  NAMES_SUBJECT,
  ofAccount,
  ofSubject,
  proposingCredit,
} from './credit-fields.ts';
import { view } from './definition.ts';
import type { Noun } from './definition.ts';
import { day, inputOf, text, time, titled } from './fields.ts';
import { byPlace, list } from './lists.ts';
import { readDay } from '../platform/base/times.ts';
import { Refusal } from '../platform/base/errors.ts';
import { wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../credit/registry/read-withdrawals.ts')),
  ...(await import('../credit/watches/read-watches.ts')),
  ...(await import('../parties/read-vendors.ts')),
});

interface Account {
  readonly crn: string;
  readonly account: string;
}

const refOf = ({ crn, account }: Account) => ({ crn: BigInt(crn), accountId: BigInt(account) });

const BY_ACCOUNT = byPlace(/^(\d{1,18}) (\d{1,18})$/, ([crn = '', account = '']) =>
  refOf({ crn, account }),
);

const recipients = Type.Object({
  recipients: Type.Array(
    Type.Object({
      asked_by: text({ title: 'Asked by' }),
      answers: Type.Integer({ title: 'Answers', unit: 'count' }),
      ...titled({ first_at: time, last_at: time }),
    }),
  ),
  watching: Type.Array(
    Type.Object({ vid: text({ title: 'Watched the person' }), since: time({ title: 'Since' }) }),
  ),
});

/** Accounts that were listed wrongly. */
export const CREDIT_WITHDRAWALS: Noun = {
  command: 'credit withdraw',
  summary: 'Accounts that were listed wrongly.',
  definitions: [
    proposingCredit(
      {
        name: 'credit-withdrawal.account',
        summary:
          'Propose to withdraw an account: it leaves every answer and score, also when the lender submits it again. What was recorded about it stays for the audit.',
        path: 'withdrawal',
        proposes: 'credit_account',
      },
      ofAccount,
      async ({ core: { proposeWithdrawal }, input, deps, grounds }) =>
        await proposeWithdrawal(deps, refOf(input), grounds),
    ),
    view(core, {
      name: 'credit-withdrawal.recipients',
      summary:
        'Who received an answer with an account, or watched its person, until it was withdrawn: tell them.',
      route: 'POST /credit/withdrawals/recipients',
      permission: 'credit.reports',
      isNoted: true,
      input: inputOf(ofAccount),
      output: recipients,
      handle: async ({ core: loaded, input, deps: { pool } }) => {
        const spans = await loaded.readShownSpans(pool, refOf(input));
        const vids = await loaded.readVids(pool);
        const watching = await loaded.listWatchesDuring(pool, spans);
        return {
          recipients: wireOf(await loaded.listRecipients(pool, spans)),
          watching: watching.map(({ vendorId, startedAt }) => ({
            vid: vids.get(vendorId) ?? String(vendorId),
            since: startedAt.toISOString(),
          })),
        };
      },
    }),
    list(core, BY_ACCOUNT, {
      name: 'credit-withdrawal.list',
      summary: 'Withdrawn accounts, newest first.',
      route: 'GET /credit/withdrawals',
      permission: 'credit.reports',
      isNoted: true,
      rows: 'withdrawals',
      row: Type.Object(
        titled({ crn: text, account: text, lender: text, withdrawn_at: time, reason: text }),
      ),
      empty: 'no account was withdrawn',
      read: async ({ core: { listWithdrawals }, deps: { pool } }, page) =>
        await listWithdrawals(pool, page),
      placeOf: ({ crn, accountId }) => [crn, accountId],
      show: (shown) => shown.map(({ accountId, ...row }) => wireOf({ ...row, account: accountId })),
    }),
  ],
};

/** Debts that were sold, and that two lenders submit. */
export const CREDIT_SALES: Noun = {
  command: 'credit sale',
  summary: 'Debts that one lender sold to another one.',
  definitions: [
    proposingCredit(
      {
        name: 'credit-sale.account',
        summary:
          'Propose that an account was sold: from the sale on, the debt counts once, under the buyer’s account, with the history of both. Its retention counts from the sale if it was in default.',
        path: 'sale',
        proposes: 'credit_account',
      },
      {
        ...ofAccount,
        into: accountNumber('number of the buyer’s account in the registry'),
        sold_on: day({ description: 'day of the sale' }),
      },
      async ({ core: { proposeSale }, input, deps, grounds }) => {
        const { crn, accountId: from } = refOf(input);
        const soldOn = readDay(input.sold_on, 'sold_on');
        return await proposeSale(deps, { crn, from, into: BigInt(input.into), soldOn }, grounds);
      },
    ),
    proposingCredit(
      {
        name: 'credit-sale.undo',
        summary:
          'Propose that a recorded sale was wrong: both accounts count again, each by itself.',
        path: 'sale-end',
        proposes: 'credit_account',
      },
      ofAccount,
      async ({ core: { proposeSaleEnd }, input, deps, grounds }) =>
        await proposeSaleEnd(deps, refOf(input), grounds),
    ),
  ],
};

function proposingLife(
  verb: 'set' | 'clear',
  summary: string,
  more: { readonly died_on?: ReturnType<typeof Type.Optional<ReturnType<typeof day>>> },
) {
  return proposingCredit(
    {
      name: `credit-life.${verb}`,
      summary,
      path: verb === 'set' ? 'death' : 'life',
      proposes: 'credit_life',
      needsOne: NAMES_SUBJECT,
    },
    { ...ofSubject, ...more },
    async ({ core: { crnOf, proposeLife }, input, deps, grounds, staff }) => {
      const given = input as Parameters<typeof crnOf>[1] & { readonly died_on?: string };
      const crn = await crnOf(await staff.credit(), given);
      const diedOn = given.died_on === undefined ? null : readDay(given.died_on, 'died_on');
      if (diedOn !== null && diedOn > staff.wireTime.format(staff.clock.now()).slice(0, 10)) {
        const says = 'died_on must not be in the future';
        throw new Refusal('invalid_field', { field: 'died_on', text: says });
      }
      const status = verb === 'set' ? 'deceased' : 'living';
      return await proposeLife(deps, { crn, status, diedOn }, grounds);
    },
  );
}

export const CREDIT_LIVES: Noun = {
  command: 'credit deceased',
  summary: 'Deaths of subjects. A deceased subject gets no score.',
  definitions: [
    proposingLife('set', 'Propose to record that a subject died.', {
      died_on: Type.Optional(day({ description: 'day of death, where it is known' })),
    }),
    proposingLife(
      'clear',
      'Propose to record that a subject is alive: earlier records, and deaths that lenders reported until now, no longer count.',
      {},
    ),
  ],
};
