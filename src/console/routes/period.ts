import { Type } from 'typebox';
import { Refusal } from '../../platform/base/errors.ts';

/** An instant in ISO 8601 with an offset, such as `2026-11-22T06:00:00Z`. */
export const instant = Type.String({
  pattern: String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:\d{2})$`,
});

/** Throws: `invalid_field`. */
export function readInstant(text: string | undefined, field: string): Date | undefined {
  if (text === undefined) return undefined;
  const time = new Date(text);
  if (!Number.isNaN(time.getTime())) return time;
  throw new Refusal('invalid_field', { field, text: `${field} is not a valid time` });
}
