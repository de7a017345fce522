import type { ComponentProps } from 'react';
import { Labelled } from './Labelled.tsx';
import type { LabelTexts } from './Labelled.tsx';

/** A labelled text field, with its hint or error. */
export function Field({ label, hint, error, ...input }: ComponentProps<'input'> & LabelTexts) {
  return (
    <Labelled label={label} hint={hint} error={error}>
      {(control) => <input {...input} {...control} />}
    </Labelled>
  );
}
