/** A bill that a customer of a shop pays. */
export interface Order {
  readonly biller: string;
  readonly account: string;
  /** Shillings with two decimals. */
  readonly amount: string;
}

interface Demand {
  readonly biller: string;
  /** Number of orders among a hundred. */
  readonly share: number;
  /** In shillings; amounts are multiples of the first. */
  readonly amounts: readonly [step: number, most: number];
  readonly account: 'phone' | 'number';
}

const DEMANDS: readonly Demand[] = [
  { biller: 'safaricom', share: 34, amounts: [10, 500], account: 'phone' },
  { biller: 'kplc_prepaid', share: 28, amounts: [50, 2_000], account: 'number' },
  { biller: 'airtel', share: 10, amounts: [10, 300], account: 'phone' },
  { biller: 'nairobi_water', share: 8, amounts: [100, 3_500], account: 'number' },
  { biller: 'gotv', share: 7, amounts: [450, 1_350], account: 'number' },
  { biller: 'dstv', share: 5, amounts: [1_250, 6_250], account: 'number' },
  { biller: 'kplc_postpaid', share: 4, amounts: [500, 8_000], account: 'number' },
  { biller: 'startimes', share: 2, amounts: [300, 900], account: 'number' },
  { biller: 'telkom', share: 1, amounts: [10, 200], account: 'phone' },
  { biller: 'zuku', share: 1, amounts: [1_000, 2_500], account: 'number' },
];

/**
 * Accounts that the simulated operators treat in a special way, by their last four digits, and how
 * many of a thousand orders have them. See `operators/README.md`.
 */
const SPECIAL: readonly (readonly [suffix: string, perThousand: number])[] = [
  ['9904', 25],
  ['9905', 20],
  ['9907', 8],
  ['9903', 6],
  ['9910', 4],
  ['9909', 2],
];

/** The next order. @param below a random whole number from 0 to its argument, exclusive. */
export function nextOrder(below: (limit: number) => number): Order {
  const { biller, amounts, account } = demandAt(below(100));
  const [step, most] = amounts;
  const amount = step * (1 + below(Math.floor(most / step)));
  const front =
    account === 'phone' ? `2547${1_000 + below(9_000)}` : String(100_000 + below(900_000));
  const middle = account === 'phone' ? '' : String(below(10));
  return { biller, amount: amount.toFixed(2), account: `${front}${middle}${suffixOf(below)}` };
}

function demandAt(position: number): Demand {
  let end = 0;
  const found = DEMANDS.find(({ share }) => {
    end += share;
    return position < end;
  });
  if (found === undefined) throw new Error('the shares of demand are not a hundred');
  return found;
}

function suffixOf(below: (limit: number) => number): string {
  const position = below(1_000);
  let end = 0;
  for (const [suffix, perThousand] of SPECIAL) {
    end += perThousand;
    if (position < end) return suffix;
  }
  // Never a special suffix by chance.
  return String(below(9_900)).padStart(4, '0');
}
