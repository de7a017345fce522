import type { Command } from 'commander';
import { proposeSale, proposeSaleEnd } from '../../credit/decisions/propose.ts';
import { command } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { realDay } from './import.ts';
import { propose, proposing } from './proposals.ts';
import type { GroundsOptions } from './proposals.ts';
import { accountNumber, ofAccount, refOf } from './withdraw.ts';
import type { AccountOptions } from './withdraw.ts';

interface SaleOptions extends GroundsOptions, AccountOptions {
  readonly into: string;
  readonly soldOn: string;
}

/** Debts that were sold, and that two lenders submit. */
export function addSaleCommands(credit: Command, cli: Cli): void {
  const sale = credit.command('sale').description('Debts that one lender sold to another one.');
  const made = ofAccount(
    command(
      sale,
      'account',
      'Propose that an account was sold: from the sale on, the debt counts once, under the buyer’s account, with the history of both. Its retention counts from the sale if it was in default.',
    ),
  )
    .requiredOption(
      '--into <number>',
      'number of the buyer’s account in the registry',
      accountNumber,
    )
    .requiredOption('--sold-on <date>', 'day of the sale', realDay);
  proposing(made).action(async (options: SaleOptions) => {
    await cli.run(options, async (session) => {
      const { crn, accountId: from } = refOf(options);
      const debt = { crn, from, into: BigInt(options.into), soldOn: options.soldOn };
      const step = { session, options, about: ['sale', options.account] as const };
      return await propose(cli, step, (deps, grounds) => proposeSale(deps, debt, grounds));
    });
  });
  const undone = ofAccount(
    command(
      sale,
      'undo',
      'Propose that a recorded sale was wrong: both accounts count again, each by itself.',
    ),
  );
  proposing(undone).action(async (options: GroundsOptions & AccountOptions) => {
    await cli.run(options, async (session) => {
      const ref = refOf(options);
      const step = { session, options, about: ['sale-end', options.account] as const };
      return await propose(cli, step, (deps, grounds) => proposeSaleEnd(deps, ref, grounds));
    });
  });
}
