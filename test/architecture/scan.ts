/** Reads the sources for the architecture test as text: runs no TypeScript and queries no database. */

/** Files by their path below `src`, such as `payments/create/store.ts`. */
export type Sources = ReadonlyMap<string, string>;

export interface Import {
  readonly file: string;
  /** Below `src`; or, for anything outside, from the root with `../`. */
  readonly imported: string;
}

export interface TableAccess {
  readonly file: string;
  readonly tables: readonly string[];
}

export function importsOf(sources: Sources): Import[] {
  return [...sources].flatMap(([file, text]) =>
    [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map((match) => ({
      file,
      imported: resolve(file, match[1] ?? ''),
    })),
  );
}

function resolve(file: string, specifier: string): string {
  return new URL(specifier, `file:///root/src/${file}`).pathname
    .replace(/^\/root\/src\//, '')
    .replace(/^\/root\//, '../');
}

/**
 * The imports that are part of a cycle, or lie between two, those of types included: what is left when
 * files that import nothing, and files that nothing imports, are taken away as long as there are any.
 */
export function importsInCycles(imports: readonly Import[]): Import[] {
  let left = [...imports];
  for (;;) {
    const [importing, imported] = [
      new Set(left.map(({ file }) => file)),
      new Set(left.map((one) => one.imported)),
    ];
    const fewer = left.filter((one) => importing.has(one.imported) && imported.has(one.file));
    if (fewer.length === left.length) return left;
    left = fewer;
  }
}

/** The longest listed path that equals the file or contains it; undefined if none does. */
export function placeOf(file: string, listed: readonly string[]): string | undefined {
  const name = file.replace(/\.ts$/, '');
  return listed
    .filter((place) => name === place || name.startsWith(`${place}/`))
    .toSorted((a, b) => b.length - a.length)[0];
}

/** Imports that do not point to a lower row. */
export function upwardImports(
  imports: readonly Import[],
  rows: readonly (readonly string[])[],
): Import[] {
  const rowOf = new Map(rows.flatMap((row, index) => row.map((place) => [place, index] as const)));
  const listed = [...rowOf.keys()];
  return imports.filter(({ file, imported }) => {
    if (imported.startsWith('../')) return false;
    const [from, to] = [placeOf(file, listed), placeOf(imported, listed)];
    if (from === undefined || to === undefined) return true;
    return from !== to && (rowOf.get(to) ?? 0) >= (rowOf.get(from) ?? 0);
  });
}

/** String and template literals that look like SQL. */
function sqlOf(text: string): string {
  const literals = text.match(/`(?:[^`\\]|\\.)*`|'(?:[^'\\\n]|\\.)*'/gs) ?? [];
  return literals
    .filter((literal) =>
      /\b(select|insert into|update|delete from|truncate|merge into|with|join)\b/i.test(literal),
    )
    .join('\n');
}

const WRITE =
  /\b(?:insert into|update|delete from|truncate|merge into)\s+(?:table\s+)?(?:only\s+)?(?:public\.)?"?(\w+)/gi;
const READ = /\b(?:from|join|using)\s+(\w+)\b|,\s+(\w+)\s+\w+\s*(?=where|,|\n)/g;

/** Accesses to tables of other folders, by file. */
export function foreignAccesses(
  sources: Sources,
  owners: Readonly<Record<string, readonly string[]>>,
  kind: 'read' | 'write',
): TableAccess[] {
  const ownerOf = new Map(
    Object.entries(owners).flatMap(([folder, tables]) =>
      tables.map((table) => [table, folder] as const),
    ),
  );
  const pattern = kind === 'write' ? WRITE : READ;
  return [...sources].flatMap(([file, text]) => {
    const named = [...sqlOf(text).matchAll(pattern)].map((match) => match[1] ?? match[2] ?? '');
    const foreign = [...new Set(named)].filter((table) => {
      const owner = ownerOf.get(table);
      return owner !== undefined && !file.startsWith(`${owner}/`);
    });
    return foreign.length === 0 ? [] : [{ file, tables: foreign.toSorted() }];
  });
}

/** Relations in the grants of a wing that the wing has not created: `<wing>: <relation>`. */
export function foreignGrants(
  grants: Readonly<Record<string, object>>,
  owners: Readonly<Record<string, readonly string[]>>,
  sqlFiles: Sources,
): string[] {
  return Object.entries(grants).flatMap(([wing, granted]) => {
    const isOwn = (place: string): boolean => place === wing || place.startsWith(`${wing}/`);
    const tables = Object.entries(owners).flatMap(([folder, names]) =>
      isOwn(folder) ? names : [],
    );
    const views = [...sqlFiles].flatMap(([file, sql]) =>
      isOwn(file)
        ? [...sql.matchAll(/^create (?:or replace )?view (\w+)/gm)].map((match) => match[1] ?? '')
        : [],
    );
    const own = new Set([...tables, ...views]);
    return Object.keys(granted)
      .filter((relation) => !own.has(relation))
      .map((relation) => `${wing}: ${relation}`);
  });
}

const SURFACE = /^(?:cli|console|self-service|staff|staff-api)\//;

/** Imports of stores of wings from surfaces. The platform and a surface's own stores do not count. */
export function storesInSurfaces(imports: readonly Import[]): Import[] {
  return imports.filter(
    ({ file, imported }) =>
      SURFACE.test(file) &&
      /(?:^|[-/])stores?\.ts$/.test(imported) &&
      !imported.startsWith('platform/') &&
      imported.split('/')[0] !== file.split('/')[0],
  );
}

const LOCK = /\bfor (?:no key )?(?:update|(?:key )?share)\b|\bpg_(?:try_)?advisory_/i;

/** Readers (`read-*.ts`) with SQL that writes, locks, or calls one of these functions, which may do both. */
export function changingReaders(sources: Sources, functions: readonly string[]): string[] {
  const called = new RegExp(`\\b(?:${functions.join('|')})\\(`);
  return [...sources]
    .filter(([file]) => /(?:^|\/)read-[\w-]+\.ts$/.test(file))
    .filter(([, text]) =>
      [WRITE, LOCK, called].some((pattern) => sqlOf(text).search(pattern) !== -1),
    )
    .map(([file]) => file);
}

/**
 * Files that a README calls pure: those of a row of its table that says so, or only those of the row that `(pure)`
 * follows.
 * @param readmes by their paths below `src`.
 */
export function namedPure(readmes: Sources): string[] {
  return [...readmes].flatMap(([readme, text]) => {
    const folder = readme.replace(/README\.md$/, '');
    return [...text.matchAll(/^\| (.+?) +\| (.+?) *\|$/gm)].flatMap(
      ([, names = '', content = '']) => {
        const isPure = /\bpure\b(?! functions)/i.test(content);
        const pattern = isPure ? /`([\w-]+\.ts)`/g : /`([\w-]+\.ts)` \(pure\)/g;
        return [...names.matchAll(pattern)].map((match) => `${folder}${match[1]}`);
      },
    );
  });
}

const IMPURE =
  /'node:(?:fs|child_process|net|http|https|dns|timers)\b|\bDate\.now\b|\bnew Date\(\)|\bset(?:Timeout|Interval|Immediate)\(|\bperformance\.now\b|\bprocess\.(?:hrtime|uptime)\b/;

/** Files of these folders, and these files, that read a clock, wait, or open a file or a connection. */
export function impureFiles(
  sources: Sources,
  pure: { readonly folders: readonly string[]; readonly files: readonly string[] },
): string[] {
  const isPure = (file: string): boolean =>
    placeOf(file, pure.folders) !== undefined || pure.files.includes(file);
  return [...sources]
    .filter(([file, text]) => isPure(file) && IMPURE.test(text))
    .map(([file]) => file)
    .toSorted();
}

/** The longest SQL functions may be this long, so that one can be read at once. */
export const MAX_SQL_LINES = 120;

/** Files of SQL functions with more lines than that, unless exactly this many are listed for them. */
export function longFunctions(
  sqlFiles: Sources,
  listed: Readonly<Record<string, number>>,
): string[] {
  return [...sqlFiles]
    .filter(([file]) => file.includes('/functions/'))
    .map(([file, sql]) => ({ file, lines: sql.trimEnd().split('\n').length }))
    .filter(({ file, lines }) =>
      listed[file] === undefined ? lines > MAX_SQL_LINES : lines !== listed[file],
    )
    .map(({ file, lines }) => `${file}: ${lines} lines`);
}

/** Names of metrics, of commands, and of what staff can see and do, as the sources write them. */
export function namesForPeople(sources: Sources): string[] {
  return [...sources].flatMap(([file, text]) => {
    const metrics = [...text.matchAll(/'(malipo_\w+)'/g)];
    const commands = file.startsWith('cli/')
      ? [...text.matchAll(/(?:\bcommand\(\s*[\w.]+,|\.command\()\s*'([a-z][\w-]*)/g)]
      : [];
    const defined = file.startsWith('staff/')
      ? [...text.matchAll(/\bname: '([a-z][\w-]*\.[a-z][\w-]*)'/g)]
      : [];
    return [...metrics, ...commands, ...defined].map((match) => match[1] ?? '');
  });
}

/** Words for what has another name here: payment, vendor, operator, transfer, proposal. */
const OTHER_WORDS =
  /(?:^|[._-])(?:transactions?|bills?|merchants?|signers?|clients?|providers?|part(?:y|ies)|postings?|approvals?)(?=[._-]|$)/;

export function withOtherWords(names: readonly string[]): string[] {
  return names.filter((name) => OTHER_WORDS.test(name));
}
