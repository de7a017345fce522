import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useSession } from '../../app/session.ts';
import { Columns, Stack } from '../../design/Columns.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { FloatTiles } from '../vendor/FloatTiles.tsx';
import { Prices } from '../vendor/Prices.tsx';
import { Settings } from '../vendor/Settings.tsx';
import { vendorQuery } from '../vendor/vendor-query.ts';
import { StatementCard } from '../book-statement/StatementCard.tsx';

/** A vendor's own money, statement, prices and settings. */
export function Account() {
  const vid = useSession().person.vid ?? '';
  const vendor = useQuery(vendorQuery(vid));
  return (
    <>
      <PageHeader
        title={<Trans>Account</Trans>}
        about={vendor.data !== undefined && `${vendor.data.name} (${vid})`}
      />
      {vendor.isError && <Problem error={vendor.error} onRetry={() => void vendor.refetch()} />}
      {vendor.isPending && <Skeleton lines={12} />}
      {vendor.data !== undefined && (
        <>
          <FloatTiles vendor={vendor.data} />
          <StatementCard vid={vid} />
          <Columns>
            <Stack>
              <Prices prices={vendor.data.prices} />
            </Stack>
            <Stack>
              <Settings vendor={vendor.data} />
            </Stack>
          </Columns>
        </>
      )}
    </>
  );
}
