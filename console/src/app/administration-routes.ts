import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shell } from './shell-route.ts';

const people = createRoute({
  getParentRoute: () => shell,
  path: '/people',
  component: lazyRouteComponent(() => import('../pages/people/People.tsx'), 'People'),
});

/** The filters of the audit log, as the API takes them. */
const AUDIT_FILTERS = ['login', 'action', 'target', 'from', 'to'] as const;

const audit = createRoute({
  getParentRoute: () => shell,
  path: '/audit',
  validateSearch: (search: Record<string, unknown>) => {
    const filter: Partial<Record<(typeof AUDIT_FILTERS)[number], string>> = {};
    for (const name of AUDIT_FILTERS) {
      const value = search[name];
      if (typeof value === 'string' || typeof value === 'number') filter[name] = String(value);
    }
    return filter;
  },
  component: lazyRouteComponent(() => import('../pages/audit/Audit.tsx'), 'Audit'),
});

/** Pages about people and the service itself. */
export const administrationRoutes = [people, audit] as const;
