import { AMOUNT_CENTS } from './operator-model.ts';
import type { Fate, Step } from './operator-model.ts';

/** Sequences after which the books once differed from what the operator had: fates, steps, and the last picks. */
export type Example = [Fate[], Step[], number[]];

const WHOLE = AMOUNT_CENTS;
const HALF = 5_000n;
const MORE = 12_000n;
const LOST_ONE = 5;

const paid: Fate[] = ['success', 'success', 'success', 'success', 'success'];
const withFate = (index: number, fate: Fate): Fate[] =>
  paid.map((one, at) => (at === index ? fate : one));

const pay = (of: number, cents = WHOLE, day = 0): Step => ({ kind: 'pay', of, day, cents });
const reverse = (pick = 0, day = 0): Step => ({ kind: 'reverse', pick, day });
const change = (pick: number, cents: bigint): Step => ({ kind: 'change', pick, cents });
const take = (day = 0): Step => ({ kind: 'import', day });
const resolve = (...picks: number[]): Step => ({ kind: 'resolve', count: 1, picks });

/** Half the amount is taken, which `terms_differ` explains, and the whole amount four times more. */
const halfAndFour = (fate: Fate): Example => [
  [fate, 'failed', 'failed', 'failed', 'failed'],
  [pay(0, HALF), pay(0), pay(0), pay(0), pay(0)],
  [0],
];

/** Those that are run with a database, too. */
export const STORED: Readonly<Record<string, Example>> = {
  'terms that explain half of a paid payment, which is listed again in full':
    halfAndFour('success'),
  'terms that explain half of an open payment, which is listed again in full': halfAndFour(null),
  'a payment that is listed again after more than it was returned': [
    paid,
    [pay(0, MORE), reverse(), change(0, WHOLE), take(), pay(0), resolve(0), pay(1), resolve(0)],
    [0],
  ],
  'a payment on other terms that is returned and listed again as more': [
    paid,
    [pay(2, HALF), take(), resolve(9), reverse(), take(), pay(2, MORE)],
    [0],
  ],
  'a payment that is listed again beside its reversal in part': [
    withFate(2, 'failed'),
    [pay(2), reverse(), change(45, HALF), pay(2), pay(0), take()],
    [0],
  ],
  'two reversals of a payment that we bear once more': [
    paid,
    [pay(2), pay(2), take(), reverse(), reverse(), resolve(0)],
    [0],
  ],
  'a lost payment that we bear once and the vendor once': [
    paid,
    [pay(LOST_ONE, MORE), take(), pay(LOST_ONE, WHOLE, 1), resolve(19), reverse(), resolve(0)],
    [49, 0],
  ],
};

export const EXAMPLES: Readonly<Record<string, Example>> = {
  ...STORED,
  'a payment revised before people charge it': [
    withFate(4, 'failed'),
    [pay(4, HALF), take(), change(0, WHOLE), take(), resolve(33, 0), pay(0)],
    [0],
  ],
  'a reversed payment that is revised to less than came back': [
    paid,
    [pay(0), reverse(), take(), change(0, HALF), take()],
    [57, 0],
  ],
  'a second payment that is revised before the first one is decided': [
    paid,
    [pay(1, MORE), take(), pay(1, HALF), take(), change(33, WHOLE)],
    [61, 0],
  ],
  'a lost payment that is revised and returned in part': [
    paid,
    [pay(LOST_ONE, HALF), take(), reverse(), change(0, WHOLE), take(), resolve(10)],
    [15, 0],
  ],
  'a lost payment of which more comes back than was paid': [
    paid,
    [pay(LOST_ONE), take(), resolve(0), reverse(), change(1, MORE), take(), resolve(0)],
    [0],
  ],
  'two payments and a reversal in the statement that settles': [
    withFate(1, null),
    [pay(1, WHOLE, 1), reverse(), change(0, HALF), pay(0), pay(1, MORE, 1), resolve(0)],
    [0],
  ],
  'a statement that settles a payment and lists more as returned': [
    withFate(1, null),
    [pay(1), reverse(), change(1, MORE), take()],
    [0],
  ],
  'other terms that our own accounts took back before the payment came back': [
    paid,
    [pay(0, MORE), take(), change(0, WHOLE), reverse(), resolve(36)],
    [0],
  ],
  'the same before other cases are open': [
    paid,
    [pay(1, MORE), take(), change(0, WHOLE), pay(0), reverse(), resolve(57), pay(0)],
    [0],
  ],
  'a payment with the amount of the books, after money of ours came back': [
    paid,
    [pay(4), reverse(), change(32, MORE), take(), pay(4), change(0, WHOLE), resolve(9)],
    [0],
  ],
  'a payment revised to half, returned, and listed on another day': [
    paid,
    [
      pay(3),
      take(),
      pay(3, WHOLE, 1),
      change(0, HALF),
      take(),
      pay(0),
      resolve(1),
      reverse(),
      reverse(21),
    ],
    [0],
  ],
  'two halves beside a payment in full, when terms are said to differ': [
    paid,
    [pay(2, HALF), pay(2, HALF), pay(0), pay(2), pay(0), resolve(0)],
    [0],
  ],
  'reversals of which the vendor gets those of our part': [
    paid,
    [pay(1), pay(1, HALF), take(), resolve(0), reverse(0, 1), reverse(), pay(0)],
    [0],
  ],
  'a payment revised, returned, and listed twice more': [
    paid,
    [
      pay(0, MORE),
      take(),
      change(0, WHOLE),
      reverse(),
      take(),
      resolve(0),
      resolve(0),
      pay(0, WHOLE, 1),
    ].concat(pay(1), pay(1), pay(0, MORE), take()),
    [7, 0],
  ],
};
