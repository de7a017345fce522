import { Trans, useLingui } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { SUMMARY_FORMATS } from '../../../../src/payments/summaries/formats.ts';
import type { SummaryFormat } from '../../../../src/payments/summaries/formats.ts';
import type { SummaryList } from '../../../../src/staff/summary-journals.ts';
import { apiUrl, send } from '../../api/client.ts';
import { usePages } from '../../api/pages.ts';
import { useMay } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { ButtonLink } from '../../design/ButtonLink.tsx';
import { Card } from '../../design/Card.tsx';
import { ConfirmDialog } from '../../design/ConfirmDialog.tsx';
import { Field } from '../../design/Field.tsx';
import { FileLinks } from '../../design/FileLinks.tsx';
import { More } from '../../design/More.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { Money } from '../../format/Money.tsx';
import { Time } from '../../format/Time.tsx';

type Journal = SummaryList['journals'][number];

const PROGRAMS: Readonly<Record<SummaryFormat, string>> = {
  xero: 'Xero',
  quickbooks: 'QuickBooks',
  sage: 'Sage 50',
  erpnext: 'ERPNext',
  hledger: 'hledger',
};

/** What was posted, summed by account, for the accounting software. */
export function SummaryJournals() {
  const list = usePages<SummaryList>(['summary-journals'], '/summary-journals', {});
  return (
    <>
      <PageHeader
        title={<Trans>Summary journals</Trans>}
        about={
          <Trans>
            What was posted, summed by account, for the accounting software. Each posting is in one.
          </Trans>
        }
      >
        <FileLinks path="/summary-journals" />
      </PageHeader>
      <Card title={<Trans>Summary journals</Trans>} more={<Trans>Newest first</Trans>}>
        {list.isError && <Problem error={list.error} onRetry={() => void list.refetch()} />}
        {list.isPending && <Skeleton lines={8} />}
        {list.data !== undefined && (
          <Made journals={list.data.pages.flatMap(({ journals }) => journals)} />
        )}
        <More list={list}>
          <Trans>Show older ones</Trans>
        </More>
      </Card>
    </>
  );
}

function Made({ journals }: Pick<SummaryList, 'journals'>) {
  const { t } = useLingui();
  const mayMark = useMay('finance.act');
  const [marked, setMarked] = useState<string>();
  return (
    <>
      <Table
        label={t`Summary journals`}
        rows={journals}
        keyOf={({ number }) => number}
        empty={t`There is no summary journal yet.`}
        columns={[
          { title: t`Number`, cell: ({ number }) => number },
          { title: t`Posted from`, cell: ({ from }) => <Time at={from} />, hide: 'small' },
          { title: t`Until`, cell: ({ to }) => <Time at={to} />, hide: 'small' },
          { title: t`Debits`, cell: ({ amount }) => <Money amount={amount} />, align: 'end' },
          { title: t`Files`, cell: (row) => <Files of={row} /> },
          {
            title: t`Exported`,
            cell: ({ number, exported_at: at, reference }) =>
              at === null ? (
                mayMark && (
                  <Button onClick={() => setMarked(number)}>
                    <Trans>Mark as exported</Trans>
                  </Button>
                )
              ) : (
                <>
                  <Time at={at} /> <small>{reference}</small>
                </>
              ),
          },
        ]}
      />
      <Mark number={marked} onClose={() => setMarked(undefined)} />
    </>
  );
}

function Files({ of: { number } }: { readonly of: Journal }) {
  const { t } = useLingui();
  const path = `/summary-journals/${number}`;
  return (
    <>
      <FileLinks path={path} />
      {SUMMARY_FORMATS.map((format) => (
        <ButtonLink
          key={format}
          href={apiUrl(`${path}/file`, { format })}
          aria-label={t`${number} for ${PROGRAMS[format]}`}
          download
        >
          {PROGRAMS[format]}
        </ButtonLink>
      ))}
    </>
  );
}

function Mark({
  number,
  onClose,
}: {
  readonly number: string | undefined;
  readonly onClose: () => void;
}) {
  const { t } = useLingui();
  const queries = useQueryClient();
  return (
    <ConfirmDialog
      title={<Trans>Mark {number} as exported</Trans>}
      open={number !== undefined}
      onOpenChange={onClose}
      confirm={<Trans>Mark as exported</Trans>}
      reason="none"
      isFinal
      onConfirm={async ({ reference }) => {
        await send('POST', `/summary-journals/${number}/exported`, { reference });
        await queries.invalidateQueries();
      }}
    >
      <p>
        <Trans>From then on its files keep the codes of accounts that they have now.</Trans>
      </p>
      <Field
        label={t`Reference in the accounting software`}
        name="reference"
        maxLength={200}
        required
      />
    </ConfirmDialog>
  );
}
