import { Trans } from '@lingui/react/macro';
import { useSession } from '../../app/session.ts';
import { Columns, Stack } from '../../design/Columns.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Deliveries } from './Deliveries.tsx';
import { Keys } from './Keys.tsx';
import { Webhook } from './Webhook.tsx';

/** A vendor's keys, webhook and deliveries: the connection of its own programs. */
export function Integration() {
  const vid = useSession().person.vid ?? '';
  return (
    <>
      <PageHeader
        title={<Trans>Integration</Trans>}
        about={
          <Trans>Your vendor ID is {vid}. Its keys, its webhook, and what was delivered.</Trans>
        }
      />
      <Columns equal>
        <Stack>
          <Keys vid={vid} />
        </Stack>
        <Stack>
          <Webhook vid={vid} />
        </Stack>
      </Columns>
      <Deliveries vid={vid} />
    </>
  );
}
