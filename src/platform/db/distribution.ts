/**
 * Where a table's rows are when the database is a Citus cluster. `malipo cluster distribute` carries it
 * out; on one machine it changes nothing.
 *
 * - `distributed`: by its column `bucket`, all such tables together, so that a statement that names one
 *   bucket runs on one machine. Its unique keys begin with `bucket`.
 * - `reference`: a copy on every machine, because routed statements read it. Rarely written.
 * - `local`: on the coordinator only. What concerns no vendor, or must be unique across vendors.
 */
export type TableClass = 'distributed' | 'reference' | 'local';

/** The class of each of a wing's tables. */
export type TableClasses = Readonly<Record<string, TableClass>>;
