import { createRoute } from '@tanstack/react-router';
import { lazyPage } from './lazy-page.ts';
import { shell } from './shell-route.ts';

/** The filters of the enquiries, as the API takes them. */
const FILTERS = ['vid', 'outcome', 'reference', 'from', 'to'] as const;

const enquiries = createRoute({
  getParentRoute: () => shell,
  path: '/credit',
  validateSearch: (search: Record<string, unknown>) => {
    const filter: Partial<Record<(typeof FILTERS)[number], string>> = {};
    for (const name of FILTERS) {
      const value = search[name];
      if (typeof value === 'string' && value !== '') filter[name] = value;
    }
    return filter;
  },
  component: lazyPage(() => import('../pages/credit/Enquiries.tsx'), 'Enquiries'),
});

const newEnquiry = createRoute({
  getParentRoute: () => shell,
  path: '/credit/new',
  component: lazyPage(() => import('../pages/credit/NewEnquiry.tsx'), 'NewEnquiry'),
});

const report = createRoute({
  getParentRoute: () => shell,
  path: '/credit/enquiries/$vid/$operation/$reference',
  // Each look is in the audit log, so nothing is read when the pointer only passes a link.
  component: lazyPage(() => import('../pages/credit/Report.tsx'), 'Report'),
});

const imports = createRoute({
  getParentRoute: () => shell,
  path: '/credit/imports',
  component: lazyPage(() => import('../pages/credit-imports/Imports.tsx'), 'Imports'),
});

const newImport = createRoute({
  getParentRoute: () => shell,
  path: '/credit/imports/new',
  component: lazyPage(() => import('../pages/credit-imports/NewImport.tsx'), 'NewImport'),
});

const oneImport = createRoute({
  getParentRoute: () => shell,
  path: '/credit/imports/$importId',
  component: lazyPage(() => import('../pages/credit-imports/Import.tsx'), 'Import'),
});

const cases = createRoute({
  getParentRoute: () => shell,
  path: '/credit/cases',
  component: lazyPage(() => import('../pages/credit-cases/CreditCases.tsx'), 'CreditCases'),
});

const oneCase = createRoute({
  getParentRoute: () => shell,
  path: '/credit/cases/$caseId',
  component: lazyPage(() => import('../pages/credit-cases/CreditCase.tsx'), 'CreditCase'),
});

const dispute = createRoute({
  getParentRoute: () => shell,
  path: '/credit/disputes/$disputeId',
  component: lazyPage(() => import('../pages/credit-cases/DisputePage.tsx'), 'DisputePage'),
});

const proposal = createRoute({
  getParentRoute: () => shell,
  path: '/credit/proposals/$proposalId',
  component: lazyPage(() => import('../pages/credit-cases/Proposal.tsx'), 'Proposal'),
});

const rules = createRoute({
  getParentRoute: () => shell,
  path: '/credit/rules',
  component: lazyPage(() => import('../pages/credit-rules/Rules.tsx'), 'Rules'),
});

const scorecards = createRoute({
  getParentRoute: () => shell,
  path: '/credit/scorecards',
  component: lazyPage(() => import('../pages/credit-scorecards/Scorecards.tsx'), 'Scorecards'),
});

const scorecard = createRoute({
  getParentRoute: () => shell,
  path: '/credit/scorecards/$card',
  component: lazyPage(() => import('../pages/credit-scorecards/Scorecard.tsx'), 'Scorecard'),
});

const monitoring = createRoute({
  getParentRoute: () => shell,
  path: '/credit/monitoring',
  component: lazyPage(
    () => import('../pages/credit-monitoring/CreditMonitoring.tsx'),
    'CreditMonitoring',
  ),
});

/** Pages about credit information. */
export const creditRoutes = [
  enquiries,
  newEnquiry,
  report,
  imports,
  newImport,
  oneImport,
  cases,
  oneCase,
  dispute,
  proposal,
  rules,
  scorecards,
  scorecard,
  monitoring,
] as const;
