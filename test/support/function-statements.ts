import type { Client } from 'pg';

/**
 * The statements in the PL/pgSQL functions of the schema, with parameters in place of their variables,
 * which are named `p_…` and `v_…`.
 */
export async function functionStatements(
  client: Client,
): Promise<{ readonly at: string; readonly text: string }[]> {
  const read = await client.query<{ name: string; body: string; parameters: string }>(
    `select p.proname::text as name, p.prosrc as body, pg_get_function_arguments(p.oid) as parameters
     from pg_proc p join pg_language l on l.oid = p.prolang
     where p.pronamespace = 'public'::regnamespace and l.lanname = 'plpgsql' order by p.proname`,
  );
  return read.rows.flatMap(({ name, body, parameters }) => {
    const [declarations = '', ...code] = body.replaceAll(/--.*$/gm, '').split(/^begin$/m);
    const types = new Map([
      ...typesIn(parameters, /(\w+) ([\w ]+?(?:\[\])?)(?: DEFAULT [^,]*)?(?:,|$)/g),
      ...typesIn(declarations, /^\s*(v_\w+)\s+(?:constant\s+)?([\w ]+?(?:\[\])?)\s*(?::=.*)?;/gm),
    ]);
    return statementsIn(code.join('begin')).map((statement) => ({
      at: `function ${name}`,
      text: withParameters(statement, types),
    }));
  });
}

function typesIn(text: string, declaration: RegExp): [string, string][] {
  return [...text.matchAll(declaration)].map(([, name = '', type = '']) => [name, type]);
}

function withParameters(statement: string, types: ReadonlyMap<string, string>): string {
  const names: string[] = [];
  return statement
    .replaceAll(/(?<!insert\s)\binto\s+v_\w+(\s*,\s*v_\w+)*/g, '')
    .replaceAll(/\b[pv]_\w+\b/g, (variable) => {
      const type = types.get(variable);
      if (type === undefined) return variable;
      if (!names.includes(variable)) names.push(variable);
      return `($${names.indexOf(variable) + 1}::${type})`;
    });
}

/** Each statement begins with the first of these words outside of parentheses, or inside `:= array(…)`. */
const WORDS = /[()]|\b(?:with|select|insert|update|delete|perform)\b/g;

function statementsIn(code: string): string[] {
  return code.split(/;|\bloop\b/).flatMap((part) => {
    let depth = 0;
    for (const { 0: word, index } of part.matchAll(WORDS)) {
      const isArray = /:=\s*array\(\s*$/.test(part.slice(0, index));
      if (word === '(') depth += 1;
      else if (word === ')') depth -= 1;
      else if (depth === 0 || isArray) {
        const text = part
          .slice(index)
          .replace(/^perform/, 'select')
          .trim();
        return [isArray ? text.replace(/\)$/, '') : text];
      }
    }
    return [];
  });
}
