import type { Command } from 'commander';
import { proposeWithdrawal } from '../../credit/decisions/propose.ts';
import {
  listRecipients,
  listWithdrawals,
  readShownSpans,
} from '../../credit/registry/withdrawals-store.ts';
import type { AccountRef } from '../../credit/registry/withdrawals-store.ts';
import { listWatchesDuring } from '../../credit/watches/lists-store.ts';
import { readVids } from '../../parties/store.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { command, like, wholeNumber } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { table } from '../output.ts';
import type { Answer } from '../output.ts';
import { propose, proposing } from './proposals.ts';
import type { GroundsOptions } from './proposals.ts';
import { crnNumber } from './subject.ts';

export const accountNumber = like({ pattern: '^\\d{1,18}$', form: 'a number of an account' });

export interface AccountOptions {
  readonly crn: string;
  readonly account: string;
}

/** Accounts that were listed wrongly. */
export function addWithdrawCommands(credit: Command, cli: Cli): void {
  const withdraw = credit.command('withdraw').description('Accounts that were listed wrongly.');
  addAccount(withdraw, cli);
  addRecipients(withdraw, cli);
  addList(withdraw, cli);
}

export function ofAccount(made: Command): Command {
  return made
    .requiredOption('--crn <crn>', 'reference of the person', crnNumber)
    .requiredOption('--account <number>', 'number of the account in the registry', accountNumber);
}

export function refOf({ crn, account }: AccountOptions): AccountRef {
  return { crn: BigInt(crn), accountId: BigInt(account) };
}

function addAccount(withdraw: Command, cli: Cli): void {
  proposing(
    ofAccount(
      command(
        withdraw,
        'account',
        'Propose to withdraw an account: it leaves every answer and score, also when the lender submits it again. What was recorded about it stays for the audit.',
      ),
    ),
  ).action(async (options: GroundsOptions & AccountOptions) => {
    await cli.run(options, async (session) => {
      const ref = refOf(options);
      const step = { session, options, about: ['withdrawal', options.account] as const };
      return await propose(cli, step, (deps, grounds) => proposeWithdrawal(deps, ref, grounds));
    });
  });
}

function addRecipients(withdraw: Command, cli: Cli): void {
  ofAccount(
    command(
      withdraw,
      'recipients',
      'Who received an answer with an account, or watched its person, until it was withdrawn: tell them.',
    ),
  ).action(async (options: AccountOptions & { json?: boolean }) => {
    await cli.run(options, async ({ pool, wireTime }) =>
      recipientsAnswer(pool, wireTime, refOf(options)),
    );
  });
}

async function recipientsAnswer(
  db: Queryable,
  wireTime: WireTime,
  ref: AccountRef,
): Promise<Answer> {
  const spans = await readShownSpans(db, ref);
  const vids = await readVids(db);
  const watching = (await listWatchesDuring(db, spans)).map((one) => ({
    vid: vids.get(one.vendorId) ?? String(one.vendorId),
    since: wireTime.format(one.startedAt),
  }));
  const recipients = (await listRecipients(db, spans)).map((one) => ({
    asked_by: one.askedBy,
    answers: one.answers,
    first: wireTime.format(one.firstAt),
    last: wireTime.format(one.lastAt),
  }));
  const answers = table(
    [
      { title: 'ASKED BY' },
      { title: 'ANSWERS', align: 'right' },
      { title: 'FIRST' },
      { title: 'LAST' },
    ],
    recipients.map((one) => [one.asked_by, String(one.answers), one.first, one.last]),
    'nobody was answered with it',
  );
  const watches = table(
    [{ title: 'WATCHED THE PERSON' }, { title: 'SINCE' }],
    watching.map((one) => [one.vid, one.since]),
    'nobody watched the person',
  );
  return { json: { recipients, watching }, text: `${answers}\n${watches}` };
}

function addList(withdraw: Command, cli: Cli): void {
  command(withdraw, 'list', 'Withdrawn accounts, newest first.')
    .option('--limit <count>', 'at most this many', wholeNumber(1, 10_000), 100)
    .action(async (options: { json?: boolean; limit: number }) => {
      await cli.run(options, async ({ pool, wireTime }) => {
        const withdrawals = (await listWithdrawals(pool, options.limit)).map((one) => ({
          crn: String(one.crn),
          account: String(one.accountId),
          lender: one.lender,
          withdrawn: wireTime.format(one.withdrawnAt),
          reason: one.reason,
        }));
        return {
          json: { withdrawals },
          text: table(
            ['CRN', 'ACCOUNT', 'LENDER', 'WITHDRAWN', 'REASON'].map((title) => ({ title })),
            withdrawals.map((one) => Object.values(one)),
            'no account was withdrawn',
          ),
        };
      });
    });
}
