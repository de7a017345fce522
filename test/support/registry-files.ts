import type { Random } from '../../sandbox/population/random.ts';
import { TEMPLATES } from '../../src/credit/importing/template.ts';
import type { Column, TemplateName } from '../../src/credit/importing/template.ts';
import { rightLine } from './credit-files.ts';
import type { Line } from './credit-files.ts';
import { PLANTED_ERRORS } from './planted-errors.ts';

/** As-of date of the files. */
export const AS_OF = '2026-10-31';

/** A random file of a lender, with the expected result of its import. */
export interface RegistryFile {
  readonly template: TemplateName;
  readonly text: string;
  /** `line field rule` of every planted error. */
  readonly errors: readonly string[];
  /** Kinds of the planted errors, to check that all kinds occurred. */
  readonly kinds: readonly string[];
  /** Number of valid lines about new accounts. */
  readonly accounts: number;
  /** Number of lines that repeat an earlier one exactly. */
  readonly repeats: number;
}

const MIN_LINES = 4;
const MAX_LINES = 14;

/** Planted errors that need more than one line, or are not about a value. */
const FILE_KINDS = ['columns', 'open quote', 'stray quote', 'other content', 'takeover'] as const;
/** The last error of a line is about the account of another line: `takeover` here. */
const LINE_ERRORS = PLANTED_ERRORS.slice(0, -1);
export const ERROR_KINDS: readonly string[] = [
  ...FILE_KINDS,
  ...LINE_ERRORS.map((_, index) => `line error ${index}`),
];

/**
 * @param first the first of the `MAX_NUMBERS` numbers of people and accounts that belong to the file.
 */
export function randomFile(random: Random, first: number): RegistryFile {
  const template = random.chance(0.3) ? 'individual' : 'mobile';
  const file = new FileInMaking(random, template);
  const lines = random.whole(MIN_LINES, MAX_LINES);
  for (let index = 0; index < lines; index += 1) {
    const number = first + index;
    if (random.chance(0.35)) file.plant(random.pick(ERROR_KINDS), number);
    else if (random.chance(0.08)) file.repeat();
    else file.addRight(randomLine(random, number));
    if (random.chance(0.05)) file.rows.push('');
  }
  return file.made();
}

export const MAX_NUMBERS = MAX_LINES;

class FileInMaking {
  readonly rows: string[] = [];
  readonly #random: Random;
  readonly #template: TemplateName;
  readonly #errors: string[] = [];
  readonly #kinds: string[] = [];
  readonly #right: Line[] = [];
  #repeats = 0;

  constructor(random: Random, template: TemplateName) {
    this.#random = random;
    this.#template = template;
  }

  addRight(line: Line): void {
    this.#right.push(line);
    this.#write(line);
  }

  repeat(): void {
    if (this.#right.length === 0) return;
    this.#write(this.#random.pick(this.#right));
    this.#repeats += 1;
  }

  plant(kind: string, number: number): void {
    const random = this.#random;
    const national = { PrimaryIDType: '001', PrimaryIDNumber: String(100_000_000 + number) };
    const usual = { ...rightLine(number), ...personOf(random, number), ...national };
    const earlier = this.#right.length === 0 ? undefined : random.pick(this.#right);
    const planted = LINE_ERRORS[Number(kind.slice('line error '.length))];
    if (kind === 'columns') {
      this.#write(usual);
      this.rows.push(`${this.rows.pop() ?? ''},`);
      this.#expect(kind, ' columns');
    } else if (kind === 'open quote' || kind === 'stray quote') {
      const cell = kind === 'open quote' ? '"C1' : 'C"1';
      const values = this.#values({ ...usual, ClientNumber: '@' });
      this.rows.push(values.join(',').replace('@', cell));
      this.#expect(kind, ' csv');
    } else if (kind === 'other content' || kind === 'takeover') {
      if (earlier === undefined) return;
      const content =
        kind === 'takeover'
          ? { ...usual, AccountNumber: earlier.AccountNumber ?? '' }
          : { ...earlier, RepaymentPeriod: '7' };
      this.#write(content);
      const rule = kind === 'takeover' ? 'account_holder' : 'duplicate_account';
      this.#expect(kind, `AccountNumber ${rule}`);
    } else if (planted !== undefined) {
      this.#write({ ...usual, ...planted.right, ...planted.wrong });
      this.#expect(kind, ...planted.findings);
    }
  }

  made(): RegistryFile {
    const end = this.#random.pick(['\n', '\r\n']);
    const header = TEMPLATES[this.#template].join(',');
    const last = this.#random.chance(0.5) ? end : '';
    const mark = this.#random.chance(0.2) ? '\ufeff' : '';
    return {
      template: this.#template,
      text: `${mark}${[header, ...this.rows].join(end)}${last}`,
      errors: this.#errors,
      kinds: this.#kinds,
      accounts: this.#right.length,
      repeats: this.#repeats,
    };
  }

  #write(line: Line): void {
    this.rows.push(this.#values(line).join(','));
  }

  /** The cells of a line, quoted where necessary and sometimes where not. */
  #values(line: Line): string[] {
    const columns: readonly Column[] = TEMPLATES[this.#template];
    return columns.map((column) => {
      const value = line[column] ?? '';
      const mustQuote = /[",]/.test(value);
      return mustQuote || this.#random.chance(0.02) ? `"${value.replaceAll('"', '""')}"` : value;
    });
  }

  /** The line number of the row written last; the header is line 1. */
  #expect(kind: string, ...findings: readonly string[]): void {
    this.#kinds.push(kind);
    for (const finding of findings) this.#errors.push(`${this.rows.length + 1} ${finding}`);
  }
}

const SURNAMES = ["Ng'ang'a", 'Na', 'Kina', 'Mohamed', 'Ó Briain', 'Wei', 'Odhiambo', 'D’Souza'];
const FIRSTS = ['Li', 'Ole', 'Al', 'Mohamed', 'Anne-Marie', 'Joseph', 'Zoë', 'Abdul Rahman'];
const OTHERS = ['', '', 'Wanjiku', 'bin Said', 'J.K. Oduor', 'W'.repeat(50)];

/** The person of a line; each occurs once. */
function personOf(random: Random, number: number): Line {
  const document = random.pick([
    ['001', String(100_000_000 + number)],
    ['002', `P${String(number).padStart(8, '0')}`],
  ] as const);
  return {
    Surname: random.pick(SURNAMES),
    Forename1: random.pick(FIRSTS),
    Forename2: random.pick(OTHERS).replace('J.K. Oduor', 'Oduor'),
    Gender: random.pick(['M', 'F']),
    Nationality: random.pick(['KE', 'UG', 'SO']),
    PrimaryIDType: document[0],
    PrimaryIDNumber: document[1],
  };
}

const STATUSES = 'ABCDEFFFFFGHJKLMP'.split('');
const JUDGED = new Set(['C', 'D', 'E', 'G', 'J']);
const CLASS_LIMITS = [30, 90, 180, 360];

/** A line that satisfies every rule of the guide, with otherwise unusual values. */
export function randomLine(random: Random, number: number): Line {
  const openedOn = random.pick(['20000229', '20150101', '20251231', '20260930', '20261031']);
  const later = (): string => random.pick([openedOn, '20261031']);
  const paid = random.chance(0.6);
  return {
    ...personOf(random, number),
    ...amountsOf(random, later),
    TradingAs: random.pick(['', 'Duka, "Mama Njeri"', 'Ünïcode & Söhne']),
    // The youngest was born 18 years before the as-of date, the oldest nearly 101.
    DateOfBirth: openedOn < '20090101' ? '19251101' : random.pick(['19251101', '20081031']),
    ClientNumber: random.pick([`C${number}`, `"${number}", new`, 'Ø']),
    AccountNumber: `${random.pick(['A', 'Ä/', '0', 'x,'])}${number}`,
    MobilePhone: random.pick(['', `2547${String(number).padStart(8, '0')}`, '0712 345-678']),
    AccountProductType: random.pick('ABCDEFGHIJKL'.split('')),
    InstalmentDueDate: random.pick(['', '20261130', '19991231', '20991231']),
    AccountStatusDate: later(),
    RepaymentPeriod: random.pick(['', '0', '1', '480']),
    DisbursementDate: openedOn,
    LatestPaymentDate: paid ? later() : '',
    LastPaymentAmount: paid ? random.pick(['', '0', '0.01', '1500.5']) : random.pick(['', '0']),
    ...extrasOf(random, number),
  };
}

/** Columns of the individual template; the mobile one leaves them out. */
function extrasOf(random: Random, number: number): Line {
  return {
    Salutation: random.pick(['', 'Ms']),
    TaxPIN: random.chance(0.3) ? `A${String(number).padStart(9, '0')}Z` : '',
    HomePhone: random.pick(['', '+254 20 1234567']),
    PostalAddress: random.pick(['', 'P.O. Box 1, GPO']),
    PostalTown: random.pick(['', 'Nairobi']),
    PostalCountry: random.pick(['', 'KE']),
  };
}

/** Amounts, arrears, class and status that are consistent; amounts up to the largest allowed. */
function amountsOf(random: Random, later: () => string): Line {
  const status = random.pick(STATUSES);
  const isForeign = random.chance(0.25);
  const largest = isForeign ? 2e9 : 9_999_999_999_999;
  const original = Math.max(0.01, cents(random.next() ** 6 * largest));
  const share = random.pick([0, 0.5, 1, 1.8, 9.9]);
  const owed = status === 'A' ? 0 : Math.min(9_999_999_999_999, cents(original * share));
  // A balance in another currency that is worth less than a cent has no rate.
  const balance = isForeign && owed < 1 ? 0 : owed;
  const rate = isForeign ? random.pick([0.02, 0.9, 129.25, 420]) : 1;
  const allDue = status === 'C' || status === 'J';
  const isLate = balance > 0 && (allDue || random.chance(0.3));
  const overdue = isLate ? Math.max(0.01, cents(balance * random.pick([0.001, 0.5, 1]))) : 0;
  const days = isLate ? random.pick([1, 30, 31, 90, 91, 180, 181, 360, 361, 99_999]) : 0;
  const least = CLASS_LIMITS.filter((limit) => days > limit).length;
  const riskClass = JUDGED.has(status) ? random.whole(least, 4) : least;
  return {
    OriginalAmount: decimal(original),
    Currency: isForeign ? random.pick(['USD', 'UGX', 'JPY']) : 'KES',
    CurrentBalance: decimal(balance),
    CurrentBalanceKES: decimal(isForeign ? balance * rate : balance),
    OverdueBalance: decimal(Math.min(overdue, balance)),
    OverdueDate: isLate ? later() : random.pick(['', '']),
    DaysInArrears: String(days),
    InstalmentsInArrears: String(isLate ? random.whole(1, 99_999) : 0),
    PrudentialRiskClassification: 'ABCDE'[riskClass] ?? 'E',
    AccountStatus: status,
    InstalmentAmount: random.pick(['', '0', decimal(original / 10)]),
  };
}

function cents(amount: number): number {
  return Math.floor(amount * 100) / 100;
}

function decimal(amount: number): string {
  return amount.toFixed(2);
}
