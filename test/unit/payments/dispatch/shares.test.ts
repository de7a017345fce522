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

/** A turn of a queue that has just been added, without its queue. */
const TURN = {
  ...{ addition: 1, firstId: '1', place: 1, addedAt: 1, burst: 1, servedAtMs: undefined },
  ...{ isSplit: false, askedAt: new Map<bigint, number>() },
  ...{ finished: new Set<bigint>(), waited: new Set<string>() },
};

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
  expect(askAll(rotation)).toEqual(['bands 0', 'bands 1000', 'other 0']);
  expect(rotation.turns()).toEqual([]);
});

test('a queue with more goes to the end of the order, except for bands that were not asked', () => {
  const rotation = createRotation();
  rotation.add({ vendorId: 1, billerCode: 'bands', stage: 'send' });
  rotation.add({ vendorId: 1, billerCode: 'other', stage: 'send' });
  expect(endTurns(rotation, shareOut(rotation.turns(), options), [['1']])).toBe(false);
  expect(askAll(rotation)).toEqual(['bands 1000', 'other 0', 'bands 0']);
});

describe('eight slots are divided', () => {
  const capacity = { free: () => 8 } as unknown as ShareOptions['capacity'];
  /** How much each queue gets. @param bursts of the queues, in order. */
  function divided(...bursts: readonly number[]): [vendorId: number, max: number][] {
    const turns = bursts.map((burst, index) => ({
      ...{ vendorId: index + 1, billerCode: 'other', stage: 'send' as const },
      ...{ ...TURN, burst },
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

  test('the next claim starts after what was claimed', () => {
    expect(afterRounds('other', [[['7']]])).toBe('7');
  });

  test('the next claim starts after the band that came least far', () => {
    expect(afterRounds('bands', [[['7'], ['5']]])).toBe('5');
    expect(afterRounds('bands', [[['7'], []]])).toBe('7');
    expect(afterRounds('bands', [[['7'], []], [['9']]])).toBe('9');
  });

  test('the next claim starts where it was if not all of its bands were asked', () => {
    const capacity = { free: () => 1 } as unknown as ShareOptions['capacity'];
    expect(afterRounds('bands', [[['7']]], { capacity })).toBe('1');
  });

  test('the next claim starts where it was if payments are left to wait for a busy route', () => {
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
          ...TURN,
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
  expect(askAll(rotation)).toEqual(['bands 1000', 'bands 0']);
});

describe('amounts of one queue that go to different operators', () => {
  const [small, large] = BANDS;
  const at = (operatorCode: string, minimumCents: bigint) => ({
    ...CANDIDATE,
    route: { ...CANDIDATE.route, operatorCode, minimumCents },
  });
  /** Small amounts go to an idle operator, large ones to one with one slot; all of another biller as well. */
  const given = {
    ...options,
    catalogue: {
      ...options.catalogue,
      operator: (operatorCode: string) =>
        OPERATORS.find((one) => one.operatorCode === operatorCode),
    },
    routing: {
      ...options.routing,
      candidates: ({ billerCode }: { readonly billerCode: string }) =>
        billerCode === 'bands'
          ? [
              { ...at('idle', 0n), route: { ...at('idle', 0n).route, maximumCents: 999n } },
              at('busy', 1_000n),
            ]
          : [at('busy', 0n)],
    },
    capacity: { free: (one: { operatorCode: string }) => (one.operatorCode === 'idle' ? 8 : 1) },
  } as unknown as ShareOptions;
  const OPERATORS = [{ operatorCode: 'idle' }, { operatorCode: 'busy' }];

  /** Every round the queue is listed again; the other queues always have more. Which got the busy operator. */
  function servedByBusy(rounds: number, smallCount: number): number[] {
    const rotation = createRotation();
    const listed = { vendorId: 9, billerCode: 'bands', stage: 'send' } as const;
    for (const vendorId of [1, 2, 3])
      rotation.add({ vendorId, billerCode: 'other', stage: 'send' });
    const served: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      rotation.add(listed);
      const shares = shareOut(rotation.turns(), given);
      served.push(
        ...shares
          .filter(({ route }) => route?.operatorCode === 'busy')
          .map(({ vendorId }) => vendorId),
      );
      const claimed = shares.map(({ route, max }) =>
        Array.from({ length: route?.operatorCode === 'idle' ? smallCount : max }, () => '1'),
      );
      endTurns(rotation, shares, claimed);
    }
    return served;
  }

  test.each([
    ['nothing is due for', 0],
    ['many payments are due for', 8],
  ])('the large ones have their turn, although %s the idle operator', (_, smallCount) => {
    expect(small?.minimumCents).toBe(0n);
    expect(large?.minimumCents).toBe(1_000n);
    expect(servedByBusy(8, smallCount)).toEqual([1, 2, 3, 9, 1, 2, 3, 9]);
  });
});

test('bands of one operator have its only slot in turns', () => {
  const rotation = createRotation();
  rotation.add({ vendorId: 1, billerCode: 'bands', stage: 'send' });
  const asked: (bigint | undefined)[] = [];
  for (let round = 0; round < 4; round += 1) {
    const shares = shareOut(rotation.turns(), options);
    asked.push(...shares.map(({ route }) => route?.minimumCents));
    endTurns(rotation, shares, [['1']]);
  }
  expect(asked).toEqual([0n, 1_000n, 0n, 1_000n]);
});

test('queues in which nothing has waited long enough for a busy route leave the slots to others', () => {
  const waiting = [
    { ...CANDIDATE, free: 0 },
    { ...CANDIDATE, route: { ...CANDIDATE.route, operatorCode: 'other', position: 1 } },
  ] as unknown as Candidate[];
  const candidates = ({ billerCode }: { readonly billerCode: string }) =>
    billerCode === 'waiting' ? waiting : [waiting[1]];
  const given = {
    ...options,
    routing: { ...options.routing, candidates },
  } as unknown as ShareOptions;
  const rotation = createRotation();
  for (const vendorId of [1, 2]) rotation.add({ vendorId, billerCode: 'waiting', stage: 'send' });
  rotation.add({ vendorId: 3, billerCode: 'other', stage: 'send' });
  const asked: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const shares = shareOut(rotation.turns(), given);
    asked.push(...shares.map(({ vendorId }) => vendorId));
    expect(endTurns(rotation, shares, [[]])).toBe(true);
  }
  expect(asked).toEqual([1, 2, 3]);
  // They are asked again once they are listed again, or their first route is free.
  expect(shareOut(rotation.turns(), given)).toEqual([]);
  expect(shareOut(rotation.turns(), options).map(({ vendorId }) => vendorId)).toEqual([1]);
  rotation.add({ vendorId: 2, billerCode: 'waiting', stage: 'send' });
  expect(shareOut(rotation.turns(), given).map(({ vendorId }) => vendorId)).toEqual([2]);
});
