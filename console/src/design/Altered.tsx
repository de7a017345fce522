import { Trans } from '@lingui/react/macro';
import { Notice } from './Notice.tsx';

/** A proposal of which nothing can be believed. */
export function Altered() {
  return (
    <Notice tone="alert">
      <Trans>
        It was changed in the database, or the service did not record it. It cannot be approved.
        Reject it.
      </Trans>
    </Notice>
  );
}
