/**
 * What breaks clients between two OpenAPI 3.1 documents (specification §9): a path, an operation or
 * a request form is gone, a field that was always there is gone, an existing field is altered, a
 * request asks for more. Added answer fields, operations and optional parameters break nobody.
 *
 * All checks use one question about two schemas: does each value of one match the other? A
 * published request must fit the current schema; a current answer must fit the published one.
 */
export interface OpenApiDocument {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: unknown;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses?: Readonly<Record<string, Body | Reference>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

interface Body {
  readonly required?: boolean;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface Reference {
  readonly $ref: string;
}

type Schema = Readonly<Record<string, unknown>>;
type Direction = 'request' | 'answer';

interface Side {
  readonly document: OpenApiDocument;
  readonly schema: Schema;
}

/** Schemas nest less deeply than this; more means that one contains itself. */
const MAX_LEVELS = 32;

/** One line for each break, with the operation and the field. Empty if the major versions differ. */
export function findBreaks(published: OpenApiDocument, current: OpenApiDocument): string[] {
  if (majorOf(published) !== majorOf(current)) return [];
  return Object.entries(published.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, before]) => {
      const name = `${method.toUpperCase()} ${path}`;
      const after = current.paths[path]?.[method];
      if (after === undefined) return [`${name}: removed`];
      return [
        ...parameterBreaks(name, [published, before], [current, after]),
        ...bodyBreaks(name, [published, before], [current, after]),
        ...answerBreaks(name, [published, before], [current, after]),
      ];
    }),
  );
}

function majorOf(document: OpenApiDocument): string {
  return document.info.version.split('.', 1)[0] ?? '';
}

type Place = readonly [OpenApiDocument, Operation];

function parameterBreaks(name: string, before: Place, after: Place): string[] {
  const parametersOf = ([, { parameters = [] }]: Place) =>
    new Map(parameters.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter]));
  const old = parametersOf(before);
  const now = parametersOf(after);
  const breaks: string[] = [];
  for (const [key, parameter] of now) {
    const was = old.get(key);
    if (parameter.required === true && was?.required !== true) {
      breaks.push(`${name} ${key}: became required`);
    }
    if (was === undefined) continue;
    const published = { document: before[0], schema: was.schema ?? {} };
    const current = { document: after[0], schema: parameter.schema ?? {} };
    breaks.push(...misfits(published, current, { at: `${name} ${key}`, direction: 'request' }));
  }
  const gone = [...old.keys()].filter((key) => !now.has(key));
  return [...breaks, ...gone.map((key) => `${name} ${key}: removed`)];
}

function bodyBreaks(name: string, before: Place, after: Place): string[] {
  const old = before[1].requestBody;
  const now = after[1].requestBody;
  if (now?.required === true && old?.required !== true) return [`${name} body: became required`];
  return Object.entries(old?.content ?? {}).flatMap(([form, { schema = {} }]) => {
    const at = `${name} ${form}`;
    const media = now?.content?.[form];
    if (media === undefined) return [`${at}: removed`];
    const published = { document: before[0], schema };
    const current = { document: after[0], schema: media.schema ?? {} };
    return misfits(published, current, { at, direction: 'request' });
  });
}

function answerBreaks(name: string, before: Place, after: Place): string[] {
  const responses = after[1].responses ?? {};
  return Object.entries(before[1].responses ?? {}).flatMap(([status, response]) => {
    // A refusal that no longer occurs breaks nobody, and others may answer as `default` says.
    const now = responses[status] ?? responses['default'];
    if (now === undefined || (status === '200' && responses[status] === undefined)) {
      return [`${name} ${status}: removed`];
    }
    const old = resolve(before[0], response) as Body;
    const content = (resolve(after[0], now) as Body).content ?? {};
    return Object.entries(old.content ?? {}).flatMap(([form, { schema = {} }]) => {
      const at = `${name} ${status}`;
      const media = content[form];
      if (media === undefined) return [`${at} ${form}: removed`];
      const published = { document: before[0], schema };
      const current = { document: after[0], schema: media.schema ?? {} };
      return misfits(current, published, { at, direction: 'answer' });
    });
  });
}

interface Where {
  readonly at: string;
  readonly direction: Direction;
  readonly level?: number;
}

/** Why a value of the first schema might not fit the second. */
function misfits(given: Side, wanted: Side, where: Where): string[] {
  const level = (where.level ?? 0) + 1;
  if (level > MAX_LEVELS) throw new Error(`${where.at} nests too deeply`);
  const options = alternatives(wanted);
  return alternatives(given).flatMap((one) => {
    const tries = options.map((other) => alternativeMisfits(one, other, { ...where, level }));
    // The nearest alternative explains best what is wrong.
    return tries.toSorted((a, b) => a.length - b.length)[0] ?? [];
  });
}

/** A union, or a list of types, taken apart. */
function alternatives(side: Side): Side[] {
  const schema = resolve(side.document, side.schema) as Schema;
  const { document } = side;
  const union = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined;
  if (union !== undefined) {
    return union.flatMap((member) => alternatives({ document, schema: member }));
  }
  const types = schema['type'];
  if (!Array.isArray(types)) return [{ document, schema }];
  return types.map((type: unknown) => ({ document, schema: { ...schema, type } }));
}

function alternativeMisfits(given: Side, wanted: Side, where: Where): string[] {
  const from = given.schema;
  const to = wanted.schema;
  const fitsType =
    to['type'] === undefined ||
    from['type'] === to['type'] ||
    (from['type'] === 'integer' && to['type'] === 'number');
  if (!fitsType) {
    const [was, is] = where.direction === 'request' ? [from, to] : [to, from];
    return [`${where.at}: type ${String(was['type'])} became ${String(is['type'])}`];
  }
  return [
    ...valueMisfits(from, to, where),
    ...objectMisfits(given, wanted, where),
    ...(to['items'] === undefined
      ? []
      : misfits(
          { ...given, schema: (from['items'] ?? {}) as Schema },
          { ...wanted, schema: to['items'] as Schema },
          { ...where, at: `${where.at}[]` },
        )),
  ];
}

const LOWER_BOUNDS = ['minLength', 'minimum', 'exclusiveMinimum', 'minItems', 'minProperties'];
const UPPER_BOUNDS = ['maxLength', 'maximum', 'exclusiveMaximum', 'maxItems', 'maxProperties'];
/** These must not change, because it cannot be decided if one is looser than the other. */
const FIXED = ['format', 'multipleOf', 'uniqueItems', 'patternProperties', 'allOf', 'not'];

function valueMisfits(from: Schema, to: Schema, where: Where): string[] {
  const broken: string[] = [];
  for (const keyword of LOWER_BOUNDS) {
    if (!((from[keyword] ?? -Infinity) >= (to[keyword] ?? -Infinity))) broken.push(keyword);
  }
  for (const keyword of UPPER_BOUNDS) {
    if (!((from[keyword] ?? Infinity) <= (to[keyword] ?? Infinity))) broken.push(keyword);
  }
  for (const keyword of FIXED) {
    const wanted = to[keyword];
    if (wanted !== undefined && JSON.stringify(from[keyword]) !== JSON.stringify(wanted)) {
      broken.push(keyword);
    }
  }
  if (!fitsPattern(from['pattern'], to['pattern'])) broken.push('pattern');
  const wantedValues = valuesOf(to);
  const givenValues = valuesOf(from);
  if (
    wantedValues !== undefined &&
    (givenValues === undefined || !givenValues.every((value) => wantedValues.includes(value)))
  ) {
    broken.push('values');
  }
  return broken.map((keyword) => `${where.at}: ${keyword} altered`);
}

/** A pattern is known to be looser than another only if it is the other with an added alternative. */
function fitsPattern(from: unknown, to: unknown): boolean {
  if (to === undefined || from === to) return true;
  return typeof from === 'string' && typeof to === 'string' && to.startsWith(`${from}|`);
}

function valuesOf(schema: Schema): string[] | undefined {
  const values = 'const' in schema ? [schema['const']] : (schema['enum'] as unknown[] | undefined);
  return values?.map((value) => JSON.stringify(value));
}

function objectMisfits(given: Side, wanted: Side, where: Where): string[] {
  const from = (given.schema['properties'] ?? {}) as Readonly<Record<string, Schema>>;
  const to = (wanted.schema['properties'] ?? {}) as Readonly<Record<string, Schema>>;
  const required = (given.schema['required'] ?? []) as readonly string[];
  const isRequest = where.direction === 'request';
  const breaks = ((wanted.schema['required'] ?? []) as readonly string[])
    .filter((name) => !required.includes(name))
    .map(
      (name) => `${where.at}.${name}: ${isRequest ? 'became required' : 'no longer always there'}`,
    );
  for (const [name, schema] of Object.entries(from)) {
    const at = `${where.at}.${name}`;
    const other = to[name];
    if (other !== undefined) {
      breaks.push(...misfits({ ...given, schema }, { ...wanted, schema: other }, { ...where, at }));
    } else if (isRequest) breaks.push(`${at}: removed`);
  }
  const closed = (side: Side): boolean => side.schema['additionalProperties'] === false;
  if (isRequest && closed(wanted) && !closed(given)) {
    breaks.push(`${where.at}: takes no further names now`);
  }
  return breaks;
}

/** Follows a reference within the document. Throws when it leads nowhere. */
function resolve(document: OpenApiDocument, value: object): object {
  let target: unknown = value;
  for (let steps = 0; steps < MAX_LEVELS; steps += 1) {
    const { $ref: reference } = target as Partial<Reference>;
    if (reference === undefined) return target as object;
    target = reference
      .replace(/^#\//, '')
      .split('/')
      .reduce<unknown>(
        (node, key) => (node as Record<string, unknown> | undefined)?.[key],
        document,
      );
    if (typeof target !== 'object' || target === null) {
      throw new Error(`${reference} leads nowhere`);
    }
  }
  throw new Error('references lead in a circle');
}
