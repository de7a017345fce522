import { useInfiniteQuery } from '@tanstack/react-query';
import type { AccountStatement } from '../../../../src/staff/account-statements.ts';
import { get } from '../../api/client.ts';

/** Days of the service's time zone, both included. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

/** The API's path of a statement. */
export const vendorPath = (vid: string): string =>
  `/vendors/${encodeURIComponent(vid)}/account-statement`;
export const operatorPath = (code: string): string =>
  `/operators/${encodeURIComponent(code)}/account-statement`;

/** A statement of a period, page by page. */
export function useStatement(path: string, { from, to }: Days) {
  return useInfiniteQuery({
    queryKey: ['statement', path, from, to],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      get<AccountStatement>(path, cursor === undefined ? { from, to } : { cursor }, signal),
    getNextPageParam: (page) => page.next ?? undefined,
    // A page follows from the one before it, so a single one is not read again.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}

export type StatementList = ReturnType<typeof useStatement>;
