import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { PayoutList as Answer, PayoutView } from '../../../../src/staff/payouts.ts';
import { get, send } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { Card } from '../../design/Card.tsx';
import { ConfirmDialog } from '../../design/ConfirmDialog.tsx';
import { Field } from '../../design/Field.tsx';
import { Pill } from '../../design/Pill.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import type { Column } from '../../design/Table.tsx';
import type { Tone } from '../../design/Notice.tsx';
import { Money } from '../../format/Money.tsx';
import { Time } from '../../format/Time.tsx';
import { DecideProposal } from '../approvals/DecideProposal.tsx';

type Step = 'look' | 'paid' | 'return';

/** Payouts to vendors' banks: what waits for a decision, for the transfer, and what was booked. */
export function PayoutList() {
  const { t } = useLingui();
  const mayAct = useMay('finance.act');
  const [asked, setAsked] = useState<{ readonly payout: PayoutView; readonly step: Step }>();
  const list = useQuery({
    queryKey: ['payouts'],
    queryFn: ({ signal }) => get<Answer>('/payouts', { state: 'all' }, signal),
  });
  const close = (): void => setAsked(undefined);
  const columns = useColumns((payout, step) => setAsked({ payout, step }), mayAct);
  if (list.isError) return <Problem error={list.error} onRetry={() => void list.refetch()} />;
  return (
    <Card title={<Trans>Payouts to vendors’ banks</Trans>} more={<Trans>Newest first</Trans>}>
      {list.data === undefined ? (
        <Skeleton lines={5} />
      ) : (
        <Table
          label={t`Payouts to vendors’ banks`}
          rows={list.data.payouts}
          keyOf={({ payout }) => payout}
          empty={t`No payout has been proposed yet.`}
          columns={columns}
        />
      )}
      {asked?.step === 'look' && (
        <DecideProposal id={asked.payout.payout} mayDecide={mayAct} onClose={close} />
      )}
      {asked?.step === 'paid' && <EnterTransfer payout={asked.payout} onClose={close} />}
      {asked?.step === 'return' && <ProposeReturn payout={asked.payout} onClose={close} />}
    </Card>
  );
}

function useColumns(
  ask: (payout: PayoutView, step: Step) => void,
  mayAct: boolean,
): Column<PayoutView>[] {
  const { t } = useLingui();
  return [
    {
      title: t`Payout`,
      cell: (payout) => (
        <>
          <Button onClick={() => ask(payout, 'look')}>{payout.reference ?? payout.vid}</Button>
          <small>{payout.note}</small>
        </>
      ),
    },
    { title: t`State`, cell: ({ state }) => <State state={state} /> },
    {
      title: t`Proposed`,
      cell: (row) => <Time at={row.proposed_at} />,
      hide: 'small',
    },
    { title: t`Vendor`, cell: ({ vid }) => vid, hide: 'small' },
    { title: t`Bank account`, cell: (row) => row.bank_account, hide: 'small' },
    { title: t`KES`, cell: ({ amount }) => <Money amount={amount} />, align: 'end' },
    {
      title: '',
      cell: (payout) =>
        mayAct &&
        payout.state === 'approved' && (
          <>
            <Button onClick={() => ask(payout, 'paid')}>
              <Trans>Enter the transfer</Trans>
            </Button>
            <Button onClick={() => ask(payout, 'return')}>
              <Trans>Not made</Trans>
            </Button>
          </>
        ),
      align: 'end',
    },
  ];
}

function State({ state }: { readonly state: PayoutView['state'] }) {
  const { t } = useLingui();
  const shown: Record<PayoutView['state'], readonly [Tone, string]> = {
    waits: ['waiting', t`To approve`],
    approved: ['waiting', t`To transfer`],
    booked: ['done', t`Booked`],
    returned: ['info', t`Returned`],
    rejected: ['info', t`Rejected`],
    withdrawn: ['info', t`Withdrawn`],
    expired: ['info', t`Expired`],
  };
  const [tone, text] = shown[state];
  return <Pill tone={tone}>{text}</Pill>;
}

interface DialogProps {
  readonly payout: PayoutView;
  readonly onClose: () => void;
}

function EnterTransfer({ payout, onClose }: DialogProps) {
  const { t } = useLingui();
  const queries = useQueryClient();
  return (
    <ConfirmDialog
      title={<Trans>Enter the transfer</Trans>}
      open
      onOpenChange={onClose}
      confirm={<Trans>Book it</Trans>}
      reason="none"
      done={t`Booked.`}
      isFinal
      onConfirm={async (fields) => {
        await send('POST', `/payouts/${payout.payout}/paid`, fields);
        await queries.invalidateQueries();
      }}
    >
      <p>
        <Trans>
          <Money amount={payout.amount} currency /> to {payout.bank_account} was transferred.
        </Trans>
      </p>
      <Field label={t`Reference of the bank`} name="reference" maxLength={200} required />
    </ConfirmDialog>
  );
}

function ProposeReturn({ payout, onClose }: DialogProps) {
  const { t } = useLingui();
  const queries = useQueryClient();
  return (
    <ConfirmDialog
      title={<Trans>The transfer is not made</Trans>}
      open
      onOpenChange={onClose}
      confirm={<Trans>Propose</Trans>}
      done={t`Proposed. Another person has to approve it.`}
      onConfirm={async (fields) => {
        await send('POST', `/payouts/${payout.payout}/return`, fields);
        await queries.invalidateQueries();
      }}
    >
      <p>
        <Trans>
          Make sure that the bank did not and will not transfer{' '}
          <Money amount={payout.amount} currency /> to {payout.bank_account}: the vendor can spend
          it again when another person approves.
        </Trans>
      </p>
    </ConfirmDialog>
  );
}
