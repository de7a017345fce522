import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { openAmongOthers } from '../src/platform/embedded/open-among-others.ts';
import { table } from '../src/cli/output.ts';
import { readConfig } from '../src/config.ts';
import { openDatabase } from '../src/platform/db/open.ts';

/**
 * `npm run psql`: a shell on the database of DATABASE_URL, or on the embedded one, as the schema's owner. The
 * embedded server is shared with a running service, or started for the time of the shell. psql is used where it
 * is installed; npm does not bring it. Otherwise statements are read up to the semicolon at the end of a line.
 */

const { databaseUrl, databaseOwnerUrl, dataDir } = readConfig('sandbox');
const database = await openAmongOthers(
  async () =>
    await openDatabase({ databaseUrl, databaseOwnerUrl, dataDir, share: true, log: () => {} }),
);
try {
  // Ctrl-C ends a statement of psql, not this program.
  process.on('SIGINT', () => {});
  const psql = spawn('psql', [database.ownerUrl, ...process.argv.slice(2)], { stdio: 'inherit' });
  const isInstalled = await once(psql, 'spawn').then(
    () => true,
    () => false,
  );
  if (isInstalled) [process.exitCode] = (await once(psql, 'exit')) as [number];
  else await readStatements(database.ownerUrl);
} finally {
  await database.close();
}

async function readStatements(url: string): Promise<void> {
  const client = new pg.Client(url);
  client.on('error', ({ message }) => process.stderr.write(`${message}\n`));
  client.on('notice', ({ message }) => process.stderr.write(`${message}\n`));
  await client.connect();
  const { stdin: input, stdout: output } = process;
  const shell = createInterface({ input, output: input.isTTY ? output : undefined, prompt: '> ' });
  output.write(
    'psql is not installed. End a statement with a semicolon, and the shell with \\q.\n',
  );
  shell.prompt();
  let statement = '';
  let last = Promise.resolve();
  shell.on('line', (line) => {
    if (line.trim() === '\\q') return shell.close();
    statement += `${line}\n`;
    if (!line.trimEnd().endsWith(';')) return;
    const complete = statement;
    statement = '';
    last = last.then(async () => {
      output.write(await resultOf(client, complete));
      if (input.isTTY) shell.prompt();
    });
  });
  await once(shell, 'close');
  await last;
  await client.end();
}

async function resultOf(client: pg.Client, statement: string): Promise<string> {
  try {
    const results = [await client.query({ text: statement, rowMode: 'array' })].flat();
    return results
      .map(({ command, fields, rows, rowCount }) =>
        fields.length === 0
          ? `${command} ${rowCount ?? ''}\n`
          : table(
              fields.map(({ name }) => ({ title: name })),
              (rows as unknown[][]).map((row) => row.map(textOf)),
              'no rows',
            ),
      )
      .join('');
  } catch (error) {
    return `${(error as Error).message}\n`;
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`;
  return JSON.stringify(value);
}
