import path from 'node:path';
import { BATCHES_GRANTS } from './batches/grants.ts';
import { BATCHES_TABLES } from './batches/tables.ts';
import { CREDIT_GRANTS } from './credit/grants.ts';
import { CREDIT_TABLES } from './credit/tables.ts';
import { PARTIES_GRANTS } from './parties/grants.ts';
import { PARTIES_TABLES } from './parties/tables.ts';
import { PAYMENTS_GRANTS } from './payments/grants.ts';
import { PAYMENTS_TABLES } from './payments/tables.ts';
import type { TableClasses } from './platform/db/distribution.ts';
import { readSchema } from './platform/db/schema.ts';
import { PLATFORM_GRANTS } from './platform/grants.ts';
import { PLATFORM_TABLES } from './platform/tables.ts';
import { PROPOSALS_GRANTS } from './proposals/grants.ts';
import { PROPOSALS_TABLES } from './proposals/tables.ts';

/** Raised by a release that adds a migration, or changes, adds or removes a SQL function. */
const RELEASE = 1;

/** The database schema of this version of Malipo: the SQL files and the grants of every wing. */
export const SCHEMA = readSchema(
  [
    { name: 'platform', grants: PLATFORM_GRANTS },
    { name: 'parties', grants: PARTIES_GRANTS },
    { name: 'proposals', grants: PROPOSALS_GRANTS },
    { name: 'batches', grants: BATCHES_GRANTS },
    { name: 'payments', grants: PAYMENTS_GRANTS },
    { name: 'credit', grants: CREDIT_GRANTS },
  ].map((wing) => ({ ...wing, folder: path.join(import.meta.dirname, wing.name) })),
  RELEASE,
);

/** Every table, and where its rows are on a cluster. */
export const TABLE_CLASSES: TableClasses = {
  ...PLATFORM_TABLES,
  ...PARTIES_TABLES,
  ...PROPOSALS_TABLES,
  ...BATCHES_TABLES,
  ...PAYMENTS_TABLES,
  ...CREDIT_TABLES,
};
