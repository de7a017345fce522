import { expect, test } from 'vitest';
import { consolePaths, isMeasured, NOT_MEASURED } from '../../../bench/console-paths.ts';
import { partsOf } from '../../../src/staff/http.ts';
import { definedRoutes } from '../../support/defined-routes.ts';

const SAMPLES = {
  busyVid: 'busy',
  quietVid: 'quiet',
  account: '14234567',
  phone: '254700000001',
  merchantReference: 'order-1',
  reference: 'reference',
  caseId: 'case',
  statementId: 'statement',
  scorecard: 'card',
  dayAgo: () => '2026-03-01',
};

test('the bench measures every route that reads, with each of its filters, or has a reason not to', async () => {
  const routes = await definedRoutes();
  const paths = consolePaths(routes, SAMPLES);
  for (const { path, of } of routes.filter(isMeasured)) {
    const measured = paths.filter(({ route }) => route.path === path).map((one) => one.path);
    expect(measured, path).not.toEqual([]);
    for (const name of Object.keys(partsOf(of).query?.properties ?? {})) {
      const isTried = measured.some((one) => new RegExp(`[?&]${name}=`).test(one));
      // The next page of a list is read when the first one says where it begins.
      expect(isTried || name === 'cursor', `${name} of ${path}`).toBe(true);
    }
  }
});

test('what is not measured exists', async () => {
  const paths = new Set((await definedRoutes()).map(({ path }) => path));
  expect(Object.keys(NOT_MEASURED).filter((path) => !paths.has(path))).toEqual([]);
});
