import { Trans } from '@lingui/react/macro';
import { useSession } from '../../app/session.ts';
import { PageHeader } from '../../design/PageHeader.tsx';
import { CompareSignature } from './CompareSignature.tsx';
import { RequestList } from './RequestList.tsx';

/** A vendor's own requests of the last days, and why a signature does not fit. */
export function Requests() {
  const vid = useSession().person.vid ?? '';
  return (
    <>
      <PageHeader
        title={<Trans>Requests</Trans>}
        about={<Trans>The requests of your programs, without their content.</Trans>}
      />
      <CompareSignature vid={vid} />
      <RequestList vid={vid} />
    </>
  );
}
