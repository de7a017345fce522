import type { ReactNode } from 'react';
import { useId } from 'react';
import styles from './Field.module.css';

export interface LabelTexts {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
}

/** Attributes that connect a control with its label and note. */
interface ControlProps {
  readonly id: string;
  readonly 'aria-invalid': boolean;
  readonly 'aria-describedby': string | undefined;
}

/** A control with its label, and its hint or error. */
export function Labelled({
  label,
  hint,
  error,
  children,
}: LabelTexts & { readonly children: (control: ControlProps) => ReactNode }) {
  const id = useId();
  const note = error ?? hint;
  return (
    <div className={styles['field']}>
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        'aria-invalid': error !== undefined,
        'aria-describedby': note === undefined ? undefined : `${id}-note`,
      })}
      {note !== undefined && (
        <p id={`${id}-note`} className={error === undefined ? styles['hint'] : styles['error']}>
          {note}
        </p>
      )}
    </div>
  );
}
