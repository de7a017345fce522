import { createRoute } from '@tanstack/react-router';
import { DIMENSIONS } from '../../../src/payments/reports/dimensions.ts';
import type { Dimension } from '../../../src/payments/reports/dimensions.ts';
import { lazyPage } from './lazy-page.ts';
import { shell } from './shell-route.ts';

/** What a report of the books is of, as the API takes it. */
export interface BookFilter {
  /** YYYY-MM-DD, both included. */
  readonly from?: string;
  readonly to?: string;
  readonly vid?: string;
}

function readBookFilter(search: Record<string, unknown>): BookFilter {
  const filter: { -readonly [Name in keyof BookFilter]: string } = {};
  for (const name of ['from', 'to', 'vid'] as const) {
    const value = search[name];
    if (typeof value === 'string' && value !== '') filter[name] = value;
  }
  return filter;
}

const ledger = createRoute({
  getParentRoute: () => shell,
  path: '/ledger',
  validateSearch: readBookFilter,
  component: lazyPage(() => import('../pages/ledger/Ledger.tsx'), 'Ledger'),
});

const ledgerAccount = createRoute({
  getParentRoute: () => shell,
  path: '/ledger/$books/$account',
  validateSearch: readBookFilter,
  component: lazyPage(() => import('../pages/ledger-account/LedgerAccount.tsx'), 'LedgerAccount'),
});

const profit = createRoute({
  getParentRoute: () => shell,
  path: '/profit',
  validateSearch: readBookFilter,
  component: lazyPage(() => import('../pages/profit/Profit.tsx'), 'Profit'),
});

const summaryJournals = createRoute({
  getParentRoute: () => shell,
  path: '/summary-journals',
  component: lazyPage(
    () => import('../pages/summary-journals/SummaryJournals.tsx'),
    'SummaryJournals',
  ),
});

const journals = createRoute({
  getParentRoute: () => shell,
  path: '/journals',
  component: lazyPage(() => import('../pages/journals/Journals.tsx'), 'Journals'),
});

export interface MarginFilter extends BookFilter {
  readonly by?: Dimension;
}

const margin = createRoute({
  getParentRoute: () => shell,
  path: '/margin',
  validateSearch: (search: Record<string, unknown>): MarginFilter => {
    const by = DIMENSIONS.find((name) => name === search['by']);
    return by === undefined ? readBookFilter(search) : { ...readBookFilter(search), by };
  },
  component: lazyPage(() => import('../pages/margin/Margin.tsx'), 'Margin'),
});

const topUps = createRoute({
  getParentRoute: () => shell,
  path: '/top-ups',
  component: lazyPage(() => import('../pages/top-ups/TopUps.tsx'), 'TopUps'),
});

const receivables = createRoute({
  getParentRoute: () => shell,
  path: '/receivables',
  component: lazyPage(() => import('../pages/receivables/Receivables.tsx'), 'Receivables'),
});

export interface MonthFilter {
  /** YYYY-MM */
  readonly month?: string;
}

const vat = createRoute({
  getParentRoute: () => shell,
  path: '/vat',
  validateSearch: ({ month }: Record<string, unknown>): MonthFilter =>
    typeof month === 'string' && month !== '' ? { month } : {},
  component: lazyPage(() => import('../pages/vat/Vat.tsx'), 'Vat'),
});

const vendorStatement = createRoute({
  getParentRoute: () => shell,
  path: '/vendors/$vid/account-statement',
  validateSearch: readBookFilter,
  component: lazyPage(() => import('../pages/book-statement/StatementPage.tsx'), 'VendorStatement'),
});

const operatorStatement = createRoute({
  getParentRoute: () => shell,
  path: '/operators/$code/account-statement',
  validateSearch: readBookFilter,
  component: lazyPage(
    () => import('../pages/book-statement/StatementPage.tsx'),
    'OperatorStatement',
  ),
});

/** Pages about money and the books. */
export const financeRoutes = [
  ledger,
  ledgerAccount,
  profit,
  summaryJournals,
  journals,
  margin,
  topUps,
  receivables,
  vat,
  vendorStatement,
  operatorStatement,
] as const;
