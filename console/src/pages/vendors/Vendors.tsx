import { Trans, useLingui } from '@lingui/react/macro';
import { keepPreviousData } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import type { VendorRowView } from '../../../../src/staff/vendor-view.ts';
import type { VendorList } from '../../../../src/staff/vendors.ts';
import { usePages } from '../../api/pages.ts';
import { useMay } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { Card } from '../../design/Card.tsx';
import { Field } from '../../design/Field.tsx';
import { More } from '../../design/More.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Select } from '../../design/Select.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { useFigures } from '../../format/figures.ts';
import { Money } from '../../format/Money.tsx';
import { VendorState } from '../../format/VendorState.tsx';
import { AddVendor } from './AddVendor.tsx';
import styles from './Vendors.module.css';

const EVERY_MS = 10_000;

/** The list of vendors, with their floats and what each paid today. */
export function Vendors() {
  const { t } = useLingui();
  const mayAdd = useMay('vendors.act');
  const [isAdding, setIsAdding] = useState(false);
  const [search, setSearch] = useState('');
  const [status, setStatus] = useState('');
  const filter = { search: useDeferredValue(search), status };
  const list = usePages<VendorList>(['vendors'], '/vendors', filter, {
    placeholderData: keepPreviousData,
    refetchInterval: EVERY_MS,
  });
  return (
    <>
      <PageHeader
        title={<Trans>Vendors</Trans>}
        about={<Trans>Who pays bills through us: their floats, and what they paid today.</Trans>}
      >
        {mayAdd && (
          <Button kind="primary" onClick={() => setIsAdding(true)}>
            <Trans>Add a vendor</Trans>
          </Button>
        )}
      </PageHeader>
      <div className={styles['filter']}>
        <Field
          label={t`Vendor ID or name`}
          type="search"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        <Select
          label={t`State`}
          value={status}
          onChange={(event) => setStatus(event.target.value)}
          options={{ '': t`Any`, active: t`Active`, suspended: t`Suspended` }}
        />
      </div>
      {list.isError && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      <Card title={<Trans>All vendors</Trans>}>
        {list.isPending && <Skeleton lines={10} />}
        {list.data && <List vendors={list.data.pages.flatMap((page) => page.vendors)} />}
      </Card>
      <More list={list}>
        <Trans>Show more vendors</Trans>
      </More>
      <AddVendor open={isAdding} onOpenChange={setIsAdding} />
    </>
  );
}

function List({ vendors }: { readonly vendors: readonly VendorRowView[] }) {
  const { t } = useLingui();
  const { count, duration } = useFigures();
  return (
    <Table
      label={t`Vendors`}
      rows={vendors}
      keyOf={({ vid }) => vid}
      empty={t`No vendor matches.`}
      columns={[
        {
          title: t`Vendor`,
          cell: ({ vid, name }) => (
            <Link to="/vendors/$vid" params={{ vid }}>
              {name}
            </Link>
          ),
        },
        { title: t`ID`, cell: ({ vid }) => vid, hide: 'small' },
        { title: t`State`, cell: (vendor) => <VendorState vendor={vendor} /> },
        { title: t`Float`, cell: ({ float }) => <Money amount={float} />, align: 'end' },
        {
          title: t`Lasts`,
          cell: ({ hours_left: hoursLeft }) =>
            duration(hoursLeft === null ? null : hoursLeft * 3600),
          align: 'end',
          hide: 'small',
        },
        {
          title: t`Payments today`,
          cell: ({ today }) => count(today.count),
          align: 'end',
          hide: 'small',
        },
        {
          title: t`Volume today`,
          cell: ({ today }) => <Money amount={today.amount} />,
          align: 'end',
          hide: 'small',
        },
      ]}
    />
  );
}
