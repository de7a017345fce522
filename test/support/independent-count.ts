/**
 * Computes the expected answers of the scoring operations from the text of lenders' files. Written from
 * docs/reference/credit-fields.md without the service's code, so that a mistake in either one is found.
 */

/** A file of the mobile template as a lender submitted it. */
export interface SubmittedFile {
  readonly lender: string;
  readonly sector: string;
  /** `YYYY-MM-DD` */
  readonly asOf: string;
  readonly text: string;
}

type Row = Readonly<Record<string, string>>;

interface Monthly {
  readonly row: Row;
  readonly asOf: string;
}

interface Account {
  readonly lender: string;
  readonly sector: string;
  /** The oldest first. */
  readonly months: readonly Monthly[];
}

/** Accounts of everybody in the files, by PrimaryIDType and PrimaryIDNumber. */
export function accountsByPerson(files: readonly SubmittedFile[]): Map<string, Account[]> {
  const accounts = new Map<string, Account & { months: Monthly[] }>();
  const people = new Map<string, Account[]>();
  for (const file of files.toSorted((a, b) => (a.asOf < b.asOf ? -1 : 1))) {
    for (const row of rowsOf(file.text)) {
      const key = `${file.lender}|${row['AccountNumber']}`;
      let account = accounts.get(key);
      if (account === undefined) {
        account = { lender: file.lender, sector: file.sector, months: [] };
        accounts.set(key, account);
        const person = `${row['PrimaryIDType']} ${row['PrimaryIDNumber']}`;
        people.set(person, [...(people.get(person) ?? []), account]);
      }
      account.months.push({ row, asOf: file.asOf });
    }
  }
  return people;
}

function rowsOf(text: string): Row[] {
  const [header = '', ...lines] = text.trimEnd().split('\n');
  const names = header.split(',');
  return lines.map((line) => {
    const values = line.split(',');
    return Object.fromEntries(names.map((name, at) => [name, values[at] ?? '']));
  });
}

const cents = (amount = ''): number => Math.round(Number(amount) * 100);

/** Small debts are not negative information. */
function isSuppressed({ row }: Monthly): boolean {
  return cents(row['CurrentBalanceKES']) <= 1_000_00;
}

function isBad(account: Account, month: Monthly): boolean {
  if (isSuppressed(month)) return false;
  const { row } = month;
  if ('CDEJ'.includes(row['AccountStatus'] ?? '')) return true;
  const days = Number(row['DaysInArrears']);
  const short =
    row['AccountProductType'] === 'I' || /^(microfinance|mobile_lender)$/.test(account.sector);
  const late = days > (short ? 30 : 90);
  const classed = 'CDE'.includes(row['PrudentialRiskClassification'] ?? '');
  return cents(row['OverdueBalance']) >= 1_000_00 && (late || classed);
}

interface Judged {
  readonly account: Account;
  readonly mine: boolean;
  readonly mobile: boolean;
  readonly closed: boolean;
  readonly disputed: boolean;
  readonly npa: boolean;
  readonly withDh: boolean;
  readonly openedOn: string;
  readonly originalCents: number;
  readonly arrears: string;
  readonly balanceCents: number;
  readonly overdueCents: number;
  readonly days: number;
  /** The arrears of every month that may count against the person. */
  readonly history: readonly { readonly days: number; readonly overdueCents: number }[];
  readonly asOf: string;
}

function judge(account: Account, mySector: string): Judged {
  const newest = account.months.at(-1) ?? { row: {}, asOf: '' };
  const disputed = newest.row['AccountStatus'] === 'P';
  const npa = !disputed && isBad(account, newest);
  const everBad = account.months.some((month) => isBad(account, month));
  const overdue = disputed || isSuppressed(newest) ? 0 : cents(newest.row['OverdueBalance']);
  return {
    account,
    mine: account.sector === mySector,
    mobile: newest.row['AccountProductType'] === 'I',
    closed: 'AH'.includes(newest.row['AccountStatus'] ?? ''),
    disputed,
    npa,
    withDh: !disputed && !npa && everBad,
    openedOn: newest.row['DisbursementDate'] ?? '',
    originalCents: cents(newest.row['OriginalAmount']),
    arrears: shillings(overdue),
    balanceCents: cents(newest.row['CurrentBalanceKES']),
    overdueCents: overdue,
    days: disputed || isSuppressed(newest) ? 0 : Number(newest.row['DaysInArrears']),
    history: account.months
      .filter((month) => !disputed && !isSuppressed(month))
      .map(({ row }) => ({
        days: Number(row['DaysInArrears']),
        overdueCents: cents(row['OverdueBalance']),
      })),
    asOf: newest.asOf,
  };
}

function shillings(amountCents: number): string {
  return (amountCents / 100).toFixed(2);
}

function monthsSince(day: string, today: string): number {
  const [y = 0, m = 0, d = 0] = [day.slice(0, 4), day.slice(4, 6), day.slice(6)].map(Number);
  const [y2 = 0, m2 = 0, d2 = 0] = today.split('-').map(Number);
  return (y2 - y) * 12 + (m2 - m) - (d2 < d ? 1 : 0);
}

/** Counts of both operations by name, each as `[mySector, otherSectors]`. */
export interface Counted {
  readonly pairs: Readonly<Record<string, readonly [string, string]>>;
  readonly creditActive: string;
  /** The possible principals of the last loan: several loans of one day cannot be distinguished. */
  readonly lastPrincipals: readonly [readonly string[], readonly string[]];
  /** `YYYY-MM-DD`, or null. */
  readonly lastListing: string | null;
  /** `status arrears`, sorted. */
  readonly list: readonly string[];
}

/** @param today the day of the enquiry, `YYYY-MM-DD`. */
export function countPerson(
  accounts: readonly Account[],
  mySector: string,
  today: string,
): Counted {
  const judged = accounts.map((account) => judge(account, mySector));
  const sides = [judged.filter(({ mine }) => mine), judged.filter(({ mine }) => !mine)] as const;
  const pair = (measure: (side: readonly Judged[]) => string): readonly [string, string] => [
    measure(sides[0]),
    measure(sides[1]),
  ];
  const count = (counts: (one: Judged) => boolean): readonly [string, string] =>
    pair((side) => String(side.filter(counts).length));
  const amount = (measure: (principals: readonly number[]) => number): readonly [string, string] =>
    pair((side) => shillings(measure(principalsOf(side))));
  return {
    creditActive: String(judged.some(({ closed }) => !closed)),
    lastPrincipals: [lastOf(sides[0]), lastOf(sides[1])],
    lastListing:
      sides[1]
        .filter(({ mobile }) => mobile)
        .map(firstListed)
        .toSorted()
        .at(-1) ?? null,
    list: judged
      .map((one) => `${one.npa ? 'DEFAULT' : one.closed ? 'CLOSED' : 'ACTIVE'} ${one.arrears}`)
      .toSorted(),
    pairs: {
      arrearsNone: count(({ days }) => days === 0),
      arrears30Days: count(({ days }) => days > 0 && days < 31),
      arrears60Days: count(({ days }) => days > 30 && days < 61),
      arrears90Days: count(({ days }) => days > 60 && days < 91),
      arrearsGT90Days: count(({ days }) => days > 90),
      currentAccountsInArrears: count(({ days }) => days > 0),
      maxArrearDays: pair((side) => String(Math.max(0, ...historyOf(side).map((one) => one.days)))),
      maxArrears: pair((side) =>
        shillings(Math.max(0, ...historyOf(side).map((one) => one.overdueCents))),
      ),
      totalArrears: pair((side) => shillings(total(side.map((one) => one.overdueCents)))),
      totalBalance: pair((side) => shillings(total(side.map((one) => one.balanceCents)))),
      staleAccounts: count(({ closed, asOf }) => !closed && daysBetween(asOf, today) > 62),
      // Only the vendor itself enquires in this test, and its own recent enquiries do not count.
      enquiries30Days: ['0', '0'],
      enquiries90Days: ['0', '0'],
      enquiries365Days: ['0', '0'],
      // No line of the files is about a guarantor.
      guaranteedAccounts: ['0', '0'],
      guaranteedBalance: ['0.00', '0.00'],
      disputedAccounts: count(({ disputed }) => disputed),
      creditHistory: pair((side) =>
        String(Math.max(0, ...side.map(({ openedOn }) => monthsSince(openedOn, today)))),
      ),
      mobiLoanAccounts: count((one) => one.mobile),
      npaAccounts: count((one) => one.npa),
      npaClosedAccounts: count((one) => one.npa && one.closed),
      npaClosedMobiLoanAccounts: count((one) => one.npa && one.closed && one.mobile),
      npaOpenAccounts: count((one) => one.npa && !one.closed),
      npaOpenMobiLoanAccounts: count((one) => one.npa && !one.closed && one.mobile),
      paAccounts: count((one) => !one.npa),
      paAccountsWithDh: count((one) => one.withDh),
      paClosedAccounts: count((one) => !one.npa && one.closed),
      paClosedAccountsWithDh: count((one) => one.withDh && one.closed),
      paClosedMobiLoanAccounts: count((one) => !one.npa && one.closed && one.mobile),
      paClosedMobiLoanAccountsWithDh: count((one) => one.withDh && one.closed && one.mobile),
      paOpenAccounts: count((one) => !one.npa && !one.closed),
      paOpenAccountsWithDh: count((one) => one.withDh && !one.closed),
      paOpenMobiLoanAccounts: count((one) => !one.npa && !one.closed && one.mobile),
      paOpenMobiLoanAccountsWithDh: count((one) => one.withDh && !one.closed && one.mobile),
      avgMobiLoanPrincipalAmount: amount((all) =>
        Math.floor(all.reduce((sum, one) => sum + one, 0) / Math.max(1, all.length) + 0.5),
      ),
      maxMobiLoanPrincipalAmount: amount((all) => Math.max(0, ...all)),
      minMobiLoanPrincipalAmount: amount((all) => (all.length === 0 ? 0 : Math.min(...all))),
    },
  };
}

function historyOf(side: readonly Judged[]): Judged['history'] {
  return side.flatMap(({ history }) => history);
}

function total(amounts: readonly number[]): number {
  return amounts.reduce((sum, one) => sum + one, 0);
}

function daysBetween(day: string, today: string): number {
  return (Date.parse(today) - Date.parse(day)) / 86_400_000;
}

function principalsOf(side: readonly Judged[]): number[] {
  return side.filter(({ mobile }) => mobile).map(({ originalCents }) => originalCents);
}

function lastOf(side: readonly Judged[]): string[] {
  const loans = side.filter(({ mobile }) => mobile);
  const newest = loans
    .map(({ openedOn }) => openedOn)
    .toSorted()
    .at(-1);
  if (newest === undefined) return ['0.00'];
  return loans
    .filter(({ openedOn }) => openedOn === newest)
    .map(({ originalCents }) => shillings(originalCents));
}

function firstListed({ account }: Judged): string {
  return account.months[0]?.asOf ?? '';
}
