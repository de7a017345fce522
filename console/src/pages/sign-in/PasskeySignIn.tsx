import { Trans, useLingui } from '@lingui/react/macro';
import { startAuthentication } from '@simplewebauthn/browser';
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser';
import { useMutation } from '@tanstack/react-query';
import { ApiError, send } from '../../api/client.ts';
import type { SessionAnswer } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { Notice } from '../../design/Notice.tsx';

/** Signs in with a device, without name or password; not shown where the browser cannot. */
export function PasskeySignIn({
  onSignedIn,
}: {
  readonly onSignedIn: (session: SessionAnswer) => void;
}) {
  const { t } = useLingui();
  const signIn = useMutation({
    mutationFn: async () => {
      const optionsJSON = await send<PublicKeyCredentialRequestOptionsJSON>(
        'POST',
        '/session/passkey/begin',
      );
      const response = await startAuthentication({ optionsJSON });
      return await send<SessionAnswer>('POST', '/session/passkey', { response });
    },
    onSuccess: onSignedIn,
  });
  if (!window.isSecureContext || !('PublicKeyCredential' in window)) return null;
  return (
    <>
      <Button onClick={() => signIn.mutate()} disabled={signIn.isPending}>
        <Trans>Use a passkey</Trans>
      </Button>
      {signIn.error !== null && (
        <Notice tone="alert">
          {signIn.error instanceof ApiError
            ? signIn.error.message
            : t`The device did not finish. Try again.`}
        </Notice>
      )}
    </>
  );
}
