import type { Command } from 'commander';
import { formatMoney } from '../../platform/base/money.ts';
import { readTrialBalance } from '../../payments/house/trial-balance.ts';
import type { Sides, TrialBalance, TrialBalanceLine } from '../../payments/house/trial-balance.ts';
import { bookPeriod, command, fromBookOption, signerName, toBookOption } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { EXIT } from '../exit.ts';
import { table } from '../output.ts';
import { requireVendor } from '../parties/vendors.ts';
import { rowOf } from './report-output.ts';

interface Options {
  readonly json?: boolean;
  readonly from?: string;
  readonly to?: string;
  readonly vid?: string;
}

export function addTrialBalance(house: Command, cli: Cli): void {
  command(
    house,
    'trial-balance',
    'Every account of the house, and those of all vendors together, over a period: opening balance, debits, credits, and closing balance. Our float with an operator is one line, with what payments took from it; --json shows the parts. Exits with 1 unless debits equal credits.',
  )
    .addOption(fromBookOption())
    .addOption(toBookOption())
    .option('--vid <vid>', 'the accounts of this vendor instead', signerName)
    .action(async (options: Options) => {
      await cli.run(options, async ({ pool, wireTime }) => {
        const period = bookPeriod(options, wireTime);
        const { vid } = options;
        const vendor = vid === undefined ? undefined : await requireVendor(pool, vid);
        const balance = await readTrialBalance(pool, period, vendor?.vendorId ?? null);
        const { lines, total, isEven } = balance;
        return {
          json: {
            from: period.from.toISOString(),
            to: period.to.toISOString(),
            accounts: lines.map((line) => ({
              ...rowOf(ACCOUNT, line),
              parts: line.parts.map((part) => rowOf(ACCOUNT, part)),
            })),
            ...rowOf(SIDES, total),
            is_even: isEven,
          },
          text: accountsText(balance),
          exitCode: isEven ? EXIT.done : EXIT.failed,
        };
      });
    });
}

const SIDES = {
  opening_debit: (sides: Sides) => formatMoney(sides.openingDebitCents),
  opening_credit: (sides: Sides) => formatMoney(sides.openingCreditCents),
  debits: (sides: Sides) => formatMoney(sides.debitsCents),
  credits: (sides: Sides) => formatMoney(sides.creditsCents),
  debit: (sides: Sides) => formatMoney(sides.debitCents),
  credit: (sides: Sides) => formatMoney(sides.creditCents),
};

/** The columns of an account. */
export const ACCOUNT = {
  books: (line: TrialBalanceLine) => line.books,
  account: (line: TrialBalanceLine) => line.account,
  class: (line: TrialBalanceLine) => line.class,
  ...SIDES,
};

const amount = (cents: bigint): string => (cents === 0n ? '' : formatMoney(cents));

/** The accounts for people. */
export function accountsText({ lines, total }: TrialBalance): string {
  return table(
    [
      { title: 'BOOKS' },
      { title: 'ACCOUNT' },
      { title: 'CLASS' },
      { title: 'BEFORE', align: 'right' },
      { title: 'DEBITS', align: 'right' },
      { title: 'CREDITS', align: 'right' },
      { title: 'DEBIT', align: 'right' },
      { title: 'CREDIT', align: 'right' },
    ],
    [
      ...lines.map((line) => [
        line.books,
        line.account,
        line.class.replace('_', ' '),
        before(line),
        amount(line.debitsCents),
        amount(line.creditsCents),
        amount(line.debitCents),
        amount(line.creditCents),
      ]),
      [
        'total',
        '',
        '',
        '',
        formatMoney(total.debitsCents),
        formatMoney(total.creditsCents),
        formatMoney(total.debitCents),
        formatMoney(total.creditCents),
      ],
    ],
  );
}

/** Which side it is on, as accountants write it. */
function before({ openingDebitCents, openingCreditCents }: Sides): string {
  if (openingDebitCents > 0n) return `${formatMoney(openingDebitCents)} Dr`;
  return openingCreditCents > 0n ? `${formatMoney(openingCreditCents)} Cr` : '';
}
