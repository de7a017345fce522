import type { QueryClient } from '@tanstack/react-query';
import { createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { NotFound, PageProblem } from './PageProblem.tsx';
import { root, shell } from './shell-route.ts';

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { next?: string } =>
    // A path of the console, not another site.
    typeof search['next'] === 'string' && /^\/(?!\/)/.test(search['next'])
      ? { next: search['next'] }
      : {},
  component: lazyRouteComponent(() => import('../pages/sign-in/SignIn.tsx'), 'SignIn'),
});

const welcome = createRoute({
  getParentRoute: () => root,
  path: '/welcome',
  component: lazyRouteComponent(() => import('../pages/welcome/Welcome.tsx'), 'Welcome'),
});

const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/home/Home.tsx'), 'Home'),
});

/** The filters of the list of payments, as the API takes them. */
const FILTERS = [
  'search',
  'status',
  'biller',
  'operator',
  'vid',
  'min',
  'max',
  'from',
  'to',
] as const;

const payments = createRoute({
  getParentRoute: () => shell,
  path: '/payments',
  validateSearch: (search: Record<string, unknown>) => {
    const filter: Partial<Record<(typeof FILTERS)[number], string>> = {};
    for (const name of FILTERS) {
      const value = search[name];
      if (typeof value === 'string' || typeof value === 'number') filter[name] = String(value);
    }
    return filter;
  },
  component: lazyRouteComponent(() => import('../pages/payments/Payments.tsx'), 'Payments'),
});

const payment = createRoute({
  getParentRoute: () => shell,
  path: '/payments/$reference',
  component: lazyRouteComponent(() => import('../pages/payment/Payment.tsx'), 'Payment'),
});

const design = createRoute({
  getParentRoute: () => shell,
  path: '/design',
  component: lazyRouteComponent(() => import('../pages/design/Design.tsx'), 'Design'),
});

const tree = root.addChildren([
  signIn,
  welcome,
  shell.addChildren([
    home, //
    payments,
    payment,
    design,
  ]),
]);

/** The path at which the server mounts the console, from the page's <base>. */
function basePath(): string {
  return new URL(document.baseURI).pathname;
}

export function createConsoleRouter(queries: QueryClient) {
  return createRouter({
    routeTree: tree,
    basepath: basePath(),
    context: { queries },
    defaultPreload: 'intent',
    defaultErrorComponent: PageProblem,
    defaultNotFoundComponent: NotFound,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
