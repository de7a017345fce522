import type { StatementTable } from './tables.ts';
import type { TableRules } from './settings.ts';

/** Titles of columns that say whether the money moved, in English and Swahili. */
const STATUS_TITLE = /\b(?:status|state|outcome|result|hali)\b/i;
/** Texts that stand alone in such a column, whatever its title. */
const NOT_MOVED =
  /^(?:failed|failure|unsuccessful|declined|rejected|cancell?ed|reversed|expired|pending|initiated|timed out|(?:ime)?(?:shindwa|shindikana|kataliwa|ghairiwa|rejeshwa)|inasubiri)$/i;

/** A file that says which of its rows were not paid must not be read without that. */
export function statusProblem(
  { titles, places }: StatementTable,
  { columns }: TableRules,
): string | undefined {
  if (columns.status !== undefined) return undefined;
  const named = new Set(places.values());
  const title = titles.find((each, index) => !named.has(index) && STATUS_TITLE.test(wordsOf(each)));
  return title === undefined ? undefined : statusText(title);
}

/** `TXN_STATUS` and `TransactionStatus` as words. */
function wordsOf(title: string): string {
  return title.replaceAll(/[_.-]+/g, ' ').replaceAll(/([a-z])([A-Z])/g, '$1 $2');
}

/** The problem of a row that was not paid, if a column that the settings do not name says so. */
export function notMovedProblem(
  values: readonly string[],
  { titles, places }: StatementTable,
  { columns }: TableRules,
): string | undefined {
  if (columns.status !== undefined) return undefined;
  const named = new Set(places.values());
  const title = titles.find(
    (_, index) => !named.has(index) && NOT_MOVED.test(values[index]?.trim() ?? ''),
  );
  return title === undefined ? undefined : statusText(title);
}

function statusText(title: string): string {
  return `the column ${title} says whether the money moved, and the settings do not name it: set status in columns to “${title}”, and booked_status to what it says about movements that were made`;
}
