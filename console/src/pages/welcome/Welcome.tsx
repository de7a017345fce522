import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import type { SubmitEvent } from 'react';
import type { LinkAnswer } from '../../../../src/console/answers.ts';
import { ApiError, send } from '../../api/client.ts';
import { beginSession } from '../../app/session.ts';
import type { SessionAnswer } from '../../app/session.ts';
import { Brand } from '../../design/Brand.tsx';
import { Button } from '../../design/Button.tsx';
import { Field } from '../../design/Field.tsx';
import { Notice } from '../../design/Notice.tsx';
import { QrCode } from '../../design/QrCode.tsx';
import styles from '../sign-in/SignIn.module.css';

/** A one-time link: the person chooses a password and sets up one-time codes. */
export function Welcome() {
  // In the fragment, which the browser sends to no server.
  const token = window.location.hash.slice(1);
  const link = useQuery({
    queryKey: ['link', token],
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    queryFn: () => send<LinkAnswer>('POST', '/links/read', { token }),
  });
  return (
    <main className={styles['page']}>
      <div className={styles['form']}>
        <Brand />
        {link.isError && <Notice tone="alert">{link.error.message}</Notice>}
        {link.data !== undefined && <Choose link={link.data} token={token} />}
      </div>
    </main>
  );
}

function Choose({ link, token }: { readonly link: LinkAnswer; readonly token: string }) {
  const { t } = useLingui();
  const router = useRouter();
  const queries = useQueryClient();
  const use = useMutation({
    mutationFn: (given: Record<string, FormDataEntryValue>) =>
      send<SessionAnswer>('POST', '/links/use', { token, ...given }),
    onSuccess: (session) => {
      beginSession(queries, session);
      router.history.replace('/');
    },
  });
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(event.currentTarget));
    const hasCode = given['code'] !== undefined && given['code'] !== '';
    use.mutate(hasCode ? { ...given, secret: link.secret } : { password: given['password'] ?? '' });
  };
  const errorOf = (field: string): string | undefined =>
    use.error instanceof ApiError && use.error.field === field ? use.error.message : undefined;
  const isOther = errorOf('password') === undefined && errorOf('code') === undefined;
  return (
    <form className={styles['fields']} onSubmit={submit}>
      <h1>
        <Trans>Welcome, {link.name}</Trans>
      </h1>
      {use.isError && isOther && <Notice tone="alert">{use.error.message}</Notice>}
      <Field label={t`You sign in as`} value={link.login} autoComplete="username" readOnly />
      <Field
        label={t`New password`}
        hint={t`At least 12 characters`}
        error={errorOf('password')}
        name="password"
        type="password"
        autoComplete="new-password"
        required
      />
      <p>
        <Trans>
          Scan this with an authenticator app, or{' '}
          <a href={link.secretUri}>open it in the app on this device</a>. You can also type the key:
        </Trans>
      </p>
      <QrCode text={link.secretUri} label={t`QR code of the key for the authenticator app`} />
      <code className={styles['secret']}>{link.secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</code>
      <Field
        label={t`Code from the app`}
        hint={link.codesRequired ? t`Six digits` : t`Six digits; you may leave it empty here`}
        error={errorOf('code')}
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        required={link.codesRequired}
      />
      <Button kind="primary" type="submit" disabled={use.isPending}>
        <Trans>Save and sign in</Trans>
      </Button>
    </form>
  );
}
