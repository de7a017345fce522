import { migrate } from '../../src/db/migrate.ts';
import { createPool } from '../../src/db/pool.ts';

// A process that migrates, to be killed. Arguments: the database's URL, the folder of migrations.

const [, , url = '', folder = ''] = process.argv;
const pool = createPool({ url, max: 1, name: 'migrator' });
await migrate(pool, folder);
await pool.end();
