import { Trans, useLingui } from '@lingui/react/macro';
import type { InvitationAnswer } from '../../../../src/staff/people.ts';
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
  const { login, link, valid_hours: validHours } = invitation;
  const [, token = ''] = link.split('#');
  return (
    <ShownOnce
      title={<Trans>One-time link</Trans>}
      label={t`Link`}
      value={new URL(`welcome#${token}`, document.baseURI).href}
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
