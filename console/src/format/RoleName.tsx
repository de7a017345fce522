import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { useLingui } from '@lingui/react';
import type { Role } from '../../../src/parties/people/roles.ts';

export const ROLE_NAMES: Readonly<Record<Role, MessageDescriptor>> = {
  support: msg`Support`,
  operations: msg`Operations`,
  finance: msg`Finance`,
  risk: msg`Risk`,
  administrator: msg`Administrator`,
  vendor_viewer: msg`Viewer`,
  vendor_cashier: msg`Cashier`,
  vendor_administrator: msg`Vendor administrator`,
};

/** A role as people call it. */
export function RoleName({ role }: { readonly role: Role }) {
  const { i18n } = useLingui();
  return i18n._(ROLE_NAMES[role]);
}
