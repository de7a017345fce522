import { Trans, useLingui } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { VendorAdded } from '../../../../src/staff/new-vendors.ts';
import { send } from '../../api/client.ts';
import { ConfirmDialog } from '../../design/ConfirmDialog.tsx';
import { Field } from '../../design/Field.tsx';
import { Select } from '../../design/Select.tsx';
import { ShownOnce } from '../../design/ShownOnce.tsx';
import { useSectors } from '../vendor/setting-names.ts';

/** Adds a vendor and shows its first security key. */
export function AddVendor({
  open,
  onOpenChange,
}: {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const sectors = useSectors();
  const [added, setAdded] = useState<VendorAdded>();
  const add = async (fields: Readonly<Record<string, string>>): Promise<void> => {
    setAdded(await send<VendorAdded>('POST', '/vendors', fields));
    await queries.invalidateQueries({ queryKey: ['vendors'] });
  };
  const vid = added?.vid ?? '';
  return (
    <>
      <ConfirmDialog
        title={<Trans>Add a vendor</Trans>}
        open={open}
        onOpenChange={onOpenChange}
        confirm={<Trans>Add</Trans>}
        onConfirm={add}
      >
        <Field
          label={t`Vendor ID`}
          hint={t`Letters, digits, dots, hyphens and underscores. It cannot be changed.`}
          name="vid"
          pattern="[A-Za-z0-9_.\-]{1,64}"
          autoComplete="off"
          required
        />
        <Field label={t`Name`} name="name" maxLength={100} autoComplete="off" required />
        <Select label={t`Sector`} name="sector" options={sectors} />
      </ConfirmDialog>
      {added !== undefined && (
        <ShownOnce
          title={<Trans>Security key of {vid}</Trans>}
          label={t`Shown this once`}
          value={added.secret}
          onClose={() => setAdded(undefined)}
        >
          <Trans>
            The vendor signs its requests with it. Give it to the vendor in a safe way, never by
            e-mail.
          </Trans>
        </ShownOnce>
      )}
    </>
  );
}
