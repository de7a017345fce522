import path from 'node:path';
import { readSchema } from './platform/db/schema.ts';

/** Raised by a release that changes, adds or removes a SQL function. */
const FUNCTIONS_RELEASE = 1;

/** The database as this version of Malipo needs it: the SQL files of every wing. */
export const SCHEMA = readSchema(
  ['platform', 'parties', 'payments', 'credit'].map((name) => ({
    name,
    folder: path.join(import.meta.dirname, name),
  })),
  FUNCTIONS_RELEASE,
);
