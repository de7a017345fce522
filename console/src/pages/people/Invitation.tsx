import { Trans, useLingui } from '@lingui/react/macro';
import type { InvitationAnswer } from '../../../../src/console/operations-answers.ts';
import { ShownOnce } from '../../design/ShownOnce.tsx';

/** A one-time link, shown once. */
export function Invitation({
  invitation,
  onClose,
}: {
  readonly invitation: InvitationAnswer;
  readonly onClose: () => void;
}) {
  const { t } = useLingui();
  const { login, path, validHours } = invitation;
  return (
    <ShownOnce
      title={<Trans>One-time link</Trans>}
      label={t`Link`}
      value={new URL(path, document.baseURI).href}
      onClose={onClose}
    >
      <Trans>
        Give this link to {login}. It works once, within {validHours} hours, and is not shown again.
        The person chooses a password and sets up one-time codes with it. Unless the vendor’s own
        administrator made the link, another administrator then has to confirm the person.
      </Trans>
    </ShownOnce>
  );
}
