import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { sessionQuery } from './session.ts';

interface Context {
  readonly queries: QueryClient;
}

export const root = createRootRouteWithContext<Context>()();

/** Everything behind the sign-in. */
export const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  beforeLoad: async ({ context, location }) => {
    const session = await context.queries.ensureQueryData(sessionQuery);
    if (session === null) {
      throw redirect({ to: '/sign-in', search: { next: location.href } });
    }
    return { session };
  },
  component: lazyRouteComponent(() => import('./Shell.tsx'), 'Shell'),
});
