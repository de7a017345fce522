import { Trans, useLingui } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { VendorView } from '../../../../src/staff/vendor-view.ts';
import { send } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { ConfirmDialog } from '../../design/ConfirmDialog.tsx';
import { Field } from '../../design/Field.tsx';

/** Sets the limit for the event `float.low`. */
export function ChangeLow({ vendor: { vid, low } }: { readonly vendor: VendorView }) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const mayAct = useMay('integration.act');
  const [isOpen, setIsOpen] = useState(false);
  const change = async (fields: Readonly<Record<string, string>>): Promise<void> => {
    const body = { low: null, ...fields };
    const path = `/vendors/${encodeURIComponent(vid)}/float`;
    await send('POST', path, body);
    await queries.invalidateQueries({ queryKey: ['vendor', vid] });
  };
  if (!mayAct) return null;
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>
        <Trans>Set float limit</Trans>
      </Button>
      <ConfirmDialog
        title={<Trans>Limit of the float</Trans>}
        open={isOpen}
        onOpenChange={setIsOpen}
        confirm={<Trans>Save</Trans>}
        done={t`The limit is saved.`}
        onConfirm={change}
      >
        <p>
          <Trans>
            Below this limit, the event float.low is sent to the webhook; when there is enough
            again, float.recovered.
          </Trans>
        </p>
        <Field
          label={t`Amount in KES`}
          hint={t`Empty: no event`}
          name="low"
          inputMode="decimal"
          defaultValue={low ?? ''}
        />
      </ConfirmDialog>
    </>
  );
}
