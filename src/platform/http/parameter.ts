import { Type } from 'typebox';
import type { TSchemaOptions, TString } from 'typebox';

/**
 * A request parameter. Every value is text; `form` completes the sentence "<name> must be …" of the
 * refusal when the pattern does not match.
 */
export function parameter(
  pattern: RegExp,
  form: string,
  description: string,
  options: TSchemaOptions = {},
): TString {
  return Type.String({ pattern: pattern.source, description, form, ...options });
}
