import { bytesOf } from './crypto.ts';
import type { UploadFile } from './types.ts';

/** Rows as a JSON Lines file. */
export function fileOf(rows: readonly object[]): UploadFile {
  const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  return { bytes: bytesOf(lines), contentType: 'application/x-ndjson' };
}
