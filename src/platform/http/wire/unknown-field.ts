import { Refusal } from '../../base/errors.ts';

/** Matches text that looks like a name rather than like a value sent in its place. */
const NAME = /^[a-z][a-z_-]*\d?$/i;

/**
 * The refusal of a parameter that an operation does not have.
 * @param field its name, already shortened.
 */
export function unknownField(field: string): Refusal {
  if (!NAME.test(field)) return new Refusal('unknown_field', { field });
  return new Refusal('unknown_field', { field, text: `This operation has no parameter ${field}` });
}
