import type { Command } from 'commander';
import { formatMoney } from '../../platform/base/money.ts';
import { readTrialBalance } from '../../payments/house/trial-balance.ts';
import type { Sides, TrialBalance, TrialBalanceLine } from '../../payments/house/trial-balance.ts';
import { bookPeriod, command, fromBookOption, signerName, toBookOption } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { EXIT } from '../exit.ts';
import { table } from '../output.ts';
import { requireVendor } from '../parties/vendors.ts';

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
              ...accountJson(line),
              parts: line.parts.map(accountJson),
            })),
            ...sidesJson(total),
            is_even: isEven,
          },
          text: accountsText(balance),
          exitCode: isEven ? EXIT.done : EXIT.failed,
        };
      });
    });
}

/** A line for programs. */
export function accountJson(line: TrialBalanceLine) {
  return { books: line.books, account: line.account, class: line.class, ...sidesJson(line) };
}

function sidesJson(sides: Sides) {
  return {
    opening_debit: formatMoney(sides.openingDebitCents),
    opening_credit: formatMoney(sides.openingCreditCents),
    debits: formatMoney(sides.debitsCents),
    credits: formatMoney(sides.creditsCents),
    debit: formatMoney(sides.debitCents),
    credit: formatMoney(sides.creditCents),
  };
}

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
