import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventsOf } from '../../../../src/credit/watches/watch-events.ts';
import type { Known } from '../../../../src/credit/watches/watch-events.ts';

const NOTHING = { asOf: new Date('2026-11-21T00:00:00Z'), accounts: [], enquiries: [] };

function known(score: number | null, card = 'a@1'): Known {
  return { score, card, defaults: [], newestEnquiryMs: 0 };
}

/** The falls that are reported while a score takes these values. */
function falls(scores: readonly (number | null)[], scoreDrop: number): string[] {
  const [first = null, ...rest] = scores;
  let before = known(first);
  return rest.flatMap((score) => {
    const by = { file: NOTHING, vendorId: 1, scoreDrop };
    const { events, known: after } = eventsOf(before, known(score), by);
    before = after;
    return events.map((event) => ('from' in event ? `${event.from}-${event.to}` : event.type));
  });
}

test('small falls add up to a reported one, and a rise sets a new starting point', () => {
  expect(falls([700, 690, 680, 670, 665], 30)).toEqual(['700-670']);
  expect(falls([700, 690, 720, 691, 690], 30)).toEqual(['720-690']);
  expect(falls([700, null, 650], 30)).toEqual(['700-650']);
  expect(falls([null, 700, 671], 30)).toEqual([]);
});

test('a fall of the limit or more is always reported, and a smaller one never', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 2, maxLength: 20 }),
      fc.integer({ min: 1, max: 200 }),
      (scores, scoreDrop) => {
        let mark = scores[0] ?? 0;
        const expected = scores.slice(1).flatMap((score) => {
          const from = mark;
          if (from - score >= scoreDrop) {
            mark = score;
            return [`${from}-${score}`];
          }
          mark = Math.max(mark, score);
          return [];
        });
        expect(falls(scores, scoreDrop)).toEqual(expected);
      },
    ),
  );
});

test('another card is no fall of the score, and begins with its own', () => {
  const by = { file: NOTHING, vendorId: 1, scoreDrop: 30 };
  const changed = eventsOf(known(700), known(500, 'b@1'), by);
  expect(changed).toEqual({ events: [], known: known(500, 'b@1') });
  const { events } = eventsOf(changed.known, known(470, 'b@1'), by);
  expect(events).toEqual([{ type: 'credit.score_drop', from: 500, to: 470 }]);
});

test('an account is reported when it is in default for the first time', () => {
  const before: Known = { ...known(null), defaults: ['a'] };
  const now: Known = { ...known(null), defaults: ['a', 'b', 'c'] };
  const by = { file: NOTHING, vendorId: 1, scoreDrop: 30 };
  expect(eventsOf(before, now, by).events).toEqual([{ type: 'credit.default', accounts: 2 }]);
  expect(eventsOf(now, now, by).events).toEqual([]);
});
