import { QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/client.ts';

const MAX_RETRIES = 2;

/**
 * Answers are cached while they are shown. A refusal is final; a request without an answer is repeated.
 * @param onSignedOut the session has ended.
 */
export function createQueries(onSignedOut: () => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => {
        if (error instanceof ApiError && error.status === 401) onSignedOut();
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: (failures, error) =>
          failures < MAX_RETRIES && error instanceof ApiError && error.status === 0,
      },
    },
  });
}
