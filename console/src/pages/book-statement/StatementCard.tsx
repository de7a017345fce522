import { Trans, useLingui } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useSession } from '../../app/session.ts';
import { Card } from '../../design/Card.tsx';
import { Field } from '../../design/Field.tsx';
import { FileLinks } from '../../design/FileLinks.tsx';
import { today } from '../../format/days.ts';
import { Statement } from './Statement.tsx';
import styles from './Statement.module.css';
import { useStatement, vendorPath } from './statement-query.ts';

/** A vendor's statement within another page. */
export function StatementCard({ vid }: { readonly vid: string }) {
  const { t } = useLingui();
  const { timeZone } = useSession();
  const day = today(timeZone);
  const [days, setDays] = useState({ from: `${day.slice(0, 8)}01`, to: day });
  const path = vendorPath(vid);
  const list = useStatement(path, days);
  return (
    <Card
      title={
        <Link to="/vendors/$vid/account-statement" params={{ vid }} search={days}>
          <Trans>Statement</Trans>
        </Link>
      }
      more={<FileLinks path={path} query={{ from: days.from, to: days.to }} />}
    >
      <div className={styles['period']}>
        <Field
          label={t`From`}
          type="date"
          value={days.from}
          onChange={(event) => setDays({ ...days, from: event.target.value })}
        />
        <Field
          label={t`To`}
          hint={t`Days of ${timeZone}`}
          type="date"
          value={days.to}
          onChange={(event) => setDays({ ...days, to: event.target.value })}
        />
      </div>
      <Statement list={list} />
    </Card>
  );
}
