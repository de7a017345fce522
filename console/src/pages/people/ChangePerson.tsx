import { Trans, useLingui } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { InvitationAnswer, PersonView } from '../../../../src/staff/people.ts';
import type { Role } from '../../../../src/parties/people/roles.ts';
import { send } from '../../api/client.ts';
import { ConfirmDialog } from '../../design/ConfirmDialog.tsx';
import { Field } from '../../design/Field.tsx';
import { Select } from '../../design/Select.tsx';
import { onlyChanged } from '../../format/only-changed.ts';
import { useRoleNames } from './Invite.tsx';

type Action = 'change' | 'link' | 'disable' | 'enable';

/** Changes a person’s name, role or status, or makes a new one-time link. */
export function ChangePerson({
  person,
  roles,
  onClose,
  onInvited,
}: {
  readonly person: PersonView;
  readonly roles: readonly Role[];
  readonly onClose: () => void;
  readonly onInvited: (invitation: InvitationAnswer) => void;
}) {
  const { t } = useLingui();
  const [action, setAction] = useState<Action>('change');
  const queries = useQueryClient();
  const { login, name } = person;
  const path = `/people/${encodeURIComponent(login)}`;
  const act = async ({
    action: _action,
    ...fields
  }: Readonly<Record<string, string>>): Promise<void> => {
    if (action === 'link') onInvited(await send('POST', `${path}/link`, fields));
    else if (action === 'change') await send('POST', path, changedOf(fields, person));
    else await send('POST', `${path}/${action}`, fields);
    await queries.invalidateQueries({ queryKey: ['people'] });
  };
  const isActive = person.status === 'active';
  return (
    <ConfirmDialog
      title={<Trans>Change {name}</Trans>}
      open
      onOpenChange={onClose}
      confirm={<Trans>Save</Trans>}
      kind={action === 'link' || action === 'disable' ? 'danger' : 'primary'}
      done={t`${name} is changed.`}
      onConfirm={act}
    >
      <Select
        label={t`What to do`}
        name="action"
        value={action}
        onChange={(event) => setAction(event.target.value as Action)}
        options={{
          change: t`Change name or role`,
          ...(isActive ? { link: t`Reset password and one-time codes` } : {}),
          ...(isActive ? { disable: t`Disable` } : { enable: t`Enable again` }),
        }}
      />
      {action === 'change' && <NameAndRole person={person} roles={roles} />}
      <Consequence action={action} isAltered={person.is_altered === true} />
    </ConfirmDialog>
  );
}

/** Somebody who was changed in the database is given the role that is shown. */
function changedOf(
  fields: Readonly<Record<string, string>>,
  person: PersonView,
): Readonly<Record<string, string>> {
  return person.is_altered === true ? fields : onlyChanged(fields, { ...person });
}

function NameAndRole({
  person,
  roles,
}: {
  readonly person: PersonView;
  readonly roles: readonly Role[];
}) {
  const { t } = useLingui();
  const isVendors = person.vid !== null;
  const fitting = roles.filter((role) => role.startsWith('vendor_') === isVendors);
  return (
    <>
      <Field label={t`Name`} name="name" defaultValue={person.name} required />
      <Select
        label={t`Role`}
        name="role"
        defaultValue={person.role}
        options={useRoleNames(fitting)}
      />
    </>
  );
}

function Consequence({
  action,
  isAltered,
}: {
  readonly action: Action;
  readonly isAltered: boolean;
}) {
  switch (action) {
    case 'change':
      return isAltered ? (
        <p>
          <Trans>
            This person was changed in the database, not by the service, and cannot sign in. Set the
            role that the person is to have. Password, codes and passkeys are removed; then make a
            new one-time link.
          </Trans>
        </p>
      ) : (
        <p>
          <Trans>
            After a change of the role the person is signed out and has to sign in again.
          </Trans>
        </p>
      );
    case 'link':
      return (
        <p>
          <Trans>
            A new one-time link replaces the password and the codes. Until the person uses it, the
            old ones still work. If somebody else may know them, disable the person as well.
          </Trans>
        </p>
      );
    case 'disable':
      return (
        <p>
          <Trans>The person is signed out at once and cannot sign in any more.</Trans>
        </p>
      );
    case 'enable':
      return (
        <p>
          <Trans>The person can sign in again.</Trans>
        </p>
      );
  }
}
