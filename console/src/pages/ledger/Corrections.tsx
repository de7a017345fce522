import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { CorrectionsAnswer } from '../../../../src/staff/reports.ts';
import { get } from '../../api/client.ts';
import { Card } from '../../design/Card.tsx';
import { FileLinks } from '../../design/FileLinks.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { Money } from '../../format/Money.tsx';
import { Time } from '../../format/Time.tsx';
import { RESOLUTION_NAMES } from '../cases/case-texts.ts';

/** What two people corrected in a period, each with payment and case. */
export function Corrections({ period }: { readonly period: { from: string; to: string } }) {
  const found = useQuery({
    queryKey: ['corrections', period],
    queryFn: ({ signal }) => get<CorrectionsAnswer>('/corrections', period, signal),
  });
  return (
    <Card
      title={<Trans>Corrections in the period</Trans>}
      more={<FileLinks path="/corrections" query={period} />}
    >
      {found.isError && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <Skeleton lines={4} />}
      {found.data !== undefined && <List corrections={found.data.corrections} />}
    </Card>
  );
}

function List({ corrections }: Pick<CorrectionsAnswer, 'corrections'>) {
  const { t, i18n } = useLingui();
  const nameOf = (resolution: string): string => {
    const name = RESOLUTION_NAMES[resolution];
    return name === undefined ? resolution : i18n._(name);
  };
  return (
    <Table
      label={t`Corrections in the period`}
      rows={corrections}
      keyOf={({ id }) => id}
      empty={t`Nothing was corrected in the period.`}
      columns={[
        { title: t`Time`, cell: ({ at }) => <Time at={at} /> },
        {
          title: t`Payment`,
          cell: ({ reference, vid }) => (
            <>
              {reference !== null && (
                <Link to="/payments/$reference" params={{ reference }}>
                  {reference}
                </Link>
              )}
              {vid !== null && <small>{vid}</small>}
            </>
          ),
          hide: 'small',
        },
        {
          title: t`Case`,
          cell: ({ case: caseId, resolution, proposed_by: proposer, approved_by: approver }) => (
            <>
              <Link to="/cases/$caseId" params={{ caseId }}>
                {nameOf(resolution)}
              </Link>
              <small>{[proposer, approver].filter(Boolean).join(', ')}</small>
            </>
          ),
        },
        {
          title: t`From`,
          cell: ({ debit }) => debit,
          hide: 'small',
        },
        { title: t`To`, cell: ({ credit }) => credit, hide: 'small' },
        { title: t`Amount`, cell: ({ amount }) => <Money amount={amount} />, align: 'end' },
      ]}
    />
  );
}
