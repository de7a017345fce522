import { Trans, useLingui } from '@lingui/react/macro';
import type { InvoiceList } from '../../../../src/staff/invoices.ts';
import { apiUrl } from '../../api/client.ts';
import { usePages } from '../../api/pages.ts';
import { useMay } from '../../app/session.ts';
import { ButtonLink } from '../../design/ButtonLink.tsx';
import { Card } from '../../design/Card.tsx';
import { FileLinks } from '../../design/FileLinks.tsx';
import { More } from '../../design/More.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Pill } from '../../design/Pill.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { Money } from '../../format/Money.tsx';
import { Time } from '../../format/Time.tsx';

type Invoice = InvoiceList['invoices'][number];

/** Invoices for fees, and credit notes: of the own vendor, or of all. */
export function Invoices() {
  const list = usePages<InvoiceList>(['invoices'], '/invoices', {});
  return (
    <>
      <PageHeader
        title={<Trans>Invoices</Trans>}
        about={<Trans>Invoices for the fees of payments, and credit notes.</Trans>}
      >
        <FileLinks path="/invoices" />
      </PageHeader>
      <Card title={<Trans>Invoices</Trans>} more={<Trans>Newest first</Trans>}>
        {list.isError && <Problem error={list.error} onRetry={() => void list.refetch()} />}
        {list.isPending && <Skeleton lines={8} />}
        {list.data !== undefined && (
          <Issued invoices={list.data.pages.flatMap(({ invoices }) => invoices)} />
        )}
        <More list={list}>
          <Trans>Show older ones</Trans>
        </More>
      </Card>
    </>
  );
}

const amount = (title: string, name: 'net' | 'excise' | 'vat' | 'total') => ({
  title,
  cell: (row: Invoice) => <Money amount={row[name]} />,
  align: 'end' as const,
  ...(name === 'total' ? {} : { hide: 'small' as const }),
});

function Issued({ invoices }: Pick<InvoiceList, 'invoices'>) {
  const { t } = useLingui();
  const isStaff = useMay('vendors.read');
  return (
    <Table
      label={t`Invoices`}
      rows={invoices}
      keyOf={({ invoice }) => invoice}
      empty={t`No invoice has been issued yet.`}
      columns={[
        { title: t`Number`, cell: (row) => <Number of={row} /> },
        { title: t`Issued`, cell: ({ issued_at: at }) => <Time at={at} />, hide: 'small' },
        ...(isStaff ? [{ title: t`Vendor`, cell: ({ vid }: Invoice) => vid }] : []),
        amount(t`Fees`, 'net'),
        amount(t`Excise duty`, 'excise'),
        amount(t`VAT`, 'vat'),
        amount(t`Total`, 'total'),
        { title: t`File`, cell: (row) => <Files of={row} /> },
      ]}
    />
  );
}

function Number({ of: { number, credits, state } }: { readonly of: Invoice }) {
  return (
    <>
      {number}
      {credits !== null && (
        <small>
          {' '}
          <Trans>credits {credits}</Trans>
        </small>
      )}
      {state === 'waiting' && (
        <Pill tone="waiting">
          <Trans>Waits for the control unit</Trans>
        </Pill>
      )}
    </>
  );
}

function Files({ of: { invoice, number } }: { readonly of: Invoice }) {
  const { t } = useLingui();
  const path = `/invoices/${encodeURIComponent(invoice)}/file`;
  return (
    <>
      <ButtonLink href={apiUrl(path, { format: 'pdf' })} aria-label={t`${number} as PDF`} download>
        PDF
      </ButtonLink>{' '}
      <ButtonLink href={apiUrl(path, { format: 'csv' })} aria-label={t`${number} as CSV`} download>
        CSV
      </ButtonLink>
    </>
  );
}
