import { Refusal } from '../platform/base/errors.ts';
import { createProblemFinder } from '../platform/http/json-object.ts';
import type { SchemaProblem } from '../platform/http/json-object.ts';
import type { Definition, Property } from './definition.ts';

type Values = Readonly<Record<string, unknown>>;

const finders = new WeakMap<object, ReturnType<typeof createProblemFinder>>();

/** The input with its defaults. Throws: `missing_field`, `unknown_field`, `invalid_field`, naming the first at fault. */
export function readInput(
  { input: schema, needsOne = [] }: Pick<Definition, 'input' | 'needsOne'>,
  given: Values,
): Record<string, unknown> {
  const input = filled(schema, given) as Record<string, unknown>;
  const problemOf = finders.get(schema) ?? createProblemFinder(schema);
  finders.set(schema, problemOf);
  const problem = problemOf(input);
  if (problem !== undefined) throw refusalOf(problem);
  if (needsOne.length > 0 && needsOne.every((name) => input[name] === undefined)) {
    const text = `At least one of ${needsOne.join(', ')} is required`;
    throw new Refusal('missing_field', { text });
  }
  return storable(input);
}

/** With its defaults, and in lower case what may be given in any case. */
function filled(schema: Property, given: unknown): unknown {
  const value = given ?? schema.default;
  if (typeof value === 'string') return schema.anyCase === true ? value.toLowerCase() : value;
  if (Array.isArray(value)) return value.map((each) => filled(schema.items ?? {}, each));
  if (typeof value !== 'object' || value === null || schema.properties === undefined) return value;
  const own = value as Values;
  const known = Object.entries(schema.properties).map(
    ([name, property]) => [name, filled(property, own[name])] as const,
  );
  return { ...own, ...Object.fromEntries(known.filter(([, each]) => each !== undefined)) };
}

const CODES = {
  missing: 'missing_field',
  unknown: 'unknown_field',
  invalid: 'invalid_field',
} as const;
const SHOWN_NAME_LENGTH = 64;

function refusalOf({ kind, field, text }: SchemaProblem): Refusal {
  const name = field?.slice(0, SHOWN_NAME_LENGTH).toWellFormed();
  const says = kind === 'missing' ? 'is required' : kind === 'unknown' ? 'is not known here' : text;
  return new Refusal(CODES[kind], {
    ...(name !== undefined && { field: name }),
    text: `${name ?? 'The input'} ${says}`,
  });
}

/** The database stores no text with a NUL or with half a character. Throws: `invalid_field`. */
export function storable<Fields extends Values>(fields: Fields): Fields {
  for (const [field, value] of Object.entries(fields)) {
    const text = hasText(value, (each) => each.includes('\0'))
      ? `${field} must not contain a NUL character`
      : hasText(value, (each) => !each.isWellFormed())
        ? `${field} must not contain half a character`
        : undefined;
    if (text !== undefined) throw new Refusal('invalid_field', { field, text });
  }
  return fields;
}

/** At any depth. */
function hasText(value: unknown, matches: (text: string) => boolean): boolean {
  if (typeof value === 'string') return matches(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((each) => hasText(each, matches));
}
