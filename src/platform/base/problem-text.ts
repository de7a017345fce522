import type { TSchema } from 'typebox';
import type { Problem } from './compiled.ts';
import { visible } from './visible.ts';

/** The properties of a schema that its texts are about. */
interface Described {
  /** Our own words, which complete the sentence “<name> must be …”. */
  readonly form?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Described[];
  readonly items?: Described;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** Describes a schema violation in words that complete a sentence beginning with the value's name. */
export function problemText(problem: Problem, root: TSchema): string {
  const path = problem.instancePath.split('/').slice(1);
  const schema = schemaAt(path, root);
  const text = textOf(problem, schema);
  const entry = path.findLastIndex((name) => /^\d+$/.test(name));
  if (entry === -1) return text;
  const within = path.slice(entry + 1).join('.');
  return `is not valid: ${within === '' ? '' : `${within} of `}each entry ${text}`;
}

/** Undefined below a choice between schemas. */
function schemaAt(path: readonly string[], root: Described): Described | undefined {
  let schema: Described | undefined = root;
  for (const name of path) schema = schema?.properties?.[name] ?? schema?.items;
  return schema;
}

function textOf({ keyword, params, message }: Problem, schema: Described | undefined): string {
  const { limit } = params as { readonly limit?: number };
  switch (keyword) {
    case 'required': {
      const { requiredProperties: names } = params as { readonly requiredProperties: string[] };
      return `must have ${names.join(' and ')}`;
    }
    case 'boolean':
      return 'must not have additional properties';
    case 'additionalProperties': {
      const { additionalProperties: names } = params;
      return `must not have ${names.map((name) => visible(name)).join(' and ')}`;
    }
    case 'minItems':
      return `must have at least ${counted(limit ?? 1, 'entry', 'entries')}`;
    case 'maxItems':
      return `must have at most ${counted(limit ?? 1, 'entry', 'entries')}`;
    case 'uniqueItems':
      return 'must not have the same entry twice';
    default: {
      const form = schema === undefined ? undefined : formOf(schema);
      return form === undefined ? message : `must be ${form}`;
    }
  }
}

/** Describes the values that a schema accepts; undefined if it has no description that people can read. */
function formOf(schema: Described): string | undefined {
  if (schema.form !== undefined) return schema.form;
  const values = 'const' in schema ? [schema.const] : schema.enum;
  if (values !== undefined) return oneOf(values.map(String));
  if (schema.anyOf !== undefined) {
    const forms = schema.anyOf.map((choice) => formOf(choice));
    return forms.includes(undefined) ? undefined : forms.join(' or ');
  }
  return formOfType(schema);
}

function formOfType(schema: Described): string | undefined {
  const { minimum, maximum, minLength, maxLength } = schema;
  switch (schema.type) {
    case 'integer':
      return `a whole number${range(minimum, maximum)}`;
    case 'number':
      return `a number${range(minimum, maximum)}`;
    case 'string':
      // A pattern is for programs: without our own words for it, the documentation has to say it.
      if ('pattern' in schema) return 'in the documented form';
      return `text${lengths(minLength, maxLength)}`;
    case 'boolean':
      return 'true or false';
    case 'array':
      return 'a list';
    case 'object':
      return 'an object';
    case 'null':
      return 'null';
    default:
      return undefined;
  }
}

function oneOf(values: readonly string[]): string {
  return values.length === 1 ? values.join('') : `one of ${values.join(', ')}`;
}

function range(minimum: number | undefined, maximum: number | undefined): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` of at least ${minimum}`;
  return maximum === undefined ? '' : ` of at most ${maximum}`;
}

function lengths(minimum: number | undefined, maximum: number | undefined): string {
  if (minimum !== undefined && maximum !== undefined) {
    return ` of ${minimum} to ${maximum} characters`;
  }
  const text = range(minimum, maximum);
  return text === '' ? '' : `${text} characters`;
}

function counted(count: number, one: string, many: string): string {
  return count === 1 ? `one ${one}` : `${count} ${many}`;
}
