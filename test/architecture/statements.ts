/**
 * Prints the SQL statements of the source, each with the row type that its caller expects, as JSON:
 * `node test/architecture/statements.ts <folder or file>…`. The row types come from the TypeScript
 * compiler. The texts are the values that the modules themselves compute, so that it does not matter
 * how a text is put together; a text that depends on more than the module is reported as dynamic.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as ast from 'typescript/unstable/ast';
import type { CallExpression, Expression, Node, SourceFile } from 'typescript/unstable/ast';
import { API, TypeFlags } from 'typescript/unstable/sync';
import type { Checker, Type } from 'typescript/unstable/sync';
import type { ColumnKind, Extracted, RowType } from './statement.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const EVALUATOR = 'evaluateInModule';

/** A statement may depend on this many combinations of values. */
const MAX_VARIANTS = 100;

/** Evaluates an expression where the module's names are in scope. */
type Evaluate = (code: string) => unknown;

class NotStatic extends Error {}

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context);
    if (!url.startsWith(pathToFileURL(ROOT).href) || url.includes('/node_modules/')) return loaded;
    if (!url.endsWith('.ts')) return loaded;
    const source = readFileSync(fileURLToPath(url), 'utf8');
    return { ...loaded, source: `${source}\nexport const ${EVALUATOR} = (code) => eval(code);\n` };
  },
});

function filesIn(given: string): string[] {
  const full = path.resolve(ROOT, given);
  if (!statSync(full).isDirectory()) return [full];
  return readdirSync(full, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.join(full, name));
}

/** Every call of a method `query` below a node. */
function* callsIn(node: Node): Generator<CallExpression> {
  if (ast.isCallExpression(node) && ast.isPropertyAccessExpression(node.expression)) {
    if (node.expression.name.text === 'query' && node.arguments.length > 0) yield node;
  }
  for (const child of childrenOf(node)) yield* callsIn(child);
}

function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  node.forEachChild((child) => void children.push(child));
  return children;
}

/** Where a call gives its text: a string, or `{ name, text, values }`. The values are not known here. */
function textOf(given: Expression): { readonly code: string; readonly node: Node } {
  if (!ast.isObjectLiteralExpression(given)) return { code: given.getText(), node: given };
  for (const property of given.properties) {
    if (ast.isSpreadAssignment(property)) {
      return { code: `(${property.expression.getText()}).text`, node: property.expression };
    }
    if (property.name?.getText() !== 'text') continue;
    const node = ast.isPropertyAssignment(property) ? property.initializer : property.name;
    return { code: node.getText(), node };
  }
  throw new NotStatic();
}

class Extractor {
  readonly #checker: Checker;
  readonly #evaluate: Evaluate;

  constructor(checker: Checker, evaluate: Evaluate) {
    this.#checker = checker;
    this.#evaluate = evaluate;
  }

  /** The texts that a call may send. Throws: `NotStatic`. */
  texts(call: CallExpression): string[] {
    const [given] = call.arguments;
    if (given === undefined) throw new NotStatic();
    const { code, node } = textOf(given);
    return this.#valuesOf(code, call, node).map((value) => {
      const text =
        typeof value === 'object' && value !== null && 'text' in value ? value.text : value;
      if (typeof text !== 'string') throw new NotStatic();
      return text;
    });
  }

  /** What an expression may be, for every combination of the local names in it. */
  #valuesOf(code: string, at: Node, node: Node): unknown[] {
    const locals = new Map<string, unknown[]>();
    for (const name of identifiersIn(node)) {
      const values = this.#valuesOfLocal(name.text, at, name);
      if (values !== undefined) locals.set(name.text, values);
    }
    const rows = [...locals.values()].reduce<unknown[][]>(
      (combined, values) => combined.flatMap((row) => values.map((value) => [...row, value])),
      [[]],
    );
    if (rows.length > MAX_VARIANTS) throw new NotStatic();
    const parameters = [...locals.keys()].join(', ');
    try {
      const js = stripTypeScriptTypes(`((${parameters}) => (${code}))`);
      const compute = this.#evaluate(js) as (...values: unknown[]) => unknown;
      return rows.map((row) => compute(...row));
    } catch {
      throw new NotStatic();
    }
  }

  /** Values of a name that a function around the call declares; undefined when none does. */
  #valuesOfLocal(name: string, at: Node, use: Node): unknown[] | undefined {
    for (let scope: Node = at; !ast.isSourceFile(scope); scope = scope.parent) {
      for (const child of childrenOf(scope)) {
        if (ast.isParameterDeclaration(child) && boundNames(child.name).includes(name)) {
          return this.#literalsOf(use);
        }
      }
      for (const declared of declarationsIn(scope)) {
        if (!boundNames(declared.name).includes(name)) continue;
        const parent = declared.parent.parent;
        if (ast.isForOfStatement(parent)) {
          const [items] = this.#valuesOf(parent.expression.getText(), parent, parent.expression);
          return ast.isIdentifier(declared.name)
            ? [...(items as Iterable<unknown>)]
            : [...(items as Iterable<Record<string, unknown>>)].map((item) => item[name]);
        }
        if (declared.initializer === undefined || !ast.isIdentifier(declared.name)) {
          return this.#literalsOf(use);
        }
        const { initializer } = declared;
        return this.#valuesOf(initializer.getText(), initializer, initializer);
      }
    }
    return undefined;
  }

  /** The values of a type such as `'send' | 'verify'` or `boolean`. */
  #literalsOf(use: Node): unknown[] {
    const type = this.#checker.getTypeAtLocation(use);
    const literals = type === undefined ? [] : membersOf(type);
    if (literals.length > 0 && literals.every((member) => member.isLiteralType())) {
      return literals.map((member) => (member as { value?: unknown }).value);
    }
    throw new NotStatic();
  }

  /** The properties of the row type, by name; null when the call has none. */
  rowType(call: CallExpression): RowType | null {
    const [given] = call.typeArguments ?? [];
    const type = given === undefined ? undefined : this.#checker.getTypeFromTypeNode(given);
    if (type === undefined) return null;
    if (this.#checker.getIndexInfosOfType(type).length > 0) return null;
    return Object.fromEntries(
      this.#checker.getPropertiesOfType(type).map((property) => {
        const of = this.#checker.getTypeOfSymbol(property);
        return [property.name, of === undefined ? ['any'] : this.#kindsOf(of)];
      }),
    );
  }

  #kindsOf(type: Type): ColumnKind[] {
    return [...new Set(membersOf(type).map((member) => this.#kindOf(member)))];
  }

  #kindOf(type: Type): ColumnKind {
    if (type.flags & TypeFlags.AnyOrUnknown) return 'any';
    if (type.flags & TypeFlags.Null) return 'null';
    if (type.flags & TypeFlags.Undefined) return 'undefined';
    if (type.flags & TypeFlags.StringLike) return 'string';
    if (type.flags & TypeFlags.NumberLike) return 'number';
    if (type.flags & TypeFlags.BigIntLike) return 'bigint';
    if (type.flags & TypeFlags.BooleanLike) return 'boolean';
    if (this.#checker.isArrayType(type)) return 'array';
    const name = type.getSymbol()?.name;
    return name === 'Date' || name === 'Buffer' ? name : 'object';
  }
}

function membersOf(type: Type): readonly Type[] {
  return type.isUnionType() ? (type.getTypes() ?? []).flatMap(membersOf) : [type];
}

function* identifiersIn(node: Node): Generator<ast.Identifier> {
  if (ast.isIdentifier(node)) yield node;
  for (const child of childrenOf(node)) yield* identifiersIn(child);
}

/** Variables that the statements of a block or the head of a loop declare. */
function declarationsIn(scope: Node): ast.VariableDeclaration[] {
  return childrenOf(scope)
    .flatMap((child) => (ast.isVariableStatement(child) ? [child.declarationList] : [child]))
    .filter((child) => ast.isVariableDeclarationList(child))
    .flatMap((list) => [...list.declarations]);
}

function boundNames(name: Node): string[] {
  return ast.isIdentifier(name)
    ? [name.text]
    : childrenOf(name).flatMap((child) =>
        ast.isBindingElement(child) && child.name !== undefined ? boundNames(child.name) : [],
      );
}

function locationOf(file: SourceFile, call: Node): string {
  const line = file.text.slice(0, call.getStart()).split('\n').length;
  return `${path.relative(ROOT, file.fileName)}:${line}`;
}

async function extract(given: readonly string[]): Promise<Extracted> {
  const api = new API({ cwd: ROOT });
  const config = path.join(ROOT, 'tsconfig.json');
  const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
  if (project === undefined) throw new Error('tsconfig.json could not be read');
  const found: Extracted = { statements: [], dynamic: [] };
  for (const name of given.flatMap(filesIn)) {
    if (!readFileSync(name, 'utf8').includes('.query')) continue;
    const file = project.program.getSourceFile(name);
    if (file === undefined) throw new Error(`${name} is not in the project`);
    const module = (await import(pathToFileURL(name).href)) as Record<string, Evaluate>;
    const evaluate = module[EVALUATOR];
    if (evaluate === undefined) throw new Error(`${name} was loaded before the hook`);
    const extractor = new Extractor(project.checker, evaluate);
    for (const call of callsIn(file)) {
      const at = locationOf(file, call);
      const row = extractor.rowType(call);
      try {
        const isNamed = ast.isObjectLiteralExpression(call.arguments[0]!);
        for (const text of extractor.texts(call)) {
          found.statements.push({ at, text, isNamed, row });
        }
      } catch (error) {
        if (!(error instanceof NotStatic)) throw error;
        found.dynamic.push({ at, expression: call.arguments[0]?.getText() ?? '' });
      }
    }
  }
  api.close();
  return found;
}

process.stdout.write(JSON.stringify(await extract(process.argv.slice(2))));
