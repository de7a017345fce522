import { beforeAll, expect, test } from 'vitest';
import { storeMonths } from '../../src/credit/monitoring/months-store.ts';
import type { CreditUsage, KeptMonths } from '../../src/staff/credit-monitor.ts';
import type { ScorecardDetail, ScorecardList } from '../../src/staff/credit-scorecard-schema.ts';
import { signedIn } from '../support/console-client.ts';
import type { ConsoleClient } from '../support/console-client.ts';
import { useService } from '../support/use-service.ts';

const running = useService();
let risk: ConsoleClient;

beforeAll(async () => {
  risk = await signedIn(running.origin, 'risk');
});

const read = async <Answer>(path: string): Promise<Answer> => {
  const answer = await risk.get(path);
  expect(answer.text).not.toContain('"error"');
  return answer.body as unknown as Answer;
};

test('lists the cards and their roles, and shows one card with its points and the plots of its test', async () => {
  const { cards } = await read<ScorecardList>('/credit/scorecards');
  expect(cards.map(({ card, role }) => [card, role])).toEqual([
    ['malipo-generic@3', 'champion'],
    ['malipo-generic@2', null],
    ['malipo-generic@1', null],
    ['malipo-mobile@3', 'champion'],
    ['malipo-mobile@2', null],
    ['malipo-mobile@1', null],
  ]);
  const card = await read<ScorecardDetail>('/credit/scorecards/malipo-generic@3');
  expect(card).toMatchObject({ role: 'champion', version: 3, months: [] });
  expect(card.plots?.roc.at(-1)).toEqual({ goods: 1, bads: 1 });
  expect(card.characteristics[0]?.bins.length).toBeGreaterThan(1);
  expect((await risk.get('/credit/scorecards/none@1')).status).toBe(404);
});

test('enquiries are counted by day and vendor, with what found nobody', async () => {
  const ask = async (nationalID: string, name2: string, reference: string) =>
    await running.demo().call('genericScore', {
      ...{ requestReference: reference, reportReason: '2', reportSector: '2' },
      ...{ nationalID, name1: 'Amani', name2 },
    });
  await ask('900000001', 'Wanjiru', 'USED1');
  await ask('900000001', 'Somebody', 'USED2');
  await ask('999999999', 'Wanjiru', 'USED3');
  await storeMonths(
    running.service.pool,
    [
      {
        ...{ month: '2026-10', kind: 'generic', card: 'malipo-generic@3', role: 'champion' },
        ...{ people: 300, meanScore: 600, stabilityIndex: 0.12, comparedWith: 'training' },
        ...{ known: 0, predicted: null, observed: null, auc: null, badSoFar: 0 },
      },
    ],
    new Date(),
  );
  const answer = await read<CreditUsage>('/credit/usage?days=7');
  expect(answer.days).toHaveLength(7);
  expect(answer.days.at(-1)).toMatchObject({ enquiries: 3, answered: 1 });
  expect(answer.vendors).toMatchObject([{ of: 'demo', enquiries: 3 }]);
  const { months } = await read<KeptMonths>('/credit/months');
  expect(months).toMatchObject([{ month: '2026-10', stability_index: 0.12 }]);
  expect((await risk.get('/credit/usage?days=0')).status).toBe(400);
});
