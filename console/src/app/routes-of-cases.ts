import { createRoute } from '@tanstack/react-router';
import { readCaseFilter } from '../pages/cases/filter.ts';
import { lazyPage } from './lazy-page.ts';
import { shell } from './shell-route.ts';

export const casesRoute = createRoute({
  getParentRoute: () => shell,
  path: '/cases',
  validateSearch: readCaseFilter,
  component: lazyPage(() => import('../pages/cases/Cases.tsx'), 'Cases'),
});

export const caseRoute = createRoute({
  getParentRoute: () => shell,
  path: '/cases/$caseId',
  component: lazyPage(() => import('../pages/case/Case.tsx'), 'Case'),
});
