/**
 * SQL of a time in a column, moved by an interval such as `-1 hour`. Citus lets an update call immutable
 * functions of a column only, and adding to a `timestamptz` depends on the time zone of the session.
 */
export function moved(column: string, by: string): string {
  return `((${column} at time zone 'UTC' + interval '${by}') at time zone 'UTC')`;
}
