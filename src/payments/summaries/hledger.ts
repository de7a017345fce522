import { formatMoney } from '../../platform/base/money.ts';
import type { AccountClass } from '../house/account.ts';
import type { NamedLine, WholeSummary } from './read-summaries.ts';
import { summaryNumber } from './summary.ts';

/** The account that hledger's own reports know the class by, and its type. */
const TYPES: Readonly<Record<AccountClass, readonly [name: string, type: string]>> = {
  asset: ['assets', 'A'],
  contra_asset: ['assets', 'A'],
  liability: ['liabilities', 'L'],
  contra_liability: ['liabilities', 'L'],
  equity: ['equity', 'E'],
  income: ['revenues', 'R'],
  expense: ['expenses', 'X'],
  clearing: ['clearing', 'A'],
};

/** A summary journal as hledger reads it. An account without a code has its own name below that of its class. Pure. */
export function hledgerJournal(
  { number, fromAt, toAt, lines }: WholeSummary,
  entries: readonly {
    readonly name: string;
    readonly day: string;
    readonly isLate: boolean;
    readonly lines: readonly NamedLine[];
  }[],
): string {
  const types = new Map(lines.map((line) => [accountOf(line), TYPES[line.class][1]]));
  const period = `${fromAt.toISOString()} to ${toAt.toISOString()}`;
  return [
    `; Malipo ${summaryNumber(number)}: posted from ${period}`,
    ...[...types].map(([account, type]) => `account ${account}  ; type:${type}`),
    ...entries.flatMap(({ name, day, isLate, lines: of }) => [
      '',
      `${day} (${name}) Malipo${isLate ? '  ; prior-period:' : ''}`,
      ...of.flatMap(postingsOf),
    ]),
    '',
  ].join('\n');
}

const accountOf = ({ code, class: of, account }: NamedLine): string =>
  code ?? `${TYPES[of][0]}:${account}`;

function postingsOf(line: NamedLine): string[] {
  const { account, vid, billerCode, operatorCode, debitCents, creditCents } = line;
  const tags = { account, vendor: vid, biller: billerCode, operator: operatorCode };
  const comment = Object.entries(tags)
    .flatMap(([name, value]) => (value === null ? [] : [`${name}:${value}`]))
    .join(', ');
  return [debitCents, -creditCents]
    .filter((cents) => cents !== 0n)
    .map((cents) => `    ${accountOf(line)}  KES ${formatMoney(cents)}  ; ${comment}`);
}
