import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { SubmitEvent } from 'react';
import type { PaymentChoices } from '../../../../src/staff/payments.ts';
import type { EnquiryList } from '../../../../src/staff/credit-enquiries.ts';
import type { CreditUsage } from '../../../../src/staff/credit-monitor.ts';
import { get } from '../../api/client.ts';
import { usePages } from '../../api/pages.ts';
import { useMay } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { PageButtonLink } from '../../design/ButtonLink.tsx';
import { Card } from '../../design/Card.tsx';
import { Field } from '../../design/Field.tsx';
import { More } from '../../design/More.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Pill } from '../../design/Pill.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Select } from '../../design/Select.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { Time } from '../../format/Time.tsx';
import { OUTCOMES, PRODUCT_NAMES, PURPOSES, useNames } from './credit-texts.ts';
import styles from './Credit.module.css';

/** Who asked about customers, when and why; without personal data. */
export function Enquiries() {
  const { t } = useLingui();
  const filter = useSearch({ from: '/shell/credit' });
  const mayAsk = useMay('credit.act');
  const choices = useQuery({
    queryKey: ['payment-choices'],
    queryFn: ({ signal }) => get<PaymentChoices>('/payments/choices', {}, signal),
  });
  const vendors = choices.data?.vendors ?? [];
  const busiest = useBusiest(filter.vid === undefined);
  const vid = filter.vid ?? (busiest === undefined ? '' : (busiest ?? vendors[0]?.code ?? ''));
  const list = usePages<EnquiryList>(
    ['credit-enquiries'],
    '/credit/enquiries',
    { ...filter, vid },
    { enabled: vid !== '' },
  );
  const problem = choices.error ?? list.error;
  return (
    <>
      <PageHeader
        title={<Trans>Credit enquiries</Trans>}
        about={<Trans>Every enquiry about a customer, by whom and why.</Trans>}
      >
        {mayAsk && (
          <PageButtonLink to="/credit/new">
            <Trans>Ask about a customer</Trans>
          </PageButtonLink>
        )}
      </PageHeader>
      <Filter vendors={vendors} vid={vid} />
      {problem !== null && <Problem error={problem} onRetry={() => void list.refetch()} />}
      <Card title={t`Newest first`}>
        {list.isPending ? (
          <Skeleton lines={8} />
        ) : (
          <List
            vid={vid}
            enquiries={list.data?.pages.flatMap(({ enquiries }) => enquiries) ?? []}
          />
        )}
      </Card>
      <More list={list}>
        <Trans>Show older ones</Trans>
      </More>
    </>
  );
}

/** The vendor that asked most in the last days; null: nobody asked; undefined: not known yet. */
function useBusiest(enabled: boolean): string | null | undefined {
  const usage = useQuery({
    queryKey: ['credit-usage', 'enquiries'],
    enabled,
    queryFn: ({ signal }) => get<CreditUsage>('/credit/usage', {}, signal),
  });
  if (usage.isError) return null;
  const most = usage.data?.vendors.toSorted((a, b) => b.enquiries - a.enquiries);
  return most && (most[0]?.of ?? null);
}

function Filter({
  vendors,
  vid,
}: {
  readonly vendors: PaymentChoices['vendors'];
  readonly vid: string;
}) {
  const { t } = useLingui();
  const filter = useSearch({ from: '/shell/credit' });
  const navigate = useNavigate();
  const apply = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const fields = [...new FormData(event.currentTarget)].filter(([, value]) => value !== '');
    void navigate({ to: '/credit', search: Object.fromEntries(fields) });
  };
  return (
    <form key={JSON.stringify({ filter, vid })} className={styles['filter']} onSubmit={apply}>
      <Select
        label={t`Vendor`}
        name="vid"
        defaultValue={vid}
        options={Object.fromEntries(vendors.map(({ code, name }) => [code, name]))}
      />
      <Select
        label={t`Result`}
        name="outcome"
        defaultValue={filter.outcome ?? ''}
        options={{ '': t`Any`, ...useNames(OUTCOMES) }}
      />
      <Field label={t`Reference`} name="reference" defaultValue={filter.reference} />
      <Field label={t`From`} name="from" type="date" defaultValue={filter.from} />
      <Field label={t`To`} name="to" type="date" defaultValue={filter.to} />
      <Button type="submit">
        <Trans>Filter</Trans>
      </Button>
    </form>
  );
}

function List({
  vid,
  enquiries,
}: {
  readonly vid: string;
  readonly enquiries: EnquiryList['enquiries'];
}) {
  const { t } = useLingui();
  const products = useNames(PRODUCT_NAMES);
  const purposes = useNames(PURPOSES);
  const mayRead = useMay('credit.reports');
  return (
    <Table
      label={t`Credit enquiries`}
      rows={enquiries}
      keyOf={({ number }) => String(number)}
      empty={t`No enquiry matches.`}
      columns={[
        { title: t`When`, cell: (row) => <Time at={row.enquired_at} /> },
        {
          title: t`Product`,
          cell: ({ operation, reference, outcome }) =>
            mayRead && outcome === 'answered' ? (
              <Link
                to="/credit/enquiries/$vid/$operation/$reference"
                params={{ vid, operation, reference }}
                preload={false}
              >
                {products[operation]}
              </Link>
            ) : (
              products[operation]
            ),
        },
        {
          title: t`Purpose`,
          cell: (row) => purposes[row.report_reason] ?? row.report_reason,
          hide: 'small',
        },
        {
          title: t`Customer`,
          cell: ({ customer }) => customer !== null && `…${customer}`,
          hide: 'small',
        },
        { title: t`Result`, cell: (row) => <Outcome of={row} /> },
        {
          title: t`Asked by`,
          cell: ({ person }) => person ?? t`the vendor’s system`,
          hide: 'small',
        },
      ]}
    />
  );
}

function Outcome({
  of: { outcome, name_differs: nameDiffers, grade, erased },
}: {
  readonly of: EnquiryList['enquiries'][number];
}) {
  const { t } = useLingui();
  const names = useNames(OUTCOMES);
  const tone = outcome === 'answered' ? 'done' : outcome === 'unknown' ? 'waiting' : 'info';
  return (
    <>
      <Pill tone={tone}>{names[outcome]}</Pill> {grade ?? ''} {nameDiffers && t`another name`}{' '}
      {erased && t`erased`}
    </>
  );
}
