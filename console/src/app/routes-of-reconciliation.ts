import { createRoute } from '@tanstack/react-router';
import { lazyPage } from './lazy-page.ts';
import { shell } from './shell-route.ts';

export const reconciliationRoute = createRoute({
  getParentRoute: () => shell,
  path: '/reconciliation',
  validateSearch: (search: Record<string, unknown>): { day?: string } =>
    typeof search['day'] === 'string' ? { day: search['day'] } : {},
  component: lazyPage(() => import('../pages/reconciliation/Reconciliation.tsx'), 'Reconciliation'),
});

export const statementRoute = createRoute({
  getParentRoute: () => shell,
  path: '/statements/$statementId',
  component: lazyPage(() => import('../pages/statement/Statement.tsx'), 'Statement'),
});
