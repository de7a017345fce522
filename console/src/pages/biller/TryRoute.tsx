import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation } from '@tanstack/react-query';
import type { SubmitEvent } from 'react';
import type { RouteTrial } from '../../../../src/staff/routes.ts';
import { get } from '../../api/client.ts';
import { Button } from '../../design/Button.tsx';
import { Card } from '../../design/Card.tsx';
import { Field } from '../../design/Field.tsx';
import { Problem } from '../../design/Problem.tsx';
import styles from './TryRoute.module.css';

/** Where a payment would go now; nothing is sent. */
export function TryRoute({ code }: { readonly code: string }) {
  const { t } = useLingui();
  const attempt = useMutation({
    mutationFn: (amount: string) =>
      get<RouteTrial>(`/billers/${encodeURIComponent(code)}/route`, { amount }),
  });
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const amount = new FormData(event.currentTarget).get('amount');
    if (typeof amount === 'string') attempt.mutate(amount);
  };
  return (
    <Card title={<Trans>Where would a payment go?</Trans>}>
      <div className={styles['part']}>
        <form className={styles['form']} onSubmit={submit}>
          <Field label={t`Amount in KES`} name="amount" inputMode="decimal" required />
          <Button type="submit" disabled={attempt.isPending}>
            <Trans>Try</Trans>
          </Button>
        </form>
        {attempt.isError && <Problem error={attempt.error} />}
        {attempt.data !== undefined && <Trial trial={attempt.data} />}
        <p className={styles['hint']}>
          <Trans>Nothing is sent.</Trans>
        </p>
      </div>
    </Card>
  );
}

function Trial({ trial: { operator, reason, routes } }: { readonly trial: RouteTrial }) {
  const blocked = routes.filter(({ obstacle }) => obstacle !== null);
  return (
    <div role="status">
      <p>
        {operator === null ? (
          <Trans>Nothing would be sent now.</Trans>
        ) : (
          <Trans>
            Through <b>{operator}</b>
          </Trans>
        )}
        {reason !== null && ` (${reason})`}
      </p>
      {blocked.map(({ operator: other, obstacle }) => (
        <p key={other} className={styles['hint']}>
          {other}: {obstacle}
        </p>
      ))}
    </div>
  );
}
