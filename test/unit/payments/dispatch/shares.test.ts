import { describe, expect, test } from 'vitest';
import type { BillerCatalogue } from '../../../../src/payments/billers/catalogue.ts';
import { createRotation } from '../../../../src/payments/dispatch/rotation.ts';
import type { Rotation } from '../../../../src/payments/dispatch/rotation.ts';
import { endTurns, shareOut } from '../../../../src/payments/dispatch/shares.ts';
import type { Candidate } from '../../../../src/payments/dispatch/route.ts';
import type { Share, ShareOptions } from '../../../../src/payments/dispatch/shares.ts';

const operator = { operatorCode: 'kplc' };
const BANDS = [
  { minimumCents: 0n, maximumCents: 999n },
  { minimumCents: 1_000n, maximumCents: 9_999n },
];
const CANDIDATE = {
  route: { operatorCode: 'kplc', position: 0, weight: 1, minimumCents: null, maximumCents: null },
  obstacle: null,
  free: 1,
  sentLately: 0,
};

/** One operator with one free slot. Billers named `bands…` have two bands of amounts. */
const options = {
  catalogue: {
    biller: (billerCode: string) => ({ billerCode, availability: 'ONLINE', routes: [] }),
    operator: () => operator,
  } as unknown as BillerCatalogue,
  connectorOf: () => ({ payDeadlineMs: 1_000 }),
  routing: {
    freeOnTrial: () => Infinity,
    candidates: () => [CANDIDATE],
    bands: ({ billerCode }: { readonly billerCode: string }) =>
      billerCode.startsWith('bands') ? BANDS : [{ minimumCents: 0n, maximumCents: 9_999n }],
  },
  capacity: { free: (_: unknown, __: unknown, promised: number) => 1 - promised },
} as unknown as ShareOptions;

/** Asks for one share after another; none of them has due work. */
function askAll(rotation: Rotation): string[] {
  const asked: string[] = [];
  for (let shares: Share[]; (shares = shareOut(rotation.turns(), options)).length > 0;) {
    asked.push(...shares.map((share) => `${share.billerCode} ${share.route?.minimumCents}`));
    endTurns(
      rotation,
      shares,
      shares.map(() => []),
    );
    if (asked.length > 10) break;
  }
  return asked;
}

test('a queue of two bands, of which nothing is due, does not keep the only slot', () => {
  const rotation = createRotation();
  rotation.add({ vendorId: 1, billerCode: 'bands', stage: 'send' });
  rotation.add({ vendorId: 1, billerCode: 'other', stage: 'send' });
  expect(askAll(rotation)).toEqual(['bands 0', 'other 0', 'bands 1000']);
  expect(rotation.turns()).toEqual([]);
});

test('a queue with more goes to the end of the order, with all its bands', () => {
  const rotation = createRotation();
  rotation.add({ vendorId: 1, billerCode: 'bands', stage: 'send' });
  rotation.add({ vendorId: 1, billerCode: 'other', stage: 'send' });
  expect(endTurns(rotation, shareOut(rotation.turns(), options), [['1']])).toBe(false);
  expect(askAll(rotation)).toEqual(['other 0', 'bands 0', 'bands 1000']);
});

describe('eight slots are divided', () => {
  const capacity = { free: () => 8 } as unknown as ShareOptions['capacity'];
  /** How much each queue gets. @param bursts of the queues, in order. */
  function divided(...bursts: readonly number[]): [vendorId: number, max: number][] {
    const turns = bursts.map((burst, index) => ({
      ...{ vendorId: index + 1, billerCode: 'other', stage: 'send' as const },
      ...{ addition: 1, firstId: '1', finished: new Set<bigint>(), burst, servedAtMs: undefined },
    }));
    return shareOut(turns, { ...options, capacity }).map(({ vendorId, max }) => [vendorId, max]);
  }

  test('among all queues that wait, if each takes one', () => {
    expect(divided(...Array.from({ length: 10 }, () => 1))).toEqual(
      Array.from({ length: 8 }, (_, index) => [index + 1, 1]),
    );
  });

  test('among the first queues, if these take several', () => {
    expect(divided(4, 4, 4)).toEqual([
      [1, 4],
      [2, 4],
    ]);
    expect(divided(4, 1, 2, 2, 1)).toEqual([
      [1, 2],
      [2, 2],
      [3, 2],
      [4, 2],
    ]);
  });

  test('among few queues, although they take one', () => {
    expect(divided(1, 1, 1)).toEqual([
      [1, 3],
      [2, 3],
      [3, 2],
    ]);
  });
});

describe('a queue is asked next', () => {
  /** Each round asks all bands; returns where the queue is looked at next. */
  function afterRounds(
    billerCode: string,
    rounds: readonly (readonly (readonly string[])[])[],
    given: Partial<ShareOptions> = {},
  ): string | undefined {
    const rotation = createRotation();
    rotation.add({ vendorId: 1, billerCode, stage: 'send', firstId: '1' });
    const capacity = { free: () => 2 } as unknown as ShareOptions['capacity'];
    for (const claimed of rounds) {
      const shares = shareOut(rotation.turns(), { ...options, capacity, ...given });
      endTurns(
        rotation,
        shares.map((share) => ({ ...share, max: 1 })),
        claimed,
      );
    }
    return rotation.turns()[0]?.firstId;
  }

  test('after what was claimed', () => {
    expect(afterRounds('other', [[['7']]])).toBe('7');
  });

  test('after the band that came least far', () => {
    expect(afterRounds('bands', [[['7'], ['5']]])).toBe('5');
    expect(afterRounds('bands', [[['7'], []]])).toBe('7');
    expect(afterRounds('bands', [[['7'], []], [['9']]])).toBe('9');
  });

  test('where it was, if not all of its bands were asked', () => {
    const capacity = { free: () => 1 } as unknown as ShareOptions['capacity'];
    expect(afterRounds('bands', [[['7']]], { capacity })).toBe('1');
  });

  test('where it was, if payments are left to wait for a busy route', () => {
    const waiting = [
      { ...CANDIDATE, route: { ...CANDIDATE.route, weight: 1 }, free: 0 },
      { ...CANDIDATE, route: { ...CANDIDATE.route, operatorCode: 'other', position: 1 } },
    ];
    const routing = { ...options.routing, candidates: () => waiting as unknown as Candidate[] };
    const [share] = shareOut(
      [
        {
          vendorId: 1,
          billerCode: 'other',
          stage: 'send',
          addition: 1,
          firstId: '1',
          finished: new Set(),
          ...{ burst: 1, servedAtMs: undefined },
        },
      ],
      { ...options, routing },
    );
    expect(share?.route?.waitMs).toBeGreaterThan(0);
    expect(afterRounds('other', [[['7']]], { routing })).toBe('1');
  });
});

test('a band that was empty is asked again when the queue is added again', () => {
  const rotation = createRotation();
  rotation.add({ vendorId: 1, billerCode: 'bands', stage: 'send' });
  endTurns(rotation, shareOut(rotation.turns(), options), [[]]);
  rotation.add({ vendorId: 1, billerCode: 'bands', stage: 'send' });
  expect(askAll(rotation)).toEqual(['bands 0', 'bands 1000']);
});
