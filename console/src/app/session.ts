import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import type { SessionAnswer } from '../../../src/console/answers.ts';
import type { Permission } from '../../../src/parties/people/permissions.ts';
import { ApiError, get, send } from '../api/client.ts';

export type { SessionAnswer };

/** Who is signed in; null: nobody. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  staleTime: 60_000,
  queryFn: async ({ signal }): Promise<SessionAnswer | null> => {
    try {
      return await get<SessionAnswer>('/session', {}, signal);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    }
  },
});

/** The person has signed in. What was read for the one before is forgotten. */
export function beginSession(queries: QueryClient, session: SessionAnswer): void {
  queries.removeQueries();
  queries.setQueryData(sessionQuery.queryKey, session);
  // Otherwise strangers who guess would slow down the next sign-in on this device.
  void send('POST', '/session/device').catch(() => undefined);
}

/** The session, on pages behind the sign-in. */
export function useSession(): SessionAnswer {
  const { data } = useSuspenseQuery(sessionQuery);
  if (data === null) throw new Error('nobody is signed in');
  return data;
}

/** Whether the person may do this, in this console. */
export function useMay(permission: Permission): boolean {
  const { permissions, person, readOnly } = useSession();
  const reads = permission.endsWith('.read');
  return permissions.includes(permission) && (reads || (!readOnly && person.isConfirmed));
}
