import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { BATCHES_GRANTS } from '../src/batches/grants.ts';
import { CREDIT_GRANTS } from '../src/credit/grants.ts';
import { PARTIES_GRANTS } from '../src/parties/grants.ts';
import { PAYMENTS_GRANTS } from '../src/payments/grants.ts';
import { PLATFORM_GRANTS } from '../src/platform/grants.ts';
import { PROPOSALS_GRANTS } from '../src/proposals/grants.ts';
import { SCHEMA } from '../src/schema.ts';
import { ROWS, UPWARD } from './architecture/rows.ts';
import {
  changingReaders,
  foreignAccesses,
  foreignGrants,
  impureFiles,
  importsInCycles,
  importsOf,
  longFunctions,
  MAX_SQL_LINES,
  namedPure,
  namesForPeople,
  placeOf,
  storesInSurfaces,
  upwardImports,
  withOtherWords,
} from './architecture/scan.ts';
import type { Sources, TableAccess } from './architecture/scan.ts';
import { FOREIGN_READS, FOREIGN_WRITES, OWNERS, READS_EVERYTHING } from './architecture/tables.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const SOURCE = path.join(ROOT, 'src');

const sources: Sources = new Map(
  readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => [name.replaceAll(path.sep, '/'), readFileSync(path.join(SOURCE, name), 'utf8')]),
);
const files = [...sources.keys()];
const sqlFiles: Sources = new Map(
  readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.sql'))
    .map((name) => [name.replaceAll(path.sep, '/'), readFileSync(path.join(SOURCE, name), 'utf8')]),
);
const readmes: Sources = new Map(
  readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('README.md'))
    .map((name) => [name.replaceAll(path.sep, '/'), readFileSync(path.join(SOURCE, name), 'utf8')]),
);
/** SQL functions that may change something: all but the one that computes a bucket. */
const FUNCTIONS = [...sqlFiles.keys()]
  .filter((file) => file.includes('/functions/') && !file.endsWith('/bucket_of.sql'))
  .map((file) => path.basename(file, '.sql'));
const GRANTS = {
  platform: PLATFORM_GRANTS,
  parties: PARTIES_GRANTS,
  proposals: PROPOSALS_GRANTS,
  batches: BATCHES_GRANTS,
  payments: PAYMENTS_GRANTS,
  credit: CREDIT_GRANTS,
};

/** The TypeScript files below a folder of the repository, by their paths in it. */
function typescriptIn(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('node_modules'))
    .map((name) => path.join(folder, name));
}

/** The violations that a list of exceptions does not contain. */
function unexcused(
  found: readonly TableAccess[],
  excused: Readonly<Record<string, { readonly tables: readonly string[] }>>,
): TableAccess[] {
  return found
    .map(({ file, tables }) => ({
      file,
      tables: tables.filter((table) => excused[file]?.tables.includes(table) !== true),
    }))
    .filter(({ tables }) => tables.length > 0);
}

describe('imports', () => {
  test('every file belongs to a row', () => {
    const places = ROWS.flat();
    expect(files.filter((file) => placeOf(file, places) === undefined)).toEqual([]);
  });

  test('point to lower rows', () => {
    const found = upwardImports(importsOf(sources), ROWS);
    const texts = found.map(({ file, imported }) => `${file} → ${imported}`);
    expect(texts.filter((text) => UPWARD[text] === undefined)).toEqual([]);
    expect(Object.keys(UPWARD).filter((text) => !texts.includes(text))).toEqual([]);
  });

  test('no imports lead from a file back to itself, not even for a type', () => {
    expect(importsInCycles(importsOf(sources))).toEqual([]);
  });

  test('other wings know the interface and the registry of connectors only', () => {
    const facade = /^connectors\/(?:operator|operator-\w+|source|source-\w+|registry|probe)\.ts$/;
    const found = importsOf(sources).filter(
      ({ file, imported }) =>
        imported.startsWith('connectors/') &&
        !file.startsWith('connectors/') &&
        !facade.test(imported),
    );
    expect(found).toEqual([]);
  });

  test('no surface imports a store of a wing', () => {
    expect(storesInSurfaces(importsOf(sources))).toEqual([]);
  });

  test('leave src only for the sandbox, which only main starts', () => {
    const outside = importsOf(sources).filter(({ imported }) => imported.startsWith('../'));
    expect(outside.map(({ file }) => file)).toEqual(['main.ts']);
  });
});

describe('JSON', () => {
  /** Files that read with JSON.parse what this program has written itself, or another program of this machine. */
  const OWN = [
    'credit/reports/enquiry-report.ts',
    'parties/compare-signature.ts',
    'credit/batches/batch.ts',
    'credit/batches/kind.ts',
    'credit/bureaus/name-shares.ts',
    'credit/enquiries/read-kept.ts',
    'credit/enquiries/service.ts',
    'credit/importing/write.ts',
    'credit/registry/rotate-store.ts',
    'credit/registry/read-subjects.ts',
    'credit/reports/decision-facts.ts',
    'payments/bulk/batch.ts',
    'payments/dispatch/callback-evidence.ts',
    'payments/invoices/invoice.ts',
    'payments/summaries/read-summaries.ts',
    'platform/backup/archived-wal.ts',
    'platform/backup/manifest.ts',
    'platform/backup/marker.ts',
    'platform/backup/wal-archive.ts',
    'platform/base/json.ts',
    'platform/program-version.ts',
    'platform/cluster/horizon.ts',
    'platform/embedded/binaries.ts',
    'platform/history/witness.ts',
    'platform/http/cursors.ts',
    // Values of a strict reader of its own.
    'platform/http/wire/json.ts',
    'self-service/event-view.ts',
  ];

  test('one strict reader reads all JSON that others write', () => {
    const parsing = files.filter((file) => /\bJSON\.parse\(/.test(sources.get(file) ?? ''));
    expect(parsing.toSorted()).toEqual(OWN.toSorted());
  });
});

describe('tables', () => {
  test('each has one owner', () => {
    const created = SCHEMA.migrations.flatMap(({ sql: text }) =>
      [...text.matchAll(/create table (?:if not exists )?(\w+)/g)].map((match) => match[1]),
    );
    const inCode = ['schema_migrations', 'schema_functions', 'schema_objects'];
    const dropped = new Set(
      SCHEMA.migrations.flatMap(({ sql: text }) =>
        [...text.matchAll(/drop table (\w+)/g)].map((match) => match[1]),
      ),
    );
    const existing = created.filter((table) => !dropped.has(table));
    const owned = Object.values(OWNERS).flat();
    expect(new Set(owned)).toEqual(new Set([...existing, ...inCode]));
    expect(owned).toHaveLength(new Set(owned).size);
  });

  test('only SQL functions of the same wing write a table', () => {
    const wingOf = new Map(
      Object.entries(OWNERS).flatMap(([folder, tables]) =>
        tables.map((table) => [table, folder.split('/')[0] ?? ''] as const),
      ),
    );
    const foreign = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\/functions\/\w+\.sql$/.test(name))
      .flatMap((name) => {
        const sql = readFileSync(path.join(SOURCE, name), 'utf8');
        const written = [...sql.matchAll(/\b(?:insert into|update|delete from)\s+(\w+)/g)];
        return written
          .map((match) => wingOf.get(match[1] ?? ''))
          .filter((wing) => wing !== undefined && !name.startsWith(`${wing}/`))
          .map((wing) => `${name} writes a table of ${wing}`);
      });
    expect(foreign).toEqual([]);
  });

  test('every table is written under its name, so that the owner can be checked', () => {
    const computed = files.filter((file) =>
      /\b(insert into|delete from|update)\s+\$\{/.test(sources.get(file) ?? ''),
    );
    // A move to a cluster changes the bucket of the rows of every table; no other code does.
    expect(computed).toEqual(['platform/cluster/rebucket.ts']);
  });

  test('only its owner writes a table', () => {
    const found = foreignAccesses(sources, OWNERS, 'write');
    expect(unexcused(found, FOREIGN_WRITES)).toEqual([]);
  });

  test('only its owner, or code that is listed, reads a table', () => {
    const found = foreignAccesses(sources, OWNERS, 'read').filter(
      ({ file }) => placeOf(file, Object.keys(READS_EVERYTHING)) === undefined,
    );
    expect(unexcused(found, FOREIGN_READS)).toEqual([]);
  });

  test.each([
    ['read', FOREIGN_READS],
    ['write', FOREIGN_WRITES],
  ] as const)('every exception to a %s is needed', (kind, excused) => {
    const found = new Map(
      foreignAccesses(sources, OWNERS, kind).map(({ file, tables }) => [file, tables]),
    );
    const needless = Object.entries(excused).flatMap(([file, { tables }]) =>
      tables
        .filter((table) => found.get(file)?.includes(table) !== true)
        .map((t) => `${file}: ${t}`),
    );
    expect(needless).toEqual([]);
  });
});

describe('grants', () => {
  test('grants of a wing name its own tables and views only', () => {
    expect(foreignGrants(GRANTS, OWNERS, sqlFiles)).toEqual([]);
  });

  test('no grants exist that the schema does not have', () => {
    expect(SCHEMA.grants).toEqual(Object.assign({}, ...Object.values(GRANTS)));
  });

  test('no SQL file has grants; a function that runs as its owner is revoked from public', () => {
    for (const [file, sql] of sqlFiles) {
      const own = path.basename(file, '.sql');
      const changed = [...sql.matchAll(/^\s*((?:grant|revoke)\b[^(;]*)/gim)];
      const expected = /\bsecurity definer\b/.test(sql) ? [`revoke all on function ${own}`] : [];
      expect(changed.map((match) => match[1]?.replace(/ from public$/, ''))).toEqual(expected);
    }
  });
});

describe('SQL functions', () => {
  const CREATE = /^ *create (?:or replace )?(?:function|procedure|trigger) (\w+)/gim;

  test('no migration has SQL functions, which could never be edited there', () => {
    expect(
      SCHEMA.migrations.filter(({ sql }) => sql.search(CREATE) !== -1).map(({ name }) => name),
    ).toEqual([]);
  });

  /** Created only where it is missing: an installation on a cluster has another body. */
  const MADE_ONCE = new Set(['bucket_of']);

  test('have a file each, of the same name, which can be applied again', () => {
    for (const { name, sql } of SCHEMA.functions) {
      const own = path.basename(name, '.sql');
      const created = [...sql.matchAll(CREATE)].map(([text]) => text.trim());
      expect(created).toEqual([
        MADE_ONCE.has(own) ? `create function ${own}` : `create or replace function ${own}`,
      ]);
    }
  });
});

/** SQL functions that are still longer than allowed. The numbers may only shrink. */
const LONG_FUNCTIONS: Readonly<Record<string, number>> = {};

/** Folders of which each file is pure, apart from the listed ones, and why. */
const PURE_FOLDERS = [
  'platform/base',
  'platform/http/wire',
  'credit/matching',
  'credit/summary',
  'payments/prices',
];
const IN_PURE_FOLDERS: Readonly<Record<string, string>> = {
  'platform/base/clock.ts': 'is the clock that others are given',
  'platform/base/timers.ts': 'is the timers that others are given',
  'platform/base/turns.ts': 'ends a turn of the event loop',
};

/** Files that build a part of the payments wing without `openPayments`, and why. */
const OWN_PARTS: Readonly<Record<string, string>> = {
  'bench/children/direct.ts': 'measures the lanes against other ways to call the same function',
  'test/integration/accept-payment.test.ts': 'tests acceptPayment with lanes that it can hold up',
  'test/integration/bulk.test.ts': 'compares the bulk processor with lanes, each on its own',
  'test/integration/cluster-worker.test.ts': 'tests lanes with a deadline shorter than a test',
  'test/integration/create-concurrency.test.ts': 'records what every connection of a lane decides',
  'test/integration/dispatch-callbacks.test.ts': 'tests the callback receiver with its own hooks',
  'test/integration/kept-handles.test.ts':
    'tests the callback receiver after its dispatcher has stopped',
  'test/integration/operator-versions.test.ts':
    'interleaves the steps of two processes whose settings are old',
  'test/security/forged-callbacks.test.ts': 'tests the callback receiver by its own clock',
  'test/integration/lane-network.test.ts': 'tests a lane whose connection goes through a proxy',
  'test/integration/lane.test.ts': 'tests a lane with its own deadline and hooks',
  'test/integration/vendor-keys.test.ts': 'tests the catalogue while its read is held up',
  'test/model/system.ts': 'chooses ids, fees and checks of payments, and repeats an id',
};

describe('the rest', () => {
  test('SQL is in stores and readers, in platform/db, and in the ledger’s check and chain', () => {
    const allowed =
      /(^|\/)(store|.*-store|read-.*)\.ts$|^platform\/(db|backup|embedded|cluster)\/|^payments\/(audit|ledger)\/|^platform\/http\/health\.ts$/;
    const withSql = files.filter((file) => /\.query(<[^(]*>)?\(/.test(sources.get(file) ?? ''));
    expect(withSql.filter((file) => !allowed.test(file))).toEqual([]);
  });

  test('readers, which surfaces may import, change and lock nothing', () => {
    expect(changingReaders(sources, FUNCTIONS)).toEqual([]);
  });

  test('every commit waits until it is on disk: nothing but the settings of servers and sessions names the setting', () => {
    const naming = [...sources, ...sqlFiles].filter(([, text]) =>
      text.includes('synchronous_commit'),
    );
    expect(naming.map(([file]) => file).toSorted()).toEqual([
      'platform/db/session-settings.ts',
      'platform/embedded/settings.ts',
      // Reads it.
      'platform/history/store.ts',
    ]);
  });

  test('the payments wing is wired in one place', () => {
    const wiring =
      /\b(?:createCreateLane|createSettler|createAvailabilities|createCallbackReceiver|createBillerCatalogue|createBulkBatches|startDispatcher)\(/;
    const elsewhere = ['sandbox', 'scripts', 'bench', 'test']
      .flatMap(typescriptIn)
      .filter((file) => wiring.test(readFileSync(path.join(ROOT, file), 'utf8')));
    expect(elsewhere.toSorted()).toEqual(Object.keys(OWN_PARTS).toSorted());
    const inSource = files.filter((file) =>
      wiring.test((sources.get(file) ?? '').replaceAll(/export function \w+/g, '')),
    );
    // operators.ts is the part of it that opens billers and connectors.
    expect(inSource.toSorted()).toEqual(['payments/operators.ts', 'payments/payments.ts']);
  });

  test('no glob names the files of src, or the check for unused code would take each for an entry', () => {
    const globbing = ['sandbox', 'scripts', 'bench', 'test']
      .flatMap(typescriptIn)
      .filter((file) =>
        /\bglob(?:Sync)?\(\s*['"`](?:\.\/)?src\b/.test(readFileSync(path.join(ROOT, file), 'utf8')),
      );
    expect(globbing).toEqual([]);
  });

  test('the environment is read at the entry of commands, and in one other file', () => {
    const readers = files.filter((file) => sources.get(file)?.includes('process.env'));
    expect(readers).toEqual(['config.ts', 'cli/malipo.ts']);
  });

  test('what calls itself pure reads no clock and opens no file', () => {
    const named = namedPure(readmes);
    expect(named.filter((file) => !sources.has(file))).toEqual([]);
    const impure = impureFiles(sources, { folders: PURE_FOLDERS, files: named });
    expect(impure).toEqual(Object.keys(IN_PURE_FOLDERS));
  });

  test('metrics and commands have the words of the vocabulary', () => {
    const names = namesForPeople(sources);
    expect(names.length).toBeGreaterThan(200);
    expect(withOtherWords(names)).toEqual([]);
  });

  test('SQL functions can be read at once', () => {
    expect(longFunctions(sqlFiles, LONG_FUNCTIONS)).toEqual([]);
  });

  test('the log has one name for a biller and one for an operator', () => {
    // The fields of a line: the object, or the call that makes it.
    const logged = /\blog\??\.(?:debug|info|warn|error|fatal)\(\s*(\{[^}]*\})/g;
    // A field of its own, not the value of another one.
    const otherName = /(?<=[{,]\s*)(?:biller|operator)(?:Code|_code)\b/;
    const found = [...sources].filter(([, text]) =>
      [...text.matchAll(logged)].some(([, fields = '']) => otherName.test(fields)),
    );
    expect(found.map(([file]) => file)).toEqual([]);
  });

  test('HMAC and AES-GCM are in one file each', () => {
    const using = (pattern: RegExp) =>
      files.filter((file) => pattern.test(sources.get(file) ?? ''));
    expect(using(/\bcreateHmac\b/)).toEqual(['platform/base/mac.ts']);
    expect(using(/\bcreate(Dec|C)ipheriv\b/)).toEqual(['platform/base/sealing.ts']);
  });

  test('every folder has a README that says what belongs in it', () => {
    const folders = new Set(files.map((file) => path.dirname(file)));
    const silent = [...folders].filter((folder) => {
      try {
        return readFileSync(path.join(SOURCE, folder, 'README.md'), 'utf8').trim() === '';
      } catch {
        return true;
      }
    });
    expect(silent).toEqual([]);
  });
});

describe('unit tests', () => {
  test('have the folders of the source', () => {
    const folders = readdirSync(path.join(ROOT, 'test/unit'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => path.dirname(name));
    const elsewhere = /^(bench|docs|samples|sandbox|scripts)(\/|$)/;
    const misplaced = [...new Set(folders)].filter(
      (folder) => !elsewhere.test(folder) && !existsSync(path.join(SOURCE, folder)),
    );
    expect(misplaced).toEqual([]);
  });
});

/** The checks above have to fail when they should. */
describe('a planted violation', () => {
  const planted = (file: string, text: string): Sources => new Map([[file, text]]);

  test.each(['transfers', 'attempts', 'no_such_table'])(
    'a foreign grant is reported: %s',
    (relation) => {
      const changed = { ...GRANTS, credit: { ...CREDIT_GRANTS, [relation]: { update: ['a'] } } };
      expect(foreignGrants(changed, OWNERS, sqlFiles)).toEqual([`credit: ${relation}`]);
    },
  );

  test('an upward import is reported', () => {
    const found = importsOf(
      planted('platform/db/pool.ts', `import { x } from '../../payments/create/payment.ts';`),
    );
    expect(upwardImports(found, ROWS)).toHaveLength(1);
  });

  test('a cycle of imports of types is reported', () => {
    const two = new Map([
      ['payments/a.ts', `import type { B } from './b.ts';`],
      ['payments/b.ts', `import type { A } from './a.ts';`],
      ['payments/c.ts', `import { a } from './a.ts';`],
    ]);
    expect(importsInCycles(importsOf(two))).toHaveLength(2);
  });

  test.each([
    ['cli/x.ts', `import { x } from '../payments/bulk/store.ts';`],
    ['staff/x.ts', `const core = async () => await import('../parties/people/people-store.ts');`],
    ['staff-api/x.ts', `import type { X } from '../credit/registry/sales-store.ts';`],
  ])('an import of a store from a surface is reported: %s', (file, text) => {
    expect(storesInSurfaces(importsOf(planted(file, text)))).toHaveLength(1);
  });

  test.each(['update cases set a = 1', 'select from cases for update', 'select end_key($1)'])(
    'a reader that changes or locks something is reported: %s',
    (sql) => {
      const found = changingReaders(
        planted('payments/cases/read-x.ts', `db.query('${sql}')`),
        FUNCTIONS,
      );
      expect(found).toEqual(['payments/cases/read-x.ts']);
    },
  );

  test('files that a README calls pure are found', () => {
    const row = '| `a.ts`, `b.ts` | decides; pure |\n| `c.ts` (pure), `d.ts` | reads |\n';
    expect(namedPure(planted('credit/x/README.md', row))).toEqual([
      'credit/x/a.ts',
      'credit/x/b.ts',
      'credit/x/c.ts',
    ]);
  });

  test.each([
    'const nowMs = Date.now();',
    'const clock = Date.now;',
    'const now = new Date();',
    'setTimeout(act, 1);',
    `import { readFileSync } from 'node:fs';`,
  ])(
    'a clock or a file in a pure folder, or in a file that is called pure, is reported: %s',
    (text) => {
      const pure = { folders: PURE_FOLDERS, files: ['credit/x/a.ts'] };
      for (const file of ['payments/prices/x.ts', 'credit/x/a.ts']) {
        expect(impureFiles(planted(file, text), pure)).toEqual([file]);
      }
      expect(impureFiles(planted('credit/x/b.ts', text), pure)).toEqual([]);
    },
  );

  test('a long SQL function is reported, and one that grows', () => {
    const file = 'payments/functions/x.sql';
    const long = planted(file, 'select 1;\n'.repeat(MAX_SQL_LINES + 10));
    expect(longFunctions(long, {})).toEqual([`${file}: ${MAX_SQL_LINES + 10} lines`]);
    expect(longFunctions(long, { [file]: MAX_SQL_LINES + 9 })).toHaveLength(1);
  });

  test.each([
    ['metrics.ts', 'malipo_open_transactions', (name: string) => `gauge({ name: '${name}' })`],
    ['metrics.ts', 'malipo_bill_seconds', (name: string) => `histogram('${name}')`],
    ['cli/x.ts', 'transactions', (name: string) => `program.command('${name}')`],
    ['staff/x.ts', 'transaction.list', (name: string) => `view(core, { name: '${name}' })`],
  ])('in %s, a second word for a payment is reported: %s', (file, name, write) => {
    expect(withOtherWords(namesForPeople(planted(file, write(name))))).toEqual([name]);
  });

  test('an import between siblings is reported', () => {
    const found = importsOf(
      planted('payments/ledger/x.ts', `import { x } from '../cases/store.ts';`),
    );
    expect(upwardImports(found, ROWS)).toHaveLength(1);
  });

  test.each([
    'insert into transfers (a) values (1)',
    'update transfers set a = 1',
    'UPDATE only public.transfers SET a = 1',
    'truncate table transfers',
    'merge into "transfers" using x on true when matched then delete',
  ])('a foreign write is reported: %s', (sql) => {
    const found = foreignAccesses(planted('credit/x.ts', `db.query('${sql}')`), OWNERS, 'write');
    expect(found).toEqual([{ file: 'credit/x.ts', tables: ['transfers'] }]);
  });

  test.each(['select 1 from transfers t', 'select 1 from x join transfers using (y)'])(
    'a foreign read is reported: %s',
    (sql) => {
      const found = foreignAccesses(planted('credit/x.ts', `db.query(\`${sql}\`)`), OWNERS, 'read');
      expect(found).toEqual([{ file: 'credit/x.ts', tables: ['transfers'] }]);
    },
  );
});
