import type { Client } from 'pg';

/** A scan of a table in a plan. */
export interface Scan {
  readonly table: string;
  readonly alias: string;
  /**
   * The columns of its index condition, or `ctid` if it reads rows by their place; empty: it reads the
   * whole index or table.
   */
  readonly columns: readonly string[];
  /** Its index conditions, as PostgreSQL prints them. */
  readonly conditions: readonly string[];
  /** It ends after some rows, such as the smallest one of an index. */
  readonly isLimited: boolean;
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Alias?: string;
  readonly 'Index Cond'?: string;
  readonly 'TID Cond'?: string;
  readonly Plans?: readonly PlanNode[];
}

/** The scans of the plan that PostgreSQL makes now. @param values default: a plan without them. */
export async function scansOf(
  client: Client,
  text: string,
  values?: readonly unknown[],
): Promise<Scan[]> {
  const how = values === undefined ? 'generic_plan, format json' : 'format json';
  const explained = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (${how}) ${text}`,
    values === undefined ? [] : [...values],
  );
  return explained.rows.flatMap((row) => [...scansIn(row['QUERY PLAN'][0].Plan)]);
}

function* scansIn(node: PlanNode, isLimited = false): Generator<Scan> {
  const { 'Relation Name': table, 'Node Type': type } = node;
  if (table !== undefined && type.includes('Scan')) {
    const nodes = [node, ...(type === 'Bitmap Heap Scan' ? nodesBelow(node) : [])];
    const conditions = nodes.flatMap((one) => one['Index Cond'] ?? []);
    const byPlace = node['TID Cond'] === undefined ? [] : ['ctid'];
    const columns = [...byPlace, ...conditions.flatMap(columnsIn)];
    yield { table, alias: node.Alias ?? table, columns, conditions, isLimited };
  }
  for (const [place, child] of (node.Plans ?? []).entries()) {
    // Rows come one by one through these, as many as the limit needs.
    const passes = type === 'Incremental Sort' || (type === 'Nested Loop' && place === 0);
    yield* scansIn(child, type === 'Limit' || (isLimited && passes));
  }
}

function nodesBelow(node: PlanNode): PlanNode[] {
  return (node.Plans ?? []).flatMap((child) => [child, ...nodesBelow(child)]);
}

/** PostgreSQL prints a condition of an index with the column first: `((bucket = $1) AND (crn = ANY (…)))`. */
function columnsIn(condition: string): string[] {
  return [...condition.matchAll(/\(+(?:\w+\.)?(\w+)[^()]*? (?:=|<|>|<=|>=|IS) ?/g)].map(
    ([, column = '']) => column,
  );
}

/**
 * The index columns that the plan for grown tables uses and this plan does not. One line for each scan.
 */
export function shorterKeys(now: readonly Scan[], grown: readonly Scan[]): string[] {
  return now.flatMap(({ table, alias, columns }) => {
    const wanted = grown.find((scan) => scan.table === table && scan.alias === alias);
    const missing = wanted?.columns.filter((column) => !columns.includes(column)) ?? [];
    return missing.length === 0
      ? []
      : [`${table} ${alias}: by (${columns.join(', ')}) without ${missing.join(', ')}`];
  });
}
