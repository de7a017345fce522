import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import type { KeyList } from '../../../../src/staff/vendor-keys.ts';
import { get } from '../../api/client.ts';
import { Card } from '../../design/Card.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Secrets } from './Secrets.tsx';

/** The keys that a vendor signs its requests with. */
export function Keys({ vid }: { readonly vid: string }) {
  const { t } = useLingui();
  const path = `/vendors/${encodeURIComponent(vid)}/keys`;
  const queryKey = ['vendor', vid, 'keys'];
  const keys = useQuery({
    queryKey,
    queryFn: ({ signal }) => get<KeyList>(path, {}, signal),
  });
  return (
    <Card title={<Trans>Security keys</Trans>} more={<Trans>for signing requests</Trans>}>
      {keys.isError && <Problem error={keys.error} onRetry={() => void keys.refetch()} />}
      {keys.isPending && <Skeleton lines={3} />}
      {keys.data !== undefined && (
        <Secrets
          keys={keys.data.keys}
          path={path}
          queryKey={queryKey}
          newTitle={t`New security key`}
          shownOnce={
            <Trans>
              Keep it in a safe place now, and let nobody see it: anybody who has it can pay from
              the float.
            </Trans>
          }
        />
      )}
    </Card>
  );
}
