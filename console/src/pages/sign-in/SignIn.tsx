import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation, useRouter, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { SubmitEvent } from 'react';
import { ApiError, send } from '../../api/client.ts';
import { beginSession } from '../../app/session.ts';
import type { SessionAnswer } from '../../app/session.ts';
import { Brand } from '../../design/Brand.tsx';
import { Button } from '../../design/Button.tsx';
import { Field } from '../../design/Field.tsx';
import { Notice } from '../../design/Notice.tsx';
import { PasskeySignIn } from './PasskeySignIn.tsx';
import styles from './SignIn.module.css';

/** Name and password; then the one-time code, if the person has set up one. */
export function SignIn() {
  const { t } = useLingui();
  const { next = '/' } = useSearch({ from: '/sign-in' });
  const router = useRouter();
  const queries = useQueryClient();
  const [needsCode, setNeedsCode] = useState(false);
  const enter = (session: SessionAnswer): void => {
    beginSession(queries, session);
    void router.navigate({ href: next });
  };
  const signIn = useMutation({
    mutationFn: (given: Record<string, FormDataEntryValue>) =>
      send<SessionAnswer>('POST', '/session', given),
    onSuccess: (session) => enter(session),
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'code_required') setNeedsCode(true);
    },
  });
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    signIn.mutate(Object.fromEntries(new FormData(event.currentTarget)));
  };
  const isCodeMissing = signIn.error instanceof ApiError && signIn.error.code === 'code_required';
  return (
    <main className={styles['page']}>
      <form className={styles['form']} onSubmit={submit}>
        <Brand />
        <h1>
          <Trans>Sign in</Trans>
        </h1>
        <Ended />
        {signIn.isError && !isCodeMissing && <Notice tone="alert">{signIn.error.message}</Notice>}
        <Field label={t`E-mail address or name`} name="login" autoComplete="username" required />
        <Field
          label={t`Password`}
          name="password"
          type="password"
          autoComplete="current-password"
          required
        />
        {needsCode && (
          <Field
            label={t`Code from your authenticator app`}
            hint={t`Six digits`}
            name="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            // The person has just been asked for it.
            autoFocus
            required
          />
        )}
        <Button kind="primary" type="submit" disabled={signIn.isPending}>
          <Trans>Sign in</Trans>
        </Button>
        <PasskeySignIn onSignedIn={enter} />
      </form>
    </main>
  );
}

/** Why the person is here again, if a page was open. */
function Ended() {
  const hasEnded = useLocation({ select: ({ state }) => state.hasEnded === true });
  if (!hasEnded) return null;
  return (
    <Notice tone="info">
      <Trans>Your session has ended. Sign in again to continue where you were.</Trans>
    </Notice>
  );
}
