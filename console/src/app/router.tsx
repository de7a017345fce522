import type { QueryClient } from '@tanstack/react-query';
import { createRoute, createRouter } from '@tanstack/react-router';
import { administrationRoutes } from './administration-routes.ts';
import { financeRoutes } from './finance-routes.ts';
import { creditRoutes } from './credit-routes.ts';
import { lazyPage } from './lazy-page.ts';
import { NotFound, RouteProblem } from './PageProblem.tsx';
import { readFilter } from '../pages/payments/filter.ts';
import { caseRoute, casesRoute } from './routes-of-cases.ts';
import { operationsRoutes } from './operations-routes.ts';
import { reconciliationRoute, statementRoute } from './routes-of-reconciliation.ts';
import { root, shell } from './shell-route.ts';
import { vendorRoutes } from './vendor-routes.ts';

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { next?: string } =>
    // A path of the console, not another site.
    typeof search['next'] === 'string' && /^\/(?!\/)/.test(search['next'])
      ? { next: search['next'] }
      : {},
  component: lazyPage(() => import('../pages/sign-in/SignIn.tsx'), 'SignIn'),
});

const welcome = createRoute({
  getParentRoute: () => root,
  path: '/welcome',
  component: lazyPage(() => import('../pages/welcome/Welcome.tsx'), 'Welcome'),
});

const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  component: lazyPage(() => import('../pages/home/Home.tsx'), 'Home'),
});

const payments = createRoute({
  getParentRoute: () => shell,
  path: '/payments',
  validateSearch: readFilter,
  component: lazyPage(() => import('../pages/payments/Payments.tsx'), 'Payments'),
});

const owedDetails = createRoute({
  getParentRoute: () => shell,
  path: '/payments/owed-details',
  component: lazyPage(() => import('../pages/owed-details/OwedDetails.tsx'), 'OwedDetails'),
});

const payment = createRoute({
  getParentRoute: () => shell,
  path: '/payments/$reference',
  component: lazyPage(() => import('../pages/payment/Payment.tsx'), 'Payment'),
});

const design = createRoute({
  getParentRoute: () => shell,
  path: '/design',
  component: lazyPage(() => import('../pages/design/Design.tsx'), 'Design'),
});

/** Any other address. */
const unknown = createRoute({
  getParentRoute: () => shell,
  path: '$',
  component: NotFound,
});

const tree = root.addChildren([
  signIn,
  welcome,
  shell.addChildren([
    home, //
    payments,
    owedDetails,
    payment,
    casesRoute,
    caseRoute,
    reconciliationRoute,
    statementRoute,
    design,
    unknown,
    ...operationsRoutes,
    ...financeRoutes,
    ...creditRoutes,
    ...administrationRoutes,
    ...vendorRoutes,
  ]),
]);

/** The path at which the server mounts the console, from the page's <base>. */
function basePath(): string {
  return new URL(document.baseURI).pathname;
}

function searchText(search: Record<string, unknown>): string {
  const given = Object.entries(search).filter((entry): entry is [string, string] => {
    return typeof entry[1] === 'string';
  });
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

export function createConsoleRouter(queries: QueryClient) {
  return createRouter({
    routeTree: tree,
    basepath: basePath(),
    context: { queries },
    // Plain text: the router's own form would turn accounts into numbers.
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: searchText,
    // Nothing that the page does not know, such as what a mail program adds to a link.
    search: { strict: true },
    defaultPreload: 'intent',
    defaultErrorComponent: RouteProblem,
    defaultNotFoundComponent: () => <NotFound />,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** How many newer pages of the list led here. */
    page?: number;
    /** A search text for payments, which may be personal data, and how it is read. */
    sought?: string;
    soughtAs?: string;
    /** The session ended while a page was open. */
    hasEnded?: boolean;
  }
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
