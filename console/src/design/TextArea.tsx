import type { TextareaHTMLAttributes } from 'react';
import { Labelled } from './Labelled.tsx';
import type { LabelTexts } from './Labelled.tsx';

/** A labelled field for more than a line of text. */
export function TextArea({
  label,
  hint,
  error,
  ...area
}: TextareaHTMLAttributes<HTMLTextAreaElement> & LabelTexts) {
  return (
    <Labelled label={label} hint={hint} error={error}>
      {(control) => <textarea {...area} {...control} />}
    </Labelled>
  );
}
