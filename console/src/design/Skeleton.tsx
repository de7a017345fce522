import { Trans } from '@lingui/react/macro';
import styles from './Skeleton.module.css';

/** Keeps the place of what is being loaded, so that nothing jumps. */
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
