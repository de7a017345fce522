import { Trans, useLingui } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Paid, PayCheck } from '../../../../src/staff/pay.ts';
import { send } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { Card } from '../../design/Card.tsx';
import { ConfirmDialog } from '../../design/ConfirmDialog.tsx';
import { Facts } from '../../design/Facts.tsx';
import { Notice } from '../../design/Notice.tsx';
import { announce } from '../../design/Toasts.tsx';
import { Money } from '../../format/Money.tsx';
import { readableMoney } from '../../format/money.ts';
import styles from './Pay.module.css';
import type { PayForm } from './Pay.tsx';

type Right = NonNullable<PayCheck['right']>;

/** What it costs, and paying it. */
export function Summary({
  form,
  reference,
  billerName,
  check,
  isCurrent,
}: {
  readonly form: PayForm;
  readonly reference: string;
  readonly billerName: string;
  readonly check: PayCheck | undefined;
  /** False: the check is of what was typed before. */
  readonly isCurrent: boolean;
}) {
  const { t } = useLingui();
  const mayPay = useMay('payments.create');
  const [isAsking, setIsAsking] = useState(false);
  const pay = usePay(form, reference);
  const right = check?.right ?? undefined;
  const general = check?.wrong?.field === null ? check.wrong.text : undefined;
  return (
    <Card title={<Trans>What it costs</Trans>}>
      <Costs right={right} />
      <div className={styles['problem']}>
        {general !== undefined && <Notice tone="alert">{general}</Notice>}
        {right?.is_enough === false && (
          <Notice tone="alert">
            <Trans>The float is too low: it has KES {readableMoney(right.float)}.</Trans>
          </Notice>
        )}
      </div>
      <div className={styles['actions']}>
        <Button
          kind="primary"
          disabled={!mayPay || !isCurrent || right?.is_enough !== true}
          onClick={() => setIsAsking(true)}
        >
          <Trans>Pay</Trans>
        </Button>
      </div>
      {right !== undefined && (
        <ConfirmDialog
          title={<Trans>Pay {billerName}</Trans>}
          open={isAsking}
          onOpenChange={setIsAsking}
          confirm={t`Pay KES ${readableMoney(right.total)}`}
          reason="none"
          isFinal
          onConfirm={async () => await pay(right.fee)}
        >
          <p>
            <Trans>
              KES {readableMoney(right.amount)} to the account <b>{right.account}</b>.
            </Trans>
          </p>
        </ConfirmDialog>
      )}
    </Card>
  );
}

function usePay(form: PayForm, reference: string): (shownFee: string) => Promise<void> {
  const { t } = useLingui();
  const queries = useQueryClient();
  const navigate = useNavigate();
  return async (shownFee) => {
    const { phone, ...rest } = form;
    const body = {
      ...rest,
      ...(phone.trim() === '' ? {} : { phone }),
      merchant_reference: reference,
      fee: shownFee,
    };
    const paid = await send<Paid>('POST', '/pay', body).catch(async (error: unknown) => {
      // The price may have changed: the dialog shows the new total.
      await queries.invalidateQueries({ queryKey: ['pay', 'check'] });
      throw error;
    });
    announce(
      paid.replayed
        ? t`It was accepted before, and is paid only once.`
        : t`The payment is accepted.`,
    );
    await queries.invalidateQueries({ queryKey: ['pay'] });
    await navigate({ to: '/payments/$reference', params: { reference: paid.reference } });
  };
}

function Costs({ right }: { readonly right: Right | undefined }) {
  const { t } = useLingui();
  return (
    <Facts
      facts={[
        { name: t`Amount`, value: <Cost amount={right?.amount} /> },
        { name: t`Fee`, value: <Cost amount={right?.fee} /> },
        { name: t`Total`, value: <Cost amount={right?.total} /> },
      ]}
    />
  );
}

function Cost({ amount }: { readonly amount: string | undefined }) {
  return amount === undefined ? '–' : <Money amount={amount} currency />;
}
