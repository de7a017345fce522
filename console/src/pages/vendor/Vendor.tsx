import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { VendorView } from '../../../../src/staff/vendor-view.ts';
import { PageProblem } from '../../app/PageProblem.tsx';
import { useMay } from '../../app/session.ts';
import { Columns, Stack } from '../../design/Columns.tsx';
import { Notice } from '../../design/Notice.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Time } from '../../format/Time.tsx';
import { VendorState } from '../../format/VendorState.tsx';
import { StatementCard } from '../book-statement/StatementCard.tsx';
import { Deliveries } from '../integration/Deliveries.tsx';
import { Keys } from '../integration/Keys.tsx';
import { Webhook } from '../integration/Webhook.tsx';
import { CompareSignature } from '../requests/CompareSignature.tsx';
import { RequestList } from '../requests/RequestList.tsx';
import { ChangeVendor } from './ChangeVendor.tsx';
import { FloatTiles } from './FloatTiles.tsx';
import { Prices } from './Prices.tsx';
import { Settings } from './Settings.tsx';
import { vendorQuery } from './vendor-query.ts';
import { VendorPeople } from './VendorPeople.tsx';

/** One vendor, for staff. */
export function Vendor() {
  const { vid } = useParams({ from: '/shell/vendors/$vid' });
  const vendor = useQuery(vendorQuery(vid));
  if (vendor.data !== undefined) return <Shown vendor={vendor.data} />;
  if (vendor.isError)
    return <PageProblem error={vendor.error} onRetry={() => void vendor.refetch()} />;
  return <Skeleton lines={12} />;
}

function Shown({ vendor }: { readonly vendor: VendorView }) {
  const mayChange = useMay('vendors.act');
  const seesIntegration = useMay('integration.read');
  const seesPeople = useMay('people.read');
  const seesStatement = useMay('statement.read');
  const { vid, name } = vendor;
  return (
    <>
      <PageHeader
        back={
          <Link to="/vendors">
            <Trans>Vendors</Trans>
          </Link>
        }
        title={
          <>
            {name} <VendorState vendor={vendor} />
          </>
        }
        about={
          <Trans>
            {vid}, vendor since <Time at={vendor.created_at} />
          </Trans>
        }
      >
        {mayChange && <ChangeVendor vendor={vendor} />}
      </PageHeader>
      {vendor.status === 'suspended' && (
        <Notice tone="alert">
          <Trans>Its requests are refused. Accepted payments continue.</Trans>
        </Notice>
      )}
      <FloatTiles vendor={vendor} />
      <Columns>
        <Stack>
          {seesIntegration && <Webhook vid={vid} />}
          {seesIntegration && <Keys vid={vid} />}
          <Prices prices={vendor.prices} />
        </Stack>
        <Stack>
          <Settings vendor={vendor} />
          {seesPeople && <VendorPeople vid={vid} />}
        </Stack>
      </Columns>
      {seesStatement && <StatementCard vid={vid} />}
      {seesIntegration && (
        <>
          <Deliveries vid={vid} />
          <RequestList vid={vid} />
          <CompareSignature vid={vid} />
        </>
      )}
    </>
  );
}
