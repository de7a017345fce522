import { Trans, useLingui } from '@lingui/react/macro';
import type { InvitationAnswer } from '../../../../src/console/operations-answers.ts';
import { Button } from '../../design/Button.tsx';
import { Dialog } from '../../design/Dialog.tsx';
import { Field } from '../../design/Field.tsx';
import { announce } from '../../design/Toasts.tsx';

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
  const link = new URL(path, document.baseURI).href;
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(link);
    announce(t`The link is copied.`);
  };
  return (
    <Dialog title={<Trans>One-time link</Trans>} open onOpenChange={onClose}>
      <p>
        <Trans>
          Give this link to {login}. It works once, within {validHours} hours, and is not shown
          again. The person chooses a password and sets up one-time codes with it. Another
          administrator then has to confirm a member of the staff.
        </Trans>
      </p>
      <Field label={t`Link`} value={link} readOnly onFocus={(event) => event.target.select()} />
      {/* Browsers allow it on pages over TLS and on this machine only. */}
      {window.isSecureContext && (
        <Button kind="primary" onClick={() => void copy()}>
          <Trans>Copy the link</Trans>
        </Button>
      )}
    </Dialog>
  );
}
