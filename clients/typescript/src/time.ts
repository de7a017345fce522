/** Times on the wire are local times of Nairobi, which has no daylight-saving time. */
const OFFSET_MS = 3 * 3_600_000;

/** `YYYY-MM-DD HH:MM:SS` in Nairobi time. Throws a RangeError if it is not a time. */
export function timeOf(text: string): Date {
  const local = Date.parse(`${text.replace(' ', 'T')}Z`);
  // A day that does not exist is read as one of the next month.
  if (Number.isNaN(local) || wireText(new Date(local)) !== text) {
    throw new RangeError(`Not a time: ${text}`);
  }
  return new Date(local - OFFSET_MS);
}

function wireText(local: Date): string {
  return local.toISOString().slice(0, 19).replace('T', ' ');
}
