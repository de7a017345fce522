import type { LineReader } from './fields.ts';
import type { Column } from './template.ts';

/** Codes of ISO 4217, including former currencies. */
const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/**
 * A balance grows by interest and penalties, by law to about twice the loan; a limit may be lowered
 * or exceeded. More than this many times the original amount may be a mistake, which the lender is
 * told about.
 */
const MAX_BALANCE_RATIO = 10n;

/** 13 digits before the point, as in the file. It also keeps every sum over a person within 64 bits. */
const MAX_CENTS = 999_999_999_999_999n;
/** KES for one unit of a currency: 10,000 at most, 0.00001 at least (weak currencies). */
const MAX_RATE = 10_000n;
const MIN_RATE_INVERSE = 100_000n;

export interface Amounts {
  readonly currency: string;
  readonly original: bigint | undefined;
  readonly balanceKes: bigint | undefined;
  readonly balance: bigint | undefined;
  readonly overdue: bigint | undefined;
  readonly instalment: bigint | undefined;
  readonly lastPayment: bigint | undefined;
}

/** The amounts of a line in cents of its currency, checked against each other. */
export function readAmounts(reader: LineReader): Amounts {
  const currency = reader.required('Currency');
  if (currency !== '' && !CURRENCIES.has(currency)) {
    reader.fault('Currency', 'currency', 'Currency must be a code of ISO 4217, such as KES');
  }
  const original = reader.requiredAmount('OriginalAmount');
  const balance = reader.requiredBalance('CurrentBalance');
  const amounts = {
    ...{ currency, original, balance },
    balanceKes: reader.has('AmountKES')
      ? balanceOfAmount(reader, currency, { original, balance })
      : reader.requiredBalance('CurrentBalanceKES'),
    overdue: reader.requiredAmount('OverdueBalance'),
    instalment: reader.amount('InstalmentAmount'),
    lastPayment: reader.amount('LastPaymentAmount'),
  };
  checkBalances(reader, amounts);
  checkOriginal(reader, amounts);
  return amounts;
}

/**
 * The balance in KES by the consumer template's `AmountKES`, which some lenders fill with the balance, and others with the
 * original amount.
 */
function balanceOfAmount(
  reader: LineReader,
  currency: string,
  { original, balance }: Pick<Amounts, 'original' | 'balance'>,
): bigint | undefined {
  const amount = reader.requiredBalance('AmountKES');
  if (amount === undefined || balance === undefined || original === undefined) return amount;
  if (currency !== 'KES') {
    if (original === balance) return amount;
    const text =
      'AmountKES may be the original amount or the balance: give the balance as CurrentBalanceKES';
    reader.fault('AmountKES', 'rate', text);
    return undefined;
  }
  if (amount !== balance && amount !== original) {
    const text = 'AmountKES must equal CurrentBalance or OriginalAmount when Currency is KES';
    reader.fault('AmountKES', 'kes_equality', text);
  }
  return balance;
}

function checkBalances(reader: LineReader, amounts: Amounts): void {
  const { currency, balance, balanceKes, overdue } = amounts;
  if (balance !== undefined && balanceKes !== undefined) {
    if (currency === 'KES' && balance !== balanceKes) {
      reader.fault(
        'CurrentBalanceKES',
        'kes_equality',
        'CurrentBalanceKES must equal CurrentBalance when Currency is KES',
      );
    } else if (signOf(balance) !== signOf(balanceKes)) {
      reader.fault(
        'CurrentBalanceKES',
        'kes_equality',
        'CurrentBalanceKES and CurrentBalance must both be 0, both be more, or both be less',
      );
    }
  }
  if (overdue !== undefined && overdue > 0n && balance !== undefined && overdue > balance) {
    reader.fault(
      'OverdueBalance',
      'overdue_within_balance',
      'OverdueBalance must not be more than CurrentBalance',
    );
  }
}

function signOf(cents: bigint): -1 | 0 | 1 {
  if (cents === 0n) return 0;
  return cents < 0n ? -1 : 1;
}

/** An account that is refused is one that nobody sees: unusual amounts are imported, with a remark. */
function checkOriginal(reader: LineReader, { original, balance }: Amounts): void {
  if (original === undefined || balance === undefined || original === 0n) return;
  if (balance > original * MAX_BALANCE_RATIO) {
    reader.remark(
      'CurrentBalance',
      'balance_and_original',
      `CurrentBalance is more than ${MAX_BALANCE_RATIO} times OriginalAmount: check both`,
    );
  }
}

export interface Shillings {
  /** 0 when no rate is known, and for an account without a limit. */
  readonly original: bigint;
  readonly balance: bigint;
  readonly overdue: bigint;
  readonly instalment: bigint | null;
  readonly lastPayment: bigint | null;
}

/**
 * Amounts in cents of KES. Amounts in another currency are converted by the ratio of the line's two
 * balances. An account without a balance has no rate, so its original amount is not known from this
 * line.
 */
export function inShillings(reader: LineReader, amounts: Amounts): Shillings | undefined {
  const { original, balanceKes, balance, overdue, instalment, lastPayment } = amounts;
  if (
    original === undefined ||
    balanceKes === undefined ||
    balance === undefined ||
    overdue === undefined
  ) {
    return undefined;
  }
  const optional = { instalment: instalment ?? null, lastPayment: lastPayment ?? null };
  if (amounts.currency === 'KES') return { original, balance, overdue, ...optional };
  if (balance === 0n) {
    return { original: 0n, balance: 0n, overdue: 0n, instalment: null, lastPayment: null };
  }
  // Reported with the balances.
  if (signOf(balanceKes) !== signOf(balance)) return undefined;
  const [some, someKes] = balance < 0n ? [-balance, -balanceKes] : [balance, balanceKes];
  if (someKes > some * MAX_RATE || someKes * MIN_RATE_INVERSE < some) {
    reader.fault(
      'CurrentBalanceKES',
      'rate',
      'CurrentBalanceKES must be 0.00001 to 10,000 times CurrentBalance',
    );
    return undefined;
  }
  const convert = (column: Column, cents: bigint): bigint => {
    const converted = (cents * someKes + some / 2n) / some;
    if (converted > MAX_CENTS) {
      reader.fault(column, 'amount', `${column} must have at most 13 digits in KES`);
    }
    return converted;
  };
  const convertOptional = (column: Column, cents: bigint | null): bigint | null =>
    cents === null ? null : convert(column, cents);
  return {
    original: convert('OriginalAmount', original),
    balance: balanceKes,
    overdue: convert('OverdueBalance', overdue),
    instalment: convertOptional('InstalmentAmount', optional.instalment),
    lastPayment: convertOptional('LastPaymentAmount', optional.lastPayment),
  };
}
