import type { InputHTMLAttributes } from 'react';
import { Field } from './Field.tsx';
import type { LabelTexts } from './Labelled.tsx';

/** A labelled choice of one file, CSV unless it says another `accept`. */
export function FileField(props: InputHTMLAttributes<HTMLInputElement> & LabelTexts) {
  return (
    <Field
      accept=".csv,text/csv"
      {...props}
      type="file"
      // Otherwise the browser does not report that a file was chosen again after it was changed.
      onClick={(event) => {
        // oxlint-disable-next-line no-param-reassign
        event.currentTarget.value = '';
      }}
    />
  );
}
