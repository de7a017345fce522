import { Trans } from '@lingui/react/macro';
import styles from './Skeleton.module.css';

/** A placeholder of the same size while content is loading, so that the layout does not jump. */
export function Skeleton({ lines = 6 }: { readonly lines?: number }) {
  return (
    <div className={styles['skeleton']} role="status">
      <span className="visually-hidden">
        <Trans>Loading…</Trans>
      </span>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} className={styles['line']} aria-hidden="true" />
      ))}
    </div>
  );
}
