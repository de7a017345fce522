import type { ReactNode } from 'react';
import styles from './Notice.module.css';

export type Tone = 'done' | 'waiting' | 'alert' | 'info';

/** A sentence about the state of the whole page. Errors are announced to screen readers at once. */
export function Notice({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return (
    <div className={styles['notice']} data-tone={tone} role={tone === 'alert' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}
