import type { Route } from './send.ts';
import type { RequestSettings } from './settings.ts';

/** Dependencies of queries to the operator. */
export interface Asking {
  readonly context: object;
  readonly routeOf: (where: string, request: RequestSettings) => Route;
  readonly deadlineMs: number;
}
