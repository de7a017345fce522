import type { ReactNode } from 'react';
import type { Tone } from './Notice.tsx';
import styles from './Pill.module.css';

/** A short state. */
export function Pill({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return (
    <span className={styles['pill']} data-tone={tone}>
      {children}
    </span>
  );
}
