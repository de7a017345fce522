import { Trans, useLingui } from '@lingui/react/macro';
import { send } from '../../api/client.ts';
import { Field } from '../../design/Field.tsx';
import { ProposeDialog } from '../../design/ProposeDialog.tsx';
import type { ProposeProps } from '../../design/ProposeDialog.tsx';

/** Money from a vendor's collected income to its own bank. */
export function ProposePayout(dialog: ProposeProps) {
  const { t } = useLingui();
  return (
    <ProposeDialog
      {...dialog}
      title={<Trans>Propose a payout</Trans>}
      propose={async (fields) => {
        await send('POST', '/payouts', fields);
      }}
    >
      <p>
        <Trans>
          The money is held for the vendor until another person approves. Make the transfer after
          that, and enter its reference.
        </Trans>
      </p>
      <Field label={t`Vendor`} name="vid" autoComplete="off" required />
      <Field
        label={t`Amount in KES`}
        name="amount"
        inputMode="decimal"
        pattern="\d{1,12}(\.\d{1,2})?"
        required
      />
      <Field
        label={t`Our bank`}
        hint={t`The code of the account that it leaves; empty: the main one`}
        name="bank"
        maxLength={40}
      />
      <Field label={t`Bank account`} name="bank_account" maxLength={200} required />
      <Field
        label={t`Reference of the bank`}
        hint={t`Only if the transfer was already made`}
        name="reference"
        maxLength={200}
      />
    </ProposeDialog>
  );
}
