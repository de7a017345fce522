import { createRoute } from '@tanstack/react-router';
import { lazyPage } from './lazy-page.ts';
import { shell } from './shell-route.ts';

const people = createRoute({
  getParentRoute: () => shell,
  path: '/people',
  component: lazyPage(() => import('../pages/people/People.tsx'), 'People'),
});

const tokens = createRoute({
  getParentRoute: () => shell,
  path: '/people/tokens',
  component: lazyPage(() => import('../pages/tokens/Tokens.tsx'), 'Tokens'),
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
  component: lazyPage(() => import('../pages/audit/Audit.tsx'), 'Audit'),
});

const approvals = createRoute({
  getParentRoute: () => shell,
  path: '/approvals',
  component: lazyPage(() => import('../pages/approvals/Approvals.tsx'), 'Approvals'),
});

const passkeys = createRoute({
  getParentRoute: () => shell,
  path: '/passkeys',
  component: lazyPage(() => import('../pages/passkeys/Passkeys.tsx'), 'Passkeys'),
});

const system = createRoute({
  getParentRoute: () => shell,
  path: '/system',
  component: lazyPage(() => import('../pages/system/System.tsx'), 'System'),
});

const configuration = createRoute({
  getParentRoute: () => shell,
  path: '/system/configuration',
  component: lazyPage(() => import('../pages/system/Configuration.tsx'), 'Configuration'),
});

const jobs = createRoute({
  getParentRoute: () => shell,
  path: '/jobs',
  component: lazyPage(() => import('../pages/jobs/Jobs.tsx'), 'Jobs'),
});

const job = createRoute({
  getParentRoute: () => shell,
  path: '/jobs/$job',
  component: lazyPage(() => import('../pages/jobs/Job.tsx'), 'Job'),
});

/** Pages about people and the service itself. */
export const administrationRoutes = [
  people,
  tokens,
  passkeys,
  audit,
  approvals,
  system,
  configuration,
  jobs,
  job,
] as const;
