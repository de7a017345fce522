import { Trans, useLingui } from '@lingui/react/macro';
import { useLingui as useLanguage } from '@lingui/react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { InvitationAnswer } from '../../../../src/staff/people.ts';
import type { Role } from '../../../../src/parties/people/roles.ts';
import { send } from '../../api/client.ts';
import { useSession } from '../../app/session.ts';
import { ConfirmDialog } from '../../design/ConfirmDialog.tsx';
import { Field } from '../../design/Field.tsx';
import { Select } from '../../design/Select.tsx';
import { ROLE_NAMES } from '../../format/RoleName.tsx';

/** Adds a person and shows the one-time link. */
export function Invite({
  roles,
  vid,
  open,
  onOpenChange,
  onInvited,
}: {
  readonly roles: readonly Role[];
  /** Whose people it is about; absent: to be chosen. */
  readonly vid?: string;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly onInvited: (invitation: InvitationAnswer) => void;
}) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const invite = async (fields: Readonly<Record<string, string>>): Promise<void> => {
    onInvited(
      await send<InvitationAnswer>('POST', '/people', {
        ...(vid === undefined ? {} : { vid }),
        ...fields,
      }),
    );
    await queries.invalidateQueries({ queryKey: ['people'] });
  };
  return (
    <ConfirmDialog
      title={<Trans>Invite a person</Trans>}
      open={open}
      onOpenChange={onOpenChange}
      confirm={<Trans>Invite</Trans>}
      onConfirm={invite}
    >
      <Field label={t`E-mail address or short name`} name="login" autoComplete="off" required />
      <Field label={t`Name`} name="name" autoComplete="off" required />
      <RoleAndVendor roles={roles} choosesVendor={vid === undefined} />
    </ConfirmDialog>
  );
}

/** A component of its own, so that it forgets the choice when the dialog is closed. */
function RoleAndVendor({
  roles,
  choosesVendor,
}: {
  readonly roles: readonly Role[];
  readonly choosesVendor: boolean;
}) {
  const { t } = useLingui();
  const names = useRoleNames(roles);
  const isStaff = useSession().person.vid === null;
  const [role, setRole] = useState<string>();
  return (
    <>
      <Select
        label={t`Role`}
        name="role"
        options={names}
        onChange={(event) => setRole(event.target.value)}
      />
      {isStaff && choosesVendor && role?.startsWith('vendor_') === true && (
        <Field label={t`Vendor`} name="vid" autoComplete="off" required />
      )}
    </>
  );
}

/** The names of roles by role. */
export function useRoleNames(roles: readonly Role[]): Readonly<Record<string, string>> {
  const { i18n } = useLanguage();
  return Object.fromEntries(roles.map((role) => [role, i18n._(ROLE_NAMES[role])]));
}
