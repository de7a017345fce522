import type { SelectHTMLAttributes } from 'react';
import { Labelled } from './Labelled.tsx';
import type { LabelTexts } from './Labelled.tsx';

/**
 * A labelled choice of one value. It uses the native list, which works best on phones and with screen
 * readers.
 */
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
