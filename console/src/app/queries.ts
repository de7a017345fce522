import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/client.ts';

const MAX_RETRIES = 2;

/**
 * Answers are cached while they are shown. A refusal is final; a request without an answer is repeated.
 * @param onSignedOut the session has ended.
 */
export function createQueries(onSignedOut: () => void): QueryClient {
  const onError = (error: Error): void => {
    if (error instanceof ApiError && error.code === 'not_signed_in') onSignedOut();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // Otherwise a payment would be sent when the browser is online again, minutes later.
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        staleTime: 5_000,
        retry: (failures, error) =>
          failures < MAX_RETRIES && error instanceof ApiError && error.status === 0,
      },
    },
  });
}
