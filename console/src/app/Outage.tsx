import { Trans } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useSyncExternalStore } from 'react';
import { askConnection } from '../api/client.ts';
import { currentConnection, onConnection } from '../api/connection.ts';
import { Button } from '../design/Button.tsx';
import { Notice } from '../design/Notice.tsx';
import styles from './Outage.module.css';

const AGAIN_MS = 3_000;

/** Says that the service does not answer, asks it again and again, and then brings the page up to date. */
export function Outage() {
  const connection = useSyncExternalStore(onConnection, currentConnection);
  const queries = useQueryClient();
  const router = useRouter();
  const isGood = connection === 'good';
  useEffect(() => {
    if (isGood) return undefined;
    const timer = window.setInterval(() => void askConnection(), AGAIN_MS);
    return () => {
      window.clearInterval(timer);
      // Not what is read once, because the audit log counts the readings.
      void queries.refetchQueries({ type: 'active', stale: true });
      void router.invalidate();
    };
  }, [isGood, queries, router]);
  if (isGood) return null;
  return (
    <div className={styles['outage']}>
      <Notice tone="alert">
        <div className={styles['content']}>
          <p>
            {connection === 'unreachable' ? (
              <Trans>
                The service cannot be reached. What you see may be out of date; it is updated as
                soon as the service answers.
              </Trans>
            ) : (
              <Trans>
                The service cannot reach its database. What you see may be out of date; it is
                updated as soon as the service works again.
              </Trans>
            )}
          </p>
          <Button onClick={() => void askConnection()}>
            <Trans>Try again</Trans>
          </Button>
        </div>
      </Notice>
    </div>
  );
}
