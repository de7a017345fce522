import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, redirect } from '@tanstack/react-router';
import { FrameProblem, Root } from './Root.tsx';
import { lazyPage } from './lazy-page.ts';
import { sessionQuery } from './session.ts';

interface Context {
  readonly queries: QueryClient;
}

export const root = createRootRouteWithContext<Context>()({ component: Root });

/** Everything behind the sign-in. */
export const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  beforeLoad: async ({ context, location }) => {
    const session = await context.queries.ensureQueryData(sessionQuery);
    if (session === null) {
      throw redirect({
        to: '/sign-in',
        search: { next: location.href },
        state: { hasEnded: wasSignedIn(context.queries) },
      });
    }
    return { session };
  },
  component: lazyPage(() => import('./Shell.tsx'), 'Shell'),
  errorComponent: FrameProblem,
});

/** Signing out loads the page again, so a session that was there before has ended. */
function wasSignedIn(queries: QueryClient): boolean {
  return (queries.getQueryState(sessionQuery.queryKey)?.dataUpdateCount ?? 0) > 1;
}
