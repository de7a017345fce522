import type { SelectHTMLAttributes } from 'react';
import { Labelled } from './Labelled.tsx';
import type { LabelTexts } from './Labelled.tsx';

/** A labelled choice of one; the device's own list, which phones and screen readers know best. */
export function Select({
  label,
  hint,
  error,
  options,
  ...select
}: SelectHTMLAttributes<HTMLSelectElement> &
  LabelTexts & {
    /** Names by value, in the order shown. */
    readonly options: Readonly<Record<string, string>>;
  }) {
  return (
    <Labelled label={label} hint={hint} error={error}>
      {(control) => (
        <select {...select} {...control}>
          {Object.entries(options).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}
