import { Trans, useLingui } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { STAFF_ROLES } from '../../../../src/parties/people/roles.ts';
import type { NewToken, TokenList, TokenView } from '../../../../src/staff/tokens.ts';
import { send } from '../../api/client.ts';
import { usePages } from '../../api/pages.ts';
import { useMay } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { Card } from '../../design/Card.tsx';
import { ConfirmDialog } from '../../design/ConfirmDialog.tsx';
import { Field } from '../../design/Field.tsx';
import { More } from '../../design/More.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Pill } from '../../design/Pill.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Select } from '../../design/Select.tsx';
import { ShownOnce } from '../../design/ShownOnce.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { RoleName } from '../../format/RoleName.tsx';
import { Time } from '../../format/Time.tsx';
import { useRoleNames } from '../people/Invite.tsx';

const QUERY = ['tokens'];

/** Programs that use the staff API. */
export function Tokens() {
  const mayAct = useMay('tokens.act');
  const list = usePages<TokenList>(QUERY, '/tokens');
  return (
    <>
      <PageHeader
        back={
          <Link to="/people">
            <Trans>People</Trans>
          </Link>
        }
        title={<Trans>Tokens of programs</Trans>}
        about={
          <Trans>
            With a token, a program uses the staff API. It reads and proposes, with at most the
            rights of the token’s owner.
          </Trans>
        }
      >
        {mayAct && <Add />}
      </PageHeader>
      {list.isError && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      <Card title={<Trans>Newest first</Trans>}>
        {list.isPending ? (
          <Skeleton lines={5} />
        ) : (
          <List tokens={list.data?.pages.flatMap(({ tokens }) => tokens) ?? []} />
        )}
      </Card>
      <More list={list}>
        <Trans>Show older ones</Trans>
      </More>
    </>
  );
}

function List({ tokens }: { readonly tokens: readonly TokenView[] }) {
  const { t } = useLingui();
  const mayAct = useMay('tokens.act');
  const [revoked, setRevoked] = useState<string>();
  return (
    <>
      <Table
        label={t`Tokens of programs`}
        rows={tokens}
        keyOf={({ name, created_at: at }) => `${name} ${at}`}
        empty={t`No program has a token.`}
        columns={[
          { title: t`Token`, cell: ({ name }) => name },
          { title: t`Owner`, cell: ({ owner }) => owner, hide: 'small' },
          { title: t`Role`, cell: ({ role }) => <RoleName role={role} />, hide: 'small' },
          {
            title: t`Only from`,
            cell: ({ addresses }) => addresses?.join(', ') ?? t`anywhere`,
            hide: 'small',
          },
          {
            title: t`Last used`,
            cell: (token) => (token.used_at === null ? t`never` : <Time at={token.used_at} />),
            hide: 'small',
          },
          { title: t`Ends`, cell: (token) => <Time at={token.expires_at} />, hide: 'small' },
          {
            title: t`State`,
            cell: ({ state }) => (
              <Pill tone={state === 'valid' ? 'done' : 'info'}>
                {state === 'valid' ? t`Valid` : t`Ended`}
              </Pill>
            ),
          },
          {
            title: '',
            cell: ({ name, state }) =>
              mayAct &&
              state === 'valid' && (
                <Button onClick={() => setRevoked(name)} aria-label={t`Revoke ${name}`}>
                  <Trans>Revoke</Trans>
                </Button>
              ),
            align: 'end',
          },
        ]}
      />
      {revoked !== undefined && <Revoke name={revoked} onClose={() => setRevoked(undefined)} />}
    </>
  );
}

function Revoke({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const { t } = useLingui();
  const queries = useQueryClient();
  return (
    <ConfirmDialog
      title={<Trans>Revoke {name}</Trans>}
      open
      onOpenChange={onClose}
      confirm={<Trans>Revoke</Trans>}
      kind="danger"
      reason="none"
      isFinal
      done={t`It has ended.`}
      onConfirm={async () => {
        await send('POST', `/tokens/${encodeURIComponent(name)}/revoke`);
        await queries.invalidateQueries({ queryKey: QUERY });
      }}
    >
      <p>
        <Trans>The program that uses it is refused from its next request on.</Trans>
      </p>
    </ConfirmDialog>
  );
}

function Add() {
  const { t } = useLingui();
  const queries = useQueryClient();
  const roles = useRoleNames(STAFF_ROLES);
  const [isOpen, setIsOpen] = useState(false);
  const [made, setMade] = useState<NewToken>();
  return (
    <>
      <Button kind="primary" onClick={() => setIsOpen(true)}>
        <Trans>Make a token</Trans>
      </Button>
      <ConfirmDialog
        title={<Trans>Make a token</Trans>}
        open={isOpen}
        onOpenChange={setIsOpen}
        confirm={<Trans>Make it</Trans>}
        reason="none"
        onConfirm={async ({ addresses, ...fields }) => {
          const only = addresses === undefined ? {} : { addresses: addresses.split(/[\s,]+/) };
          setMade(await send<NewToken>('POST', '/tokens', { ...fields, ...only }));
          await queries.invalidateQueries({ queryKey: QUERY });
        }}
      >
        <Field
          label={t`Name`}
          hint={t`What the program is called, without spaces`}
          name="name"
          pattern="[A-Za-z0-9_.\-]{1,40}"
          autoComplete="off"
          required
        />
        <Select label={t`At most the rights of`} name="role" options={roles} />
        <Field
          label={t`Only from these addresses`}
          hint={t`Addresses or networks, separated by spaces. Empty: from anywhere.`}
          name="addresses"
          autoComplete="off"
        />
        <Select
          label={t`It ends after`}
          name="expires"
          defaultValue="90d"
          options={{ '30d': t`30 days`, '90d': t`90 days`, '365d': t`365 days` }}
        />
      </ConfirmDialog>
      {made !== undefined && (
        <ShownOnce
          title={<Trans>Token of {made.name}</Trans>}
          label={t`Shown this once`}
          value={made.token}
          onClose={() => setMade(undefined)}
        >
          <Trans>
            Give it to the program in a safe way: whoever has it can read and propose as you.
          </Trans>
        </ShownOnce>
      )}
    </>
  );
}
