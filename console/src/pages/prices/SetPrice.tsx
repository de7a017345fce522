import { Trans, useLingui } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { FeeRow } from '../../../../src/staff/prices.ts';
import type { ProposalView } from '../../../../src/staff/proposal-schema.ts';
import { send } from '../../api/client.ts';
import { ConfirmDialog } from '../../design/ConfirmDialog.tsx';
import { Field } from '../../design/Field.tsx';
import { Select } from '../../design/Select.tsx';
import { useWaits } from '../approvals/approval-texts.ts';
import { useNames } from './use-names.ts';

type Fields = Readonly<Record<string, string>>;

/** Proposes a price. */
function PriceDialog({
  title,
  pathOf,
  bodyOf = (fields) => fields,
  onClose,
  children,
}: {
  readonly title: ReactNode;
  readonly pathOf: (fields: Fields) => string;
  readonly bodyOf?: (fields: Fields) => object;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const { t } = useLingui();
  const waits = useWaits();
  const queries = useQueryClient();
  return (
    <ConfirmDialog
      title={title}
      open
      onOpenChange={onClose}
      confirm={<Trans>Propose</Trans>}
      done={t`The price is set.`}
      onConfirm={async (fields) => {
        const { biller: _biller, operator: _operator, ...body } = fields;
        const { decision } = await send<ProposalView>('POST', pathOf(fields), bodyOf(body));
        await queries.invalidateQueries();
        return decision === null ? waits : undefined;
      }}
    >
      {children}
    </ConfirmDialog>
  );
}

export function SetFee({ onClose }: { readonly onClose: () => void }) {
  const { t } = useLingui();
  const { billers } = useNames();
  return (
    <PriceDialog
      title={<Trans>Set a fee</Trans>}
      pathOf={({ biller = '' }) => `/prices/${encodeURIComponent(biller)}`}
      bodyOf={({ vat, ...fields }) => ({
        ...fields,
        ...((fields['vat_percent'] ?? fields['excise_percent']) !== undefined && {
          vat_included: vat === 'included',
        }),
      })}
      onClose={onClose}
    >
      <Select label={t`Biller`} name="biller" options={billers} />
      <Field label={t`Vendor`} hint={t`Empty: all without a fee of their own`} name="vid" />
      <Amount label={t`Amount of each payment in KES`} name="flat" />
      <Percent label={t`Per cent of the amount`} name="percent" />
      <Amount label={t`At least, in KES`} name="minimum" />
      <Amount label={t`At most, in KES`} name="maximum" />
      <Percent label={t`VAT of the fee in per cent`} name="vat_percent" />
      <Percent label={t`Excise duty on the fee in per cent`} name="excise_percent" />
      <Select
        label={t`The taxes are`}
        name="vat"
        options={{ added: t`added to the fee`, included: t`included in the fee` }}
      />
      <From />
    </PriceDialog>
  );
}

export function SetTerms({ onClose }: { readonly onClose: () => void }) {
  const { t } = useLingui();
  const { billers, operators } = useNames();
  return (
    <PriceDialog
      title={<Trans>Set an operator’s price</Trans>}
      pathOf={({ biller = '', operator = '' }) =>
        `/operator-prices/${encodeURIComponent(biller)}/${encodeURIComponent(operator)}`
      }
      onClose={onClose}
    >
      <Select label={t`Biller`} name="biller" options={billers} />
      <Select label={t`Operator`} name="operator" options={operators} />
      <Amount label={t`It charges for each payment, in KES`} name="cost" />
      <Percent label={t`It charges in per cent of the amount`} name="cost_percent" />
      <Amount label={t`It gives for each payment, in KES`} name="commission" />
      <Percent label={t`It gives in per cent of the amount`} name="commission_percent" />
      <Select
        label={t`What it gives`}
        name="commission_paid"
        options={{
          '': t`nothing`,
          netted: t`is taken less from our float`,
          later: t`is paid later`,
        }}
      />
      <From />
    </PriceDialog>
  );
}

/** Without its own fee a vendor pays the biller’s. */
export function EndFee({ fee, onClose }: { readonly fee: FeeRow; readonly onClose: () => void }) {
  const { billers } = useNames();
  const { biller, vid } = fee;
  const name = billers[biller] ?? biller;
  return (
    <PriceDialog
      title={<Trans>End the fee of {name}</Trans>}
      pathOf={() => `/prices/${encodeURIComponent(biller)}/remove`}
      bodyOf={(fields) => (vid === null ? fields : { ...fields, vid })}
      onClose={onClose}
    >
      <p>
        {vid === null ? (
          <Trans>Payments cost nothing on top then, unless a vendor has a fee of its own.</Trans>
        ) : (
          <Trans>The vendor {vid} pays the fee of all others then.</Trans>
        )}
      </p>
      <From />
    </PriceDialog>
  );
}

function Amount(of: { readonly label: string; readonly name: string }) {
  return <Field {...of} inputMode="decimal" pattern="\d{1,12}(\.\d{1,2})?" autoComplete="off" />;
}

function Percent(of: { readonly label: string; readonly name: string }) {
  return <Field {...of} inputMode="decimal" pattern="\d{1,3}(\.\d{1,2})?" autoComplete="off" />;
}

function From() {
  const { t } = useLingui();
  return <Field label={t`From`} hint={t`Empty: once it is approved`} name="from" type="date" />;
}
