import { QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/client.ts';

const MAX_RETRIES = 2;

/** Answers are kept while they are shown. A refusal is final; a missing answer is asked for again. */
export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: (failures, error) =>
          failures < MAX_RETRIES && error instanceof ApiError && error.status === 0,
      },
    },
  });
}
