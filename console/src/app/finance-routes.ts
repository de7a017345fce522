import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
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
  component: lazyRouteComponent(() => import('../pages/ledger/Ledger.tsx'), 'Ledger'),
});

const ledgerAccount = createRoute({
  getParentRoute: () => shell,
  path: '/ledger/$books/$account',
  validateSearch: readBookFilter,
  component: lazyRouteComponent(
    () => import('../pages/ledger-account/LedgerAccount.tsx'),
    'LedgerAccount',
  ),
});

const journals = createRoute({
  getParentRoute: () => shell,
  path: '/journals',
  component: lazyRouteComponent(() => import('../pages/journals/Journals.tsx'), 'Journals'),
});

/** Pages about money and the books. */
export const financeRoutes = [ledger, ledgerAccount, journals] as const;
