import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { InvitationAnswer, PeopleAnswer } from '../../../../src/staff/people.ts';
import { get } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { Card } from '../../design/Card.tsx';
import { Rows } from '../../design/Rows.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { RoleName } from '../../format/RoleName.tsx';
import { Invitation } from '../people/Invitation.tsx';
import { Invite } from '../people/Invite.tsx';
import { PersonState } from '../people/PersonState.tsx';

/** The people of one vendor, for staff. */
export function VendorPeople({ vid }: { readonly vid: string }) {
  const mayAct = useMay('people.act');
  const [isInviting, setIsInviting] = useState(false);
  const [invitation, setInvitation] = useState<InvitationAnswer>();
  const list = useQuery({
    queryKey: ['people'],
    queryFn: ({ signal }) => get<PeopleAnswer>('/people', {}, signal),
  });
  const roles = list.data?.roles.filter((role) => role.startsWith('vendor_')) ?? [];
  return (
    <Card
      title={<Trans>People</Trans>}
      more={
        mayAct && (
          <Button onClick={() => setIsInviting(true)}>
            <Trans>Invite a person</Trans>
          </Button>
        )
      }
    >
      {list.isPending ? (
        <Skeleton lines={3} />
      ) : (
        <Rows
          rows={(list.data?.people ?? [])
            .filter((person) => person.vid === vid)
            .map((person) => ({
              key: person.login,
              title: person.name,
              value: <PersonState person={person} />,
              note: (
                <>
                  {person.login} · <RoleName role={person.role} />
                </>
              ),
            }))}
          empty={<Trans>Nobody yet.</Trans>}
        />
      )}
      <Invite
        roles={roles}
        vid={vid}
        open={isInviting}
        onOpenChange={setIsInviting}
        onInvited={setInvitation}
      />
      {invitation !== undefined && (
        <Invitation invitation={invitation} onClose={() => setInvitation(undefined)} />
      )}
    </Card>
  );
}
