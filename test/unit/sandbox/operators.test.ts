import { expect, test } from 'vitest';
import { planFor } from '../../../sandbox/operators/behaviour.ts';
import { readOptions } from '../../../sandbox/operators/options.ts';

const published = readOptions(['--port', '0', '--data-dir', 'unused']);
const atOnce = { executeAfterMs: 0, callbacksAfterMs: [] };

test.each([
  ['0712009901', { decision: 'paid', answer: 'given', ...atOnce }],
  ['0712009902', { decision: 'declined', answer: 'given', ...atOnce }],
  ['0712009903', { decision: 'paid', answer: 'never', ...atOnce }],
  ['0712009904', { decision: 'declined', answer: 'never', ...atOnce }],
  [
    '0712009905',
    { decision: 'accepted', answer: 'given', executeAfterMs: 2000, callbacksAfterMs: [0] },
  ],
  [
    '0712009906',
    { decision: 'accepted', answer: 'given', executeAfterMs: 2000, callbacksAfterMs: [0, 0, 5000] },
  ],
  [
    '0712009907',
    {
      decision: 'accepted',
      answer: 'when_executed',
      executeAfterMs: 10_000,
      callbacksAfterMs: [0],
    },
  ],
  ['0712009908', { decision: 'paid', answer: 'garbage', ...atOnce }],
  ['0712009909', { decision: 'silent', answer: 'never', ...atOnce }],
  ['0712009910', { decision: 'lost', answer: 'cut', ...atOnce }],
  ['0712009912', { decision: 'paid', answer: 'given', ...atOnce, detailsAfterMs: 2_000 }],
  ['9902', { decision: 'declined', answer: 'given', ...atOnce }],
  ['99020', { decision: 'paid', answer: 'given', ...atOnce }],
  ['', { decision: 'paid', answer: 'given', ...atOnce }],
])('the sandbox has a plan for account %s, with the published delays', (account, plan) => {
  expect(planFor(account, published)).toEqual(plan);
});

test('what was lost once is paid the next time', () => {
  expect(planFor('9910', published, true)).toEqual({
    decision: 'paid',
    answer: 'given',
    ...atOnce,
  });
});

test('an unanswered connection is held for a minute', () => {
  expect(published.holdMs).toBe(60_000);
});
