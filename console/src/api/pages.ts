import { useInfiniteQuery } from '@tanstack/react-query';
import type { InfiniteData, QueryKey, UseInfiniteQueryOptions } from '@tanstack/react-query';
import { get } from './client.ts';
import type { QueryValues } from './client.ts';

type Cursor = string | undefined;
type Options<Answer> = Pick<
  UseInfiniteQueryOptions<Answer, Error, InfiniteData<Answer>, QueryKey, Cursor>,
  'enabled' | 'placeholderData' | 'refetchInterval'
>;

/** A list that is read page by page. It is cached by the key and the query. */
export function usePages<Answer extends { readonly next: string | null }>(
  key: QueryKey,
  path: string,
  query: QueryValues = {},
  options: Options<Answer> = {},
) {
  return useInfiniteQuery({
    ...options,
    queryKey: [...key, query],
    initialPageParam: undefined as Cursor,
    queryFn: ({ pageParam: cursor, signal }) => get<Answer>(path, { ...query, cursor }, signal),
    getNextPageParam: ({ next }) => next ?? undefined,
  });
}
