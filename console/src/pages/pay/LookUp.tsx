import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AccountLookedUp } from '../../../../src/staff/pay.ts';
import { send } from '../../api/client.ts';
import { Button } from '../../design/Button.tsx';
import { Notice } from '../../design/Notice.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Money } from '../../format/Money.tsx';
import styles from './Pay.module.css';
import type { PayForm } from './Pay.tsx';

/** Asks the biller whose account it is, and what is due. */
export function LookUp({
  form,
  onAmount,
}: {
  readonly form: PayForm;
  readonly onAmount: (amount: string) => void;
}) {
  // What the form said then: not asked again while a phone number is typed.
  const [asked, setAsked] = useState<Omit<PayForm, 'amount'>>();
  const found = useQuery({
    queryKey: ['pay', 'account', asked],
    enabled: asked !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => send<AccountLookedUp>('POST', '/pay/account', asked, signal),
  });
  const { biller_name, account, phone } = form;
  return (
    <div className={styles['lookup']}>
      <Button
        disabled={account.trim() === '' || found.isFetching}
        onClick={() => setAsked({ biller_name, account, phone })}
      >
        {found.isFetching ? <Trans>Asking the biller…</Trans> : <Trans>Look the account up</Trans>}
      </Button>
      {found.isError && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.data !== undefined && <Found answer={found.data} onAmount={onAmount} />}
    </div>
  );
}

function Found({
  answer: { is_valid: isValid, text, name, amount_due: amountDue, due_date: dueDate },
  onAmount,
}: {
  readonly answer: AccountLookedUp;
  readonly onAmount: (amount: string) => void;
}) {
  if (!isValid) {
    return (
      <Notice tone="alert">
        <Trans>The biller does not accept this account: {text}</Trans>
      </Notice>
    );
  }
  return (
    <Notice tone="done">
      <p>{name ?? <Trans>The account exists.</Trans>}</p>
      {amountDue !== null && (
        <p>
          {dueDate === null ? (
            <Trans>
              Due: <Money amount={amountDue} currency />
            </Trans>
          ) : (
            <Trans>
              Due: <Money amount={amountDue} currency />, on {dueDate}
            </Trans>
          )}{' '}
          <Button onClick={() => onAmount(amountDue)}>
            <Trans>Pay this amount</Trans>
          </Button>
        </p>
      )}
    </Notice>
  );
}
