import { Trans, useLingui } from '@lingui/react/macro';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useState } from 'react';
import type { MovementsAnswer } from '../../../../src/console/vendor-answers.ts';
import { apiUrl, get } from '../../api/client.ts';
import { useSession } from '../../app/session.ts';
import { ButtonLink } from '../../design/ButtonLink.tsx';
import { Card } from '../../design/Card.tsx';
import { Field } from '../../design/Field.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { today } from '../../format/days.ts';
import { useFigures } from '../../format/figures.ts';
import { Money } from '../../format/Money.tsx';
import { Time } from '../../format/Time.tsx';
import styles from './Account.module.css';

/** The statement of a period: what moved in a vendor's accounts. */
export function Movements({ vid }: { readonly vid: string }) {
  const { t } = useLingui();
  const { timeZone } = useSession();
  const day = today(timeZone);
  const [period, setPeriod] = useState({ from: `${day.slice(0, 8)}01`, to: day });
  const path = `/vendors/${encodeURIComponent(vid)}/statement`;
  const list = useQuery({
    queryKey: ['vendor', vid, 'statement', period],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => get<MovementsAnswer>(path, period, signal),
  });
  return (
    <Card
      title={<Trans>Statement</Trans>}
      more={
        <ButtonLink href={apiUrl(`${path}.csv`, period)} download>
          <Download size={16} aria-hidden="true" />
          <Trans>Export CSV</Trans>
        </ButtonLink>
      }
    >
      <div className={styles['period']}>
        <Field
          label={t`From`}
          type="date"
          value={period.from}
          onChange={(event) => setPeriod({ ...period, from: event.target.value })}
        />
        <Field
          label={t`To`}
          hint={t`Days of ${timeZone}`}
          type="date"
          value={period.to}
          onChange={(event) => setPeriod({ ...period, to: event.target.value })}
        />
      </div>
      {list.isError && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton lines={8} />}
      {list.data !== undefined && <Lines answer={list.data} />}
    </Card>
  );
}

function Lines({ answer }: { readonly answer: MovementsAnswer }) {
  const { t } = useLingui();
  const { count } = useFigures();
  const names = useMovementNames();
  const { lines } = answer;
  return (
    <>
      <p className={styles['balances']}>
        <Trans>
          Float at the beginning: <Money amount={answer.opening} currency />, at the end:{' '}
          <Money amount={answer.closing} currency />
        </Trans>
      </p>
      <Table
        label={t`Statement`}
        rows={lines}
        keyOf={(line) =>
          `${line.at} ${line.reference} ${line.fromAccount} ${line.toAccount} ${line.float}`
        }
        empty={t`Nothing moved in this period.`}
        columns={[
          { title: t`When`, cell: ({ at }) => <Time at={at} /> },
          { title: t`What`, cell: ({ movement }) => names[movement] ?? movement },
          {
            title: t`Reference`,
            cell: ({ movement, reference, merchantReference }) =>
              NOT_PAYMENTS.has(movement) ? (
                reference
              ) : (
                <Link to="/payments/$reference" params={{ reference }}>
                  {merchantReference ?? reference}
                </Link>
              ),
            hide: 'small',
          },
          { title: t`Amount`, cell: ({ amount }) => <Money amount={amount} />, align: 'end' },
          { title: t`Float`, cell: ({ float }) => <Money amount={float} />, align: 'end' },
        ]}
      />
      {answer.count > lines.length && (
        <p className={styles['balances']}>
          <Trans>
            The last {count(lines.length)} of {count(answer.count)} movements. The CSV file has all.
          </Trans>
        </p>
      )}
    </>
  );
}

const NOT_PAYMENTS: ReadonlySet<string> = new Set(['collected', 'funded', 'correction']);

function useMovementNames(): Readonly<Record<string, string>> {
  const { t } = useLingui();
  return {
    collected: t`Collected`,
    funded: t`Moved into the float`,
    reserved: t`Reserved`,
    paid: t`Paid`,
    fee: t`Fee`,
    VAT: t`VAT`,
    released: t`Given back`,
    correction: t`Correction`,
  };
}
