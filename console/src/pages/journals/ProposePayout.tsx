import { Trans, useLingui } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { send } from '../../api/client.ts';
import { ConfirmDialog } from '../../design/ConfirmDialog.tsx';
import { Field } from '../../design/Field.tsx';

/** Money from a vendor's collected income to its own bank. */
export function ProposePayout({
  open,
  onClose,
}: {
  readonly open: boolean;
  readonly onClose: () => void;
}) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const propose = async (fields: Readonly<Record<string, string>>): Promise<void> => {
    await send('POST', '/payouts', fields);
    await queries.invalidateQueries();
  };
  return (
    <ConfirmDialog
      title={<Trans>Propose a payout</Trans>}
      open={open}
      onOpenChange={onClose}
      confirm={<Trans>Propose</Trans>}
      done={t`Proposed. Another person has to approve it.`}
      onConfirm={propose}
    >
      <p>
        <Trans>The money leaves the vendor’s collected income when another person approves.</Trans>
      </p>
      <Field label={t`Vendor`} name="vid" autoComplete="off" required />
      <Field
        label={t`Amount in KES`}
        name="amount"
        inputMode="decimal"
        pattern="\d{1,12}(\.\d{1,2})?"
        required
      />
      <Field label={t`Bank account`} name="bankAccount" maxLength={200} required />
      <Field label={t`Reference of the bank`} name="reference" maxLength={200} required />
      <Field label={t`Evidence`} name="evidence" maxLength={200} required />
    </ConfirmDialog>
  );
}
