import { Trans, useLingui } from '@lingui/react/macro';
import type { VendorPrice } from '../../../../src/staff/vendor-view.ts';
import { Card } from '../../design/Card.tsx';
import { Table } from '../../design/Table.tsx';
import { readableMoney } from '../../format/money.ts';
import { Time } from '../../format/Time.tsx';

/** What a vendor pays on top of each amount. */
export function Prices({ prices }: { readonly prices: readonly VendorPrice[] }) {
  const { t } = useLingui();
  return (
    <Card title={<Trans>Prices</Trans>} more={<Trans>on top of the amount</Trans>}>
      <Table
        label={t`Prices`}
        rows={prices}
        keyOf={({ biller }) => biller}
        empty={t`There are no prices: payments cost nothing on top of their amount.`}
        columns={[
          { title: t`Biller`, cell: ({ biller }) => biller },
          { title: t`Fee`, cell: (price) => <Formula price={price} /> },
          {
            title: t`Agreed with`,
            cell: ({ is_own: isOwn }) => (isOwn ? t`this vendor` : t`everybody`),
            hide: 'small',
          },
          { title: t`Since`, cell: ({ valid_from: from }) => <Time at={from} />, hide: 'small' },
        ]}
      />
    </Card>
  );
}

export function Formula({ price: { formula } }: { readonly price: Pick<VendorPrice, 'formula'> }) {
  const { t } = useLingui();
  const { tiers, minimum, maximum, vat_percent: vat, excise_percent: excise } = formula;
  const rates = tiers.map(({ from, flat, percent }) => {
    const parts = [
      flat === '0.00' ? '' : `KES ${readableMoney(flat)}`,
      percent === '0' ? '' : `${percent} %`,
    ].filter((part) => part !== '');
    const rate = parts.length === 0 ? t`free` : parts.join(' + ');
    return tiers.length === 1 ? rate : t`from KES ${readableMoney(from)}: ${rate}`;
  });
  const limits = [
    minimum === null ? '' : t`at least KES ${readableMoney(minimum)}`,
    maximum === null ? '' : t`at most KES ${readableMoney(maximum)}`,
    excise === '0'
      ? ''
      : formula.vat === 'included'
        ? t`with ${excise} % excise duty`
        : t`plus ${excise} % excise duty`,
    vat === '0' ? '' : formula.vat === 'included' ? t`with ${vat} % VAT` : t`plus ${vat} % VAT`,
  ];
  return [...rates, ...limits].filter((part) => part !== '').join(', ');
}
