import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { InvitationAnswer, PeopleAnswer, PersonView } from '../../../../src/staff/people.ts';
import { get } from '../../api/client.ts';
import { useMay, useSession } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { PageButtonLink } from '../../design/ButtonLink.tsx';
import { Card } from '../../design/Card.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { RoleName } from '../../format/RoleName.tsx';
import { DecideProposal } from '../approvals/DecideProposal.tsx';
import { ChangePerson } from './ChangePerson.tsx';
import { Invitation } from './Invitation.tsx';
import { Invite } from './Invite.tsx';
import { PersonState } from './PersonState.tsx';

/** People who sign in to the console. */
export function People() {
  const [isInviting, setIsInviting] = useState(false);
  const [changed, setChanged] = useState<PersonView>();
  const [confirmation, setConfirmation] = useState<string>();
  const [invitation, setInvitation] = useState<InvitationAnswer>();
  const list = useQuery({
    queryKey: ['people'],
    queryFn: ({ signal }) => get<PeopleAnswer>('/people', {}, signal),
  });
  const mayChange = useMay('people.act');
  const roles = list.data?.roles ?? [];
  return (
    <>
      <PageHeader
        title={<Trans>People</Trans>}
        about={<Trans>Who signs in to the console, and what they may do.</Trans>}
      >
        <ToTokens />
        {mayChange && (
          <Button kind="primary" onClick={() => setIsInviting(true)}>
            <Trans>Invite a person</Trans>
          </Button>
        )}
      </PageHeader>
      {list.isError && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      <Card title={<Trans>Everybody</Trans>}>
        {list.isPending ? (
          <Skeleton lines={8} />
        ) : (
          <PeopleTable
            people={list.data?.people ?? []}
            onChange={mayChange ? setChanged : undefined}
            onConfirm={setConfirmation}
          />
        )}
      </Card>
      <Invite
        roles={roles}
        open={isInviting}
        onOpenChange={setIsInviting}
        onInvited={setInvitation}
      />
      {changed !== undefined && (
        <ChangePerson
          person={changed}
          roles={roles}
          onClose={() => setChanged(undefined)}
          onInvited={setInvitation}
        />
      )}
      {confirmation !== undefined && (
        <DecideProposal id={confirmation} mayDecide onClose={() => setConfirmation(undefined)} />
      )}
      {invitation !== undefined && (
        <Invitation invitation={invitation} onClose={() => setInvitation(undefined)} />
      )}
    </>
  );
}

function ToTokens() {
  const seesTokens = useMay('tokens.read');
  return (
    seesTokens && (
      <PageButtonLink to="/people/tokens">
        <Trans>Tokens of programs</Trans>
      </PageButtonLink>
    )
  );
}

function PeopleTable({
  people,
  onChange,
  onConfirm,
}: {
  readonly people: readonly PersonView[];
  readonly onChange: ((person: PersonView) => void) | undefined;
  /** With the proposal. */
  readonly onConfirm: (proposalId: string) => void;
}) {
  const { t } = useLingui();
  const { person: me } = useSession();
  return (
    <Table
      label={t`People`}
      rows={people}
      keyOf={({ login }) => login}
      empty={t`Nobody yet.`}
      columns={[
        { title: t`Name`, cell: ({ name }) => name },
        { title: t`Signs in as`, cell: ({ login }) => login, hide: 'small' },
        { title: t`Role`, cell: ({ role }) => <RoleName role={role} />, hide: 'small' },
        { title: t`Vendor`, cell: ({ vid }) => vid ?? '', hide: 'small' },
        { title: t`State`, cell: (person) => <PersonState person={person} /> },
        {
          title: '',
          cell: (person) =>
            onChange !== undefined &&
            person.login !== me.login && (
              <>
                <Confirm person={person} onConfirm={onConfirm} />
                <Button onClick={() => onChange(person)} aria-label={t`Change ${person.name}`}>
                  <Trans>Change</Trans>
                </Button>
              </>
            ),
          align: 'end',
        },
      ]}
    />
  );
}

function Confirm({
  person: { name, waits_for: waitsFor },
  onConfirm,
}: {
  readonly person: PersonView;
  readonly onConfirm: (proposalId: string) => void;
}) {
  const { t } = useLingui();
  return (
    waitsFor !== null && (
      <Button onClick={() => onConfirm(waitsFor)} aria-label={t`Confirm ${name}`}>
        <Trans>Confirm</Trans>
      </Button>
    )
  );
}
