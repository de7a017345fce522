import document from '../../openapi.json' with { type: 'json' };

/** One operation of the contract, as `openapi.json` describes it. */
export interface ContractOperation {
  readonly id: string;
  readonly path: string;
  /** In ASCII order, without `hash`. */
  readonly names: readonly string[];
  readonly required: ReadonlySet<string>;
  /** The pattern of each parameter's value. */
  readonly patterns: ReadonlyMap<string, RegExp>;
  readonly isSigned: boolean;
  /** A file: the parameters are in the query string. */
  readonly takesFile: boolean;
}

interface Schema {
  readonly pattern?: string;
}

interface Described {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly required?: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
}

interface RequestSchema {
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

const schemas = document.components.schemas as unknown as Readonly<Record<string, RequestSchema>>;

/** Every operation once, even if it answers both GET and POST. */
export const CONTRACT_OPERATIONS: readonly ContractOperation[] = Object.entries(
  document.paths as unknown as Readonly<Record<string, Readonly<Record<string, Described>>>>,
).flatMap(([path, methods]) => {
  // The self-service API is read and signed in another way.
  if (path.startsWith('/v1/')) return [];
  const described = methods['get'] ?? methods['post'];
  return described === undefined ? [] : [operationOf(path, described)];
});

function operationOf(path: string, described: Described): ContractOperation {
  const { operationId: id, parameters } = described;
  const title = id.charAt(0).toUpperCase() + id.slice(1);
  const body = schemas[`${title}Request`];
  const all: readonly (readonly [string, Schema])[] =
    parameters?.map(({ name, schema }) => [name, schema] as const) ??
    Object.entries(body?.properties ?? {});
  const required =
    parameters?.flatMap(({ name, required: is }) => (is === true ? [name] : [])) ??
    body?.required ??
    [];
  const own = all.filter(([name]) => name !== 'hash');
  return {
    id,
    path,
    names: own.map(([name]) => name).toSorted(),
    required: new Set(required.filter((name) => name !== 'hash')),
    patterns: new Map(own.map(([name, { pattern = '' }]) => [name, new RegExp(pattern, 'u')])),
    isSigned: own.length < all.length,
    takesFile: described.requestBody !== undefined && parameters !== undefined,
  };
}
