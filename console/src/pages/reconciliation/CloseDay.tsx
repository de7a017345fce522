import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ComparedDay } from '../../../../src/staff/days.ts';
import { send } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { Card } from '../../design/Card.tsx';
import { ConfirmDialog } from '../../design/ConfirmDialog.tsx';
import { Notice } from '../../design/Notice.tsx';
import { Pill } from '../../design/Pill.tsx';
import { Time } from '../../format/Time.tsx';
import styles from './Reconciliation.module.css';

/** Whether the day is closed, what is missing, and closing it. */
export function CloseDay({ answer }: { readonly answer: ComparedDay }) {
  const [asked, setAsked] = useState(false);
  const mayAct = useMay('reconciliation.act');
  const { closed_at: closedAt } = answer;
  if (closedAt !== null) {
    const exceptions = Object.entries(answer.exceptions);
    return (
      <Notice tone="done">
        <p>
          <b>
            <Trans>The day is closed</Trans>
          </b>
          {', '}
          <Trans>
            by {answer.closed_by}, <Time at={closedAt} />. Its totals are final.
          </Trans>
        </p>
        {exceptions.map(([name, value]) => (
          <p key={name}>
            {name.replaceAll('_', ' ')}: {Array.isArray(value) ? value.join(', ') : String(value)}
          </p>
        ))}
      </Notice>
    );
  }
  const isOver = Date.parse(answer.to) <= Date.now();
  return (
    <Card title={<Trans>Closing the day</Trans>} more={<LastClosed answer={answer} />}>
      <div className={styles['close']}>
        <Checks answer={answer} isOver={isOver} />
        {mayAct && isOver && (
          <div className={styles['actions']}>
            <Button kind="primary" onClick={() => setAsked(true)}>
              <Trans>Close the day</Trans>
            </Button>
          </div>
        )}
      </div>
      <CloseDialog answer={answer} isOpen={asked} onOpenChange={setAsked} />
    </Card>
  );
}

function LastClosed({ answer: { last_closed: lastClosed } }: { readonly answer: ComparedDay }) {
  if (lastClosed === null) return <Trans>No day is closed yet</Trans>;
  return <Trans>The last closed day is {lastClosed}</Trans>;
}

function Checks({ answer, isOver }: { readonly answer: ComparedDay; readonly isOver: boolean }) {
  const { missing, open_cases: openCases } = answer;
  return (
    <ul className={styles['checks']}>
      {!isOver && (
        <li>
          <Pill tone="waiting">
            <Trans>The day is not over</Trans>
          </Pill>
        </li>
      )}
      <li>
        {missing.length === 0 ? (
          <Pill tone="done">
            <Trans>No statement missing</Trans>
          </Pill>
        ) : (
          <>
            <Pill tone="alert">
              <Trans>Statements missing</Trans>
            </Pill>
            <span>{missing.join(', ')}</span>
          </>
        )}
      </li>
      <li>
        {openCases === 0 ? (
          <Pill tone="done">
            <Trans>No open case</Trans>
          </Pill>
        ) : (
          <>
            <Pill tone="alert">
              <Plural value={openCases} one="# open case" other="# open cases" />
            </Pill>
            <Link to="/cases" search={{}}>
              <Plural value={openCases} one="Decide it" other="Decide them" />
            </Link>
          </>
        )}
      </li>
    </ul>
  );
}

function CloseDialog({
  answer: { day, missing, open_cases: openCases },
  isOpen,
  onOpenChange,
}: {
  readonly answer: ComparedDay;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
}) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const close = async (fields: Readonly<Record<string, string>>): Promise<void> => {
    await send('POST', `/days/${day}/close`, {
      reason: fields['reason'],
      without_statement: missing.filter((operator) => fields[`without ${operator}`] === 'on'),
      despite_open_cases: fields['despite'] === 'on',
    });
    await queries.invalidateQueries({ queryKey: ['reconciliation'] });
  };
  return (
    <ConfirmDialog
      title={<Trans>Close {day}</Trans>}
      open={isOpen}
      onOpenChange={onOpenChange}
      confirm={<Trans>Close the day</Trans>}
      done={t`The day is closed.`}
      isFinal
      onConfirm={close}
    >
      <p>
        <Trans>
          The totals become final. A later correction counts on the day when it is posted.
        </Trans>
      </p>
      {missing.map((operator) => (
        <label key={operator} className={styles['check']}>
          <input type="checkbox" name={`without ${operator}`} />
          <Trans>Without the statement of {operator}</Trans>
        </label>
      ))}
      {openCases > 0 && (
        <label className={styles['check']}>
          <input type="checkbox" name="despite" />
          <Plural
            value={openCases}
            one="Although # case is open"
            other="Although # cases are open"
          />
        </label>
      )}
    </ConfirmDialog>
  );
}
