import { readFile } from 'node:fs/promises';
import { migrate } from '../../src/platform/db/migrate.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Schema } from '../../src/platform/db/schema.ts';

// A process that migrates until a test kills it. Arguments: the database's URL, a file with the schema as JSON.

const [, , url = '', file = ''] = process.argv;
const pool = createPool({ url, max: 1, name: 'migrator' });
await migrate(pool, JSON.parse(await readFile(file, 'utf8')) as Schema);
await pool.end();
