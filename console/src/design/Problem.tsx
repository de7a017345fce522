import { Trans } from '@lingui/react/macro';
import { ApiError } from '../api/client.ts';
import { Button } from './Button.tsx';
import { Notice } from './Notice.tsx';
import styles from './Problem.module.css';

/** An error: what failed, a button to try again, and the number by which support finds it in the log. */
export function Problem({
  error,
  onRetry,
}: {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
}) {
  // It would be refused again.
  const isFinal = error instanceof ApiError && [403, 404].includes(error.status);
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  return (
    <Notice tone="alert">
      <div className={styles['problem']}>
        <div>
          <p>{error instanceof Error ? error.message : String(error)}</p>
          {requestId !== undefined && (
            <p className={styles['request']}>
              <Trans>
                Request <code>{requestId}</code>
              </Trans>
            </p>
          )}
        </div>
        {onRetry !== undefined && !isFinal && (
          <Button onClick={onRetry}>
            <Trans>Try again</Trans>
          </Button>
        )}
      </div>
    </Notice>
  );
}
