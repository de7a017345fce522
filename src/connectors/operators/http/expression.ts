import jsonata from 'jsonata';

/**
 * Expressions of the configuration, in JSONata (https://jsonata.org). Only a part of the language is
 * accepted: without user-defined functions, ranges and regular expressions, evaluation time is bounded
 * by the size of the expression and the input. The library’s own limits are set as well.
 */
export interface Expression {
  /** Undefined if the input has no such value. Rejects if the expression fails on this input. */
  evaluate(input: object): Promise<unknown>;
}

const MAX_EXPRESSION_LENGTH = 4_000;
/** Limits of an evaluation: time in ms, depth, and items of a list. */
const GUARDRAILS = { timeout: 200, stack: 100, sequence: 1_000 };

/** Node types of the library’s syntax tree that may occur. */
const ALLOWED_NODES: ReadonlySet<string> = new Set([
  'binary',
  'unary',
  'condition',
  'path',
  'name',
  'string',
  'number',
  'value',
  'variable',
  'function',
  'block',
  'filter',
]);
const ALLOWED_FUNCTIONS: ReadonlySet<string> = new Set(
  'string length substring substringBefore substringAfter uppercase lowercase trim contains split join replace number abs floor ceil round formatNumber sum boolean not exists count append keys lookup merge type now millis fromMillis toMillis base64encode encodeUrlComponent'.split(
    ' ',
  ),
);

/** Every value that some expression may see (docs/guide/write-a-connector.md says which sees what). */
const INPUT_NAMES: ReadonlySet<string> = new Set(
  'reference attempt biller service account phone amount amount_cents amount_whole handle constants secret callback_url encrypted now_ms nonce signature method path body_text headers body http_status product from_ms to_ms page cursor movement count'.split(
    ' ',
  ),
);

/**
 * @param where the location in the configuration, for messages.
 * Throws: `Error` with that location when the text is no expression, or uses what is not accepted.
 */
export function compileExpression(where: string, text: string): Expression {
  if (text.length > MAX_EXPRESSION_LENGTH) {
    throw new Error(`${where} is longer than ${MAX_EXPRESSION_LENGTH} characters`);
  }
  let compiled: jsonata.Expression;
  try {
    compiled = jsonata(text, GUARDRAILS);
  } catch (error) {
    const { message, position } = error as { message: string; position?: number };
    throw new Error(`${where}, character ${position ?? 0}: ${message}`, { cause: error });
  }
  const ast = compiled.ast();
  const refused = findRefused(ast);
  if (refused !== undefined) throw new Error(`${where}: ${refused} is not accepted here`);
  const unknown = rootNames(ast).find((name) => !INPUT_NAMES.has(name));
  if (unknown !== undefined) {
    throw new Error(
      `${where}: there is no value ${unknown}; these exist: ${[...INPUT_NAMES].join(', ')}`,
    );
  }
  return { evaluate: async (input) => (await compiled.evaluate(input)) as unknown };
}

/**
 * The names at the root of the input that an expression reads. What stands after a step of a path, in a filter or in
 * an object that is made for each item, is about the items.
 */
function rootNames(node: unknown): readonly string[] {
  if (Array.isArray(node)) return node.flatMap(rootNames);
  if (typeof node !== 'object' || node === null) return [];
  const { type, value, steps, lhs } = node as Readonly<Record<string, unknown>>;
  if (type === 'name') return [String(value)];
  if (type === 'path') return rootNames((steps as readonly unknown[])[0]);
  // `a{…}` and `a[…]` outside of paths.
  if (type === 'unary' && Array.isArray(lhs)) return rootNames(lhs);
  const {
    predicate: _predicate,
    stages: _stages,
    group: _group,
    ...parts
  } = node as Record<string, unknown>;
  return Object.values(parts).flatMap(rootNames);
}

/** The members of an object of the input that a text of the configuration reads by name. */
export function membersRead(text: string, object: string): readonly string[] {
  return expressionsIn(text).flatMap((expression) => {
    try {
      return membersIn(jsonata(expression).ast(), object);
    } catch {
      return [];
    }
  });
}

function membersIn(node: unknown, object: string): readonly string[] {
  if (typeof node !== 'object' || node === null) return [];
  const { type, steps } = node as Readonly<Record<string, unknown>>;
  const [first, second] =
    type === 'path' ? (steps as readonly Readonly<Record<string, unknown>>[]) : [];
  const isRead = first?.['value'] === object && second?.['type'] === 'name';
  const here = isRead ? [String(second['value'])] : [];
  return [...here, ...Object.values(node).flatMap((child) => membersIn(child, object))];
}

/** The first node that is not accepted. Visits every object of the tree. */
function findRefused(node: unknown): string | undefined {
  if (typeof node !== 'object' || node === null) return undefined;
  if (node instanceof RegExp) return 'a regular expression';
  const { type, value, procedure } = node as Readonly<Record<string, unknown>>;
  if (typeof type === 'string') {
    if (!ALLOWED_NODES.has(type)) return `“${type}”`;
    if (type === 'binary' && value === '..') return 'a range';
    if (type === 'function') {
      const called = procedure as { readonly type?: string; readonly value?: string } | undefined;
      const name = called?.type === 'variable' ? String(called.value) : '';
      if (!ALLOWED_FUNCTIONS.has(name)) return `the function “$${name}”`;
    }
  }
  for (const child of Object.values(node)) {
    const refused = findRefused(child);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

/** The text itself, or what stands in its `{{ }}`. */
function expressionsIn(text: string): readonly string[] {
  const templates = [...text.matchAll(/\{\{(.*?)\}\}/gs)].map(([, part = '']) => part);
  return templates.length > 0 ? templates : [text];
}

/**
 * True if a text of the configuration reads this value of the input: as an expression, or in a text
 * with `{{ expression }}` in it.
 */
export function readsValue(text: string, name: string): boolean {
  return expressionsIn(text).some((expression) => {
    try {
      return hasName(jsonata(expression).ast(), name);
    } catch {
      return false;
    }
  });
}

function hasName(node: unknown, name: string): boolean {
  if (typeof node !== 'object' || node === null) return false;
  const { type, value } = node as Readonly<Record<string, unknown>>;
  if (type === 'name' && value === name) return true;
  return Object.values(node).some((child) => hasName(child, name));
}

/** The text of a value that is a text, a number or a boolean; undefined for anything else. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' && value.length <= 4_000 ? value : undefined;
}

/** Text with `{{ expression }}` in it. */
export interface Template {
  /** @param escape applied to every value. */
  render(input: object, escape: (text: string) => string): Promise<string>;
}

/** Throws as `compileExpression` does. */
export function compileTemplate(where: string, text: string): Template {
  // The odd parts are expressions.
  const parts = text
    .split(/\{\{(.*?)\}\}/s)
    .map((part, index) => (index % 2 === 0 ? part : compileExpression(where, part)));
  return {
    render: async (input, escape) => {
      const filled = parts.map(async (part) => {
        if (typeof part === 'string') return part;
        const value = textOf(await part.evaluate(input));
        if (value === undefined) throw new Error(`${where}: an expression yields no text`);
        return escape(value);
      });
      return (await Promise.all(filled)).join('');
    },
  };
}
