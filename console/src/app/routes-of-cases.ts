import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readCaseFilter } from '../pages/cases/filter.ts';
import { shell } from './shell-route.ts';

export const casesRoute = createRoute({
  getParentRoute: () => shell,
  path: '/cases',
  validateSearch: readCaseFilter,
  component: lazyRouteComponent(() => import('../pages/cases/Cases.tsx'), 'Cases'),
});

export const caseRoute = createRoute({
  getParentRoute: () => shell,
  path: '/cases/$caseId',
  component: lazyRouteComponent(() => import('../pages/case/Case.tsx'), 'Case'),
});
