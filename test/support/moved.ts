/**
 * SQL that moves the time in a column by an interval such as `-1 hour`. In an update, Citus allows only
 * immutable functions of a column, and adding to a `timestamptz` depends on the session's time zone.
 */
export function moved(column: string, by: string): string {
  return `((${column} at time zone 'UTC' + interval '${by}') at time zone 'UTC')`;
}
