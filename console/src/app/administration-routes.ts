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

const approvals = createRoute({
  getParentRoute: () => shell,
  path: '/approvals',
  component: lazyRouteComponent(() => import('../pages/approvals/Approvals.tsx'), 'Approvals'),
});

const passkeys = createRoute({
  getParentRoute: () => shell,
  path: '/passkeys',
  component: lazyRouteComponent(() => import('../pages/passkeys/Passkeys.tsx'), 'Passkeys'),
});

const system = createRoute({
  getParentRoute: () => shell,
  path: '/system',
  component: lazyRouteComponent(() => import('../pages/system/System.tsx'), 'System'),
});

const configuration = createRoute({
  getParentRoute: () => shell,
  path: '/system/configuration',
  component: lazyRouteComponent(() => import('../pages/system/Configuration.tsx'), 'Configuration'),
});

/** Pages about people and the service itself. */
export const administrationRoutes = [
  people,
  passkeys,
  audit,
  approvals,
  system,
  configuration,
] as const;
