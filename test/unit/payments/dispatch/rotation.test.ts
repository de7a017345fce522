import { describe, expect, test } from 'vitest';
import { createRotation } from '../../../../src/payments/dispatch/rotation.ts';
import { NO_ID } from '../../../../src/platform/base/ids.ts';

const ONE_BAND = { bands: [0n], bandCount: 1 };

describe('the rotation', () => {
  const queue = (vendorId: number) => ({ vendorId, billerCode: 'a', stage: 'send' as const });
  const order = (rotation: ReturnType<typeof createRotation>): number[] =>
    rotation.turns().map((turn) => turn.vendorId);

  test('puts a served queue at the end, and drops an empty one', () => {
    const rotation = createRotation();
    for (const vendorId of [1, 2, 3]) rotation.add(queue(vendorId));
    const [first, second] = rotation.turns();
    if (first === undefined || second === undefined) throw new Error('there are no turns');
    rotation.asked(first, null, ONE_BAND);
    expect(order(rotation)).toEqual([2, 3, 1]);
    rotation.empty(second);
    expect(order(rotation)).toEqual([3, 1]);
  });

  describe('remembers where in a queue to look next', () => {
    const withTurn = (firstId?: string) => {
      const rotation = createRotation();
      rotation.add({ ...queue(1), ...(firstId === undefined ? {} : { firstId }) });
      const [turn] = rotation.turns();
      if (turn === undefined) throw new Error('there is no turn');
      return { rotation, turn };
    };
    const firstIdIn = (rotation: ReturnType<typeof createRotation>): string | undefined =>
      rotation.turns()[0]?.firstId;

    test('starts at the first payment that was announced', () => {
      const { rotation } = withTurn('5');
      expect(firstIdIn(rotation)).toBe('5');
      rotation.add({ ...queue(1), firstId: '7' });
      expect(firstIdIn(rotation)).toBe('5');
      rotation.add({ ...queue(1), firstId: '3' });
      expect(firstIdIn(rotation)).toBe('3');
    });

    test('starts after what was claimed', () => {
      const { rotation, turn } = withTurn('5');
      rotation.asked(turn, '8', ONE_BAND);
      expect(firstIdIn(rotation)).toBe('8');
    });

    test('starts not further than what was announced during the claim', () => {
      const { rotation, turn } = withTurn('5');
      rotation.add({ ...queue(1), firstId: '6' });
      rotation.add({ ...queue(1), firstId: '9' });
      rotation.asked(turn, '8', ONE_BAND);
      expect(firstIdIn(rotation)).toBe('6');
    });

    test('further again, once that has been claimed too', () => {
      const { rotation, turn } = withTurn('5');
      rotation.add({ ...queue(1), firstId: '6' });
      rotation.asked(turn, '8', ONE_BAND);
      const [next] = rotation.turns();
      if (next === undefined) throw new Error('there is no turn');
      rotation.asked(next, '9', ONE_BAND);
      expect(firstIdIn(rotation)).toBe('9');
    });

    test('starts at the first payment that was announced while nothing more was due', () => {
      const { rotation, turn } = withTurn('5');
      rotation.add({ ...queue(1), firstId: '8' });
      rotation.empty(turn);
      expect(firstIdIn(rotation)).toBe('8');
    });

    test('starts where it was, if it is not known how far the claim came', () => {
      const { rotation, turn } = withTurn('5');
      rotation.asked(turn, null, ONE_BAND);
      expect(firstIdIn(rotation)).toBe('5');
    });

    test('starts from the beginning after an announcement without a payment', () => {
      const { rotation, turn } = withTurn('5');
      rotation.asked(turn, '8', ONE_BAND);
      rotation.add(queue(1));
      expect(firstIdIn(rotation)).toBe(NO_ID);
    });
  });

  test('does not put a queue that is added again before others', () => {
    const rotation = createRotation();
    for (const vendorId of [1, 2, 1]) rotation.add(queue(vendorId));
    expect(order(rotation)).toEqual([1, 2]);
    const [first] = rotation.turns();
    if (first === undefined) throw new Error('there are no turns');
    rotation.asked(first, null, ONE_BAND);
    rotation.add(queue(1));
    expect(order(rotation)).toEqual([2, 1]);
  });

  test('keeps what was added while it was found empty', () => {
    const rotation = createRotation();
    rotation.add(queue(1));
    const [turn] = rotation.turns();
    if (turn === undefined) throw new Error('there are no turns');
    rotation.add(queue(1));
    rotation.empty(turn);
    expect(order(rotation)).toEqual([1]);
  });

  test('distinguishes queues of one vendor by biller and stage', () => {
    const rotation = createRotation();
    rotation.add(queue(1));
    rotation.add({ ...queue(1), billerCode: 'b' });
    rotation.add({ ...queue(1), stage: 'verify' });
    expect(rotation.turns()).toHaveLength(3);
  });

  describe('gives a queue with more several payments at once', () => {
    /** Its burst after it was served at these times. */
    function burstAfter(...servedAt: readonly number[]): number | undefined {
      let now = 0;
      const rotation = createRotation(() => now);
      rotation.add(queue(1));
      for (const at of servedAt) {
        now = at;
        const [turn] = rotation.turns();
        if (turn === undefined) throw new Error('there is no turn');
        rotation.asked(turn, '8', ONE_BAND);
        rotation.add({ ...queue(1), firstId: '9' });
      }
      return rotation.turns()[0]?.burst;
    }

    test('claims at most four while its turns come quickly', () => {
      expect(burstAfter()).toBe(1);
      expect(burstAfter(0)).toBe(1);
      expect(burstAfter(0, 1_000)).toBe(2);
      expect(burstAfter(0, 100, 200)).toBe(4);
      expect(burstAfter(0, 100, 200, 300)).toBe(4);
    });

    test('claims only one once other queues wait long', () => {
      expect(burstAfter(0, 100, 200, 1_201)).toBe(1);
      expect(burstAfter(0, 100, 200, 1_201, 1_202)).toBe(2);
    });

    test('claims only one if its quick turns were long ago', () => {
      let now = 0;
      const rotation = createRotation(() => now);
      rotation.add(queue(1));
      for (now of [0, 100, 200]) {
        const [turn] = rotation.turns();
        if (turn !== undefined) rotation.asked(turn, '8', ONE_BAND);
      }
      const burstAt = (at: number): number | undefined => {
        now = at;
        return rotation.turns()[0]?.burst;
      };
      expect([burstAt(1_200), burstAt(1_201)]).toEqual([4, 1]);
    });

    test('claims only one after the queue was empty', () => {
      const rotation = createRotation(() => 0);
      rotation.add(queue(1));
      for (const claimedTo of ['8', '9', null]) {
        const [turn] = rotation.turns();
        if (turn === undefined) throw new Error('there is no turn');
        if (claimedTo === null) rotation.empty(turn);
        else rotation.asked(turn, claimedTo, ONE_BAND);
      }
      rotation.add(queue(1));
      expect(rotation.turns()[0]?.burst).toBe(1);
    });
  });
});
