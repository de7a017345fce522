import { Trans, useLingui } from '@lingui/react/macro';
import { startRegistration } from '@simplewebauthn/browser';
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { PasskeysAnswer } from '../../../../src/staff/passkeys.ts';
import { ApiError, get, send } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { Card } from '../../design/Card.tsx';
import { ConfirmDialog } from '../../design/ConfirmDialog.tsx';
import { Field } from '../../design/Field.tsx';
import { Notice } from '../../design/Notice.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { Time } from '../../format/Time.tsx';

type Passkey = PasskeysAnswer['passkeys'][number];

/** The person's own passkeys. */
export function Passkeys() {
  const [isAdding, setIsAdding] = useState(false);
  const [removed, setRemoved] = useState<Passkey>();
  const mayChange = useMay('passkeys.act');
  const list = useQuery({
    queryKey: ['passkeys'],
    queryFn: ({ signal }) => get<PasskeysAnswer>('/account/passkeys', {}, signal),
  });
  const origin = list.data?.origin ?? null;
  const works = origin === window.location.origin;
  return (
    <>
      <PageHeader
        title={<Trans>Passkeys</Trans>}
        about={
          <Trans>
            Sign in with a fingerprint, a face or the PIN of a device, or with a security key,
            instead of password and code.
          </Trans>
        }
      >
        {mayChange && works && (
          <Button kind="primary" onClick={() => setIsAdding(true)}>
            <Trans>Add a passkey</Trans>
          </Button>
        )}
      </PageHeader>
      {list.isError && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      {list.data !== undefined && !works && <Elsewhere origin={origin} />}
      <Card title={<Trans>Your passkeys</Trans>}>
        {list.isPending ? (
          <Skeleton lines={3} />
        ) : (
          <List
            passkeys={list.data?.passkeys ?? []}
            onRemove={mayChange ? setRemoved : undefined}
          />
        )}
      </Card>
      <Add isOpen={isAdding} onOpenChange={setIsAdding} />
      {removed !== undefined && <Remove passkey={removed} onClose={() => setRemoved(undefined)} />}
    </>
  );
}

function Elsewhere({ origin }: { readonly origin: string | null }) {
  return (
    <Notice tone="info">
      {origin === null ? (
        <Trans>
          Passkeys work only at the configured address of this service, with https and a host name
          (PUBLIC_URL).
        </Trans>
      ) : (
        <Trans>Passkeys work only at {origin}.</Trans>
      )}
    </Notice>
  );
}

function List({
  passkeys,
  onRemove,
}: {
  readonly passkeys: readonly Passkey[];
  readonly onRemove: ((passkey: Passkey) => void) | undefined;
}) {
  const { t } = useLingui();
  return (
    <Table
      label={t`Your passkeys`}
      rows={passkeys}
      keyOf={({ passkey }) => passkey}
      empty={t`You have no passkey yet.`}
      columns={[
        { title: t`Name`, cell: ({ name }) => name },
        { title: t`Added`, cell: ({ created_at: at }) => <Time at={at} />, hide: 'small' },
        {
          title: t`Last used`,
          cell: ({ used_at: at }) => (at === null ? t`never` : <Time at={at} />),
        },
        {
          title: '',
          cell: (passkey) =>
            onRemove !== undefined && (
              <Button onClick={() => onRemove(passkey)} aria-label={t`Remove ${passkey.name}`}>
                <Trans>Remove</Trans>
              </Button>
            ),
          align: 'end',
        },
      ]}
    />
  );
}

function Add({
  isOpen,
  onOpenChange,
}: {
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
}) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const add = async ({ name, password, code }: Readonly<Record<string, string>>): Promise<void> => {
    const { options: optionsJSON } = await send<{
      readonly options: PublicKeyCredentialCreationOptionsJSON;
    }>('POST', '/account/passkeys/begin', { password, code });
    const response = await startRegistration({ optionsJSON }).catch((cause: unknown) => {
      const text = t`The device did not finish. Try again.`;
      throw new ApiError(text, { status: 0, code: 'device', cause });
    });
    await send('POST', '/account/passkeys', { name, response });
    await queries.invalidateQueries({ queryKey: ['passkeys'] });
  };
  return (
    <ConfirmDialog
      title={<Trans>Add a passkey</Trans>}
      open={isOpen}
      onOpenChange={onOpenChange}
      confirm={<Trans>Add a passkey</Trans>}
      reason="none"
      done={t`The passkey is added.`}
      onConfirm={add}
    >
      <Field
        label={t`What to call it`}
        hint={t`Such as the name of the device`}
        name="name"
        maxLength={60}
        autoComplete="off"
        required
      />
      <Field
        label={t`Your password`}
        name="password"
        type="password"
        autoComplete="current-password"
        required
      />
      <Field
        label={t`Code, if you use one`}
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
      />
    </ConfirmDialog>
  );
}

function Remove({ passkey, onClose }: { readonly passkey: Passkey; readonly onClose: () => void }) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const remove = async (): Promise<void> => {
    await send('POST', `/account/passkeys/${passkey.passkey}/remove`);
    await queries.invalidateQueries({ queryKey: ['passkeys'] });
  };
  return (
    <ConfirmDialog
      title={<Trans>Remove the passkey</Trans>}
      open
      onOpenChange={onClose}
      confirm={<Trans>Remove</Trans>}
      kind="danger"
      reason="none"
      done={t`The passkey is removed.`}
      isFinal
      onConfirm={remove}
    >
      <p>
        <Trans>This device can no longer be used to sign in. Password and code still work.</Trans>
      </p>
    </ConfirmDialog>
  );
}
