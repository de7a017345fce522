import type { LoggedRequest } from '../parties/request-log.ts';

/** An answered request, without anything that was sent. */
export function requestView(row: LoggedRequest) {
  return {
    request_id: row.requestId,
    at: row.at.toISOString(),
    method: row.method,
    path: row.route,
    status: row.status,
    error_code: row.code,
    duration_ms: row.durationUs / 1000,
    key_id: row.keyId,
  };
}
