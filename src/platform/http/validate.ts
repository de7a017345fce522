import type { Static, TObject } from 'typebox';
import { compiled } from '../base/compiled.ts';
import type { Fields } from '../base/canonical.ts';
import { Refusal } from '../base/errors.ts';

/**
 * Converts fields to the operation's request. Null and empty text count as absent, and so do spaces
 * where a value is required. A parameter with `refusesEmpty` may be absent or null, but not empty.
 * Throws: `missing_field`, `invalid_field`, each naming the first parameter at fault.
 */
export function createValidator<Request extends TObject>(
  schema: Request,
): (fields: Fields) => Static<Request> {
  const check = compiled(schema);
  const names = Object.keys(schema.properties);
  const required = new Set(schema.required ?? []);
  return (fields) => {
    const request: Record<string, string> = {};
    for (const name of names) {
      const value = fields.get(name);
      const text = value ?? '';
      const property: { refusesEmpty?: boolean } | undefined = schema.properties[name];
      if (required.has(name) && text.trim() === '') throw missingField(name);
      if (text !== '' || (value === '' && property?.refusesEmpty === true)) request[name] = text;
    }
    if (check.fits(request)) return request;
    for (const name of names) {
      const property: { pattern?: string; form?: string } | undefined = schema.properties[name];
      const value = request[name];
      if (value === undefined || property?.pattern === undefined) continue;
      if (!new RegExp(property.pattern, 'u').test(value)) {
        throw new Refusal('invalid_field', {
          field: name,
          text: `${name} must be ${property.form ?? 'in the documented form'}`,
        });
      }
    }
    throw new Refusal('invalid_field');
  };
}

function missingField(name: string): Refusal {
  return new Refusal('missing_field', { field: name, text: `${name} is required` });
}
