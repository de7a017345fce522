import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { FeeRow, TermsRow } from '../../../../src/staff/prices.ts';
import { get } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { Card } from '../../design/Card.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { readableMoney } from '../../format/money.ts';
import { Time } from '../../format/Time.tsx';
import { Formula } from '../vendor/Prices.tsx';
import { EndFee, SetFee, SetTerms } from './SetPrice.tsx';
import { useNames } from './use-names.ts';

/** What vendors pay for payments, and what operators charge and give us. */
export function Prices() {
  const mayAct = useMay('finance.act');
  const seesTerms = useMay('finance.read');
  const [asked, setAsked] = useState<'fee' | 'terms' | FeeRow>();
  const close = (): void => setAsked(undefined);
  return (
    <>
      <PageHeader
        back={
          <Link to="/billers">
            <Trans>Billers</Trans>
          </Link>
        }
        title={<Trans>Prices</Trans>}
        about={<Trans>What is in force, and what begins later.</Trans>}
      >
        {mayAct && (
          <>
            <Button onClick={() => setAsked('fee')}>
              <Trans>Set a fee</Trans>
            </Button>
            <Button onClick={() => setAsked('terms')}>
              <Trans>Set an operator’s price</Trans>
            </Button>
          </>
        )}
      </PageHeader>
      <Fees onEnd={mayAct ? setAsked : undefined} />
      {seesTerms && <Terms />}
      {asked === 'fee' && <SetFee onClose={close} />}
      {asked === 'terms' && <SetTerms onClose={close} />}
      {typeof asked === 'object' && <EndFee fee={asked} onClose={close} />}
    </>
  );
}

function Fees({ onEnd }: { readonly onEnd: ((fee: FeeRow) => void) | undefined }) {
  const { t } = useLingui();
  const { billers } = useNames();
  const list = useQuery({
    queryKey: ['prices'],
    queryFn: ({ signal }) => get<{ readonly prices: FeeRow[] }>('/prices', {}, signal),
  });
  if (list.isError) return <Problem error={list.error} onRetry={() => void list.refetch()} />;
  return (
    <Card title={<Trans>Fees of vendors</Trans>} more={<Trans>on top of the amount</Trans>}>
      {list.data === undefined ? (
        <Skeleton lines={5} />
      ) : (
        <Table
          label={t`Fees of vendors`}
          rows={list.data.prices}
          keyOf={({ biller, vid, valid_from: from }) => `${biller} ${vid} ${from}`}
          empty={t`There are no prices: payments cost nothing on top of their amount.`}
          columns={[
            { title: t`Biller`, cell: ({ biller }) => billers[biller] ?? biller },
            { title: t`Vendor`, cell: ({ vid }) => vid ?? t`all others` },
            { title: t`Fee`, cell: (fee) => <FeeText fee={fee} /> },
            { title: t`From`, cell: (fee) => <Time at={fee.valid_from} />, hide: 'small' },
            { title: t`Set by`, cell: (fee) => fee.set_by, hide: 'small' },
            {
              title: '',
              cell: (fee) =>
                onEnd !== undefined &&
                fee.formula.tiers.length > 0 && (
                  <Button
                    onClick={() => onEnd(fee)}
                    aria-label={t`End the fee of ${billers[fee.biller] ?? fee.biller}`}
                  >
                    <Trans>End</Trans>
                  </Button>
                ),
              align: 'end',
            },
          ]}
        />
      )}
    </Card>
  );
}

function FeeText({ fee }: { readonly fee: FeeRow }) {
  return fee.formula.tiers.length === 0 ? <Trans>none</Trans> : <Formula price={fee} />;
}

function Terms() {
  const { t } = useLingui();
  const { billers, operators } = useNames();
  const list = useQuery({
    queryKey: ['operator-prices'],
    queryFn: ({ signal }) => get<{ readonly prices: TermsRow[] }>('/operator-prices', {}, signal),
  });
  if (list.isError) return <Problem error={list.error} onRetry={() => void list.refetch()} />;
  return (
    <Card title={<Trans>Prices of operators</Trans>}>
      {list.data === undefined ? (
        <Skeleton lines={5} />
      ) : (
        <Table
          label={t`Prices of operators`}
          rows={list.data.prices}
          keyOf={({ biller, operator, valid_from: from }) => `${biller} ${operator} ${from}`}
          empty={t`No operator has a price yet.`}
          columns={[
            { title: t`Biller`, cell: ({ biller }) => billers[biller] ?? biller },
            { title: t`Operator`, cell: ({ operator }) => operators[operator] ?? operator },
            { title: t`It charges`, cell: (row) => rateText(row.cost, row.cost_percent) },
            {
              title: t`It gives`,
              cell: (row) => {
                const rate = rateText(row.commission, row.commission_percent);
                if (rate === '–') return rate;
                return row.commission_paid === 'netted' ? t`${rate} at once` : t`${rate} later`;
              },
            },
            { title: t`From`, cell: (row) => <Time at={row.valid_from} />, hide: 'small' },
            { title: t`Set by`, cell: (row) => row.set_by, hide: 'small' },
          ]}
        />
      )}
    </Card>
  );
}

function rateText(flat: string, percent: string): string {
  const parts = [
    flat === '0.00' ? '' : `KES ${readableMoney(flat)}`,
    percent === '0' ? '' : `${percent} %`,
  ];
  return parts.filter((part) => part !== '').join(' + ') || '–';
}
