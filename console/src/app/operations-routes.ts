import { createRoute } from '@tanstack/react-router';
import { lazyPage } from './lazy-page.ts';
import { shell } from './shell-route.ts';

const billers = createRoute({
  getParentRoute: () => shell,
  path: '/billers',
  component: lazyPage(() => import('../pages/billers/Billers.tsx'), 'Billers'),
});

const biller = createRoute({
  getParentRoute: () => shell,
  path: '/billers/$code',
  component: lazyPage(() => import('../pages/biller/Biller.tsx'), 'Biller'),
});

const operators = createRoute({
  getParentRoute: () => shell,
  path: '/operators',
  component: lazyPage(() => import('../pages/operators/Operators.tsx'), 'Operators'),
});

const operator = createRoute({
  getParentRoute: () => shell,
  path: '/operators/$code',
  component: lazyPage(() => import('../pages/operator/Operator.tsx'), 'Operator'),
});

const prices = createRoute({
  getParentRoute: () => shell,
  path: '/prices',
  component: lazyPage(() => import('../pages/prices/Prices.tsx'), 'Prices'),
});

const prefixes = createRoute({
  getParentRoute: () => shell,
  path: '/prefixes',
  component: lazyPage(() => import('../pages/prices/Prefixes.tsx'), 'Prefixes'),
});

/** Pages about billers and operators. */
export const operationsRoutes = [billers, biller, operators, operator, prices, prefixes] as const;
