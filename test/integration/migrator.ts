import { migrate } from '../../src/platform/db/migrate.ts';
import { createPool } from '../../src/platform/db/pool.ts';

// A process that migrates, to be killed. Arguments: the database's URL, the folder of migrations.

const [, , url = '', folder = ''] = process.argv;
const pool = createPool({ url, max: 1, name: 'migrator' });
await migrate(pool, folder);
await pool.end();
