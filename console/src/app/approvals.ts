import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ProposalList } from '../../../src/staff/proposals.ts';
import { get } from '../api/client.ts';
import { useSession } from './session.ts';

const EVERY_MS = 30_000;
const MAX_LISTED = '200';

/** What waits for a second person. The navigation and the page share it. */
export const approvalsQuery = queryOptions({
  queryKey: ['approvals'],
  queryFn: ({ signal }) => get<ProposalList>('/proposals', { limit: MAX_LISTED }, signal),
  refetchInterval: EVERY_MS,
});

/** How many proposals of others the person may decide. */
export function useWaitingCount(): number {
  const { permissions } = useSession();
  const enabled = permissions.includes('approvals.read');
  const { data } = useQuery({ ...approvalsQuery, enabled });
  return data?.proposals.filter(({ is_own: isOwn }) => !isOwn).length ?? 0;
}
