import { subscribe } from 'node:diagnostics_channel';
import type { CrashPoint } from '../../src/base/crash-points.ts';

/**
 * What stands in for `src/base/crash-points.ts` under `--conditions=crash-points`. `CRASH_AT` is the
 * name of a point, or `NAME#3` for the third time that it is passed.
 */
const [wanted, count = '1'] = (process.env['CRASH_AT'] ?? '').split('#');
let left = Number(count);

/** Ends the process as the kernel would: nothing is flushed, nobody is told. */
export function crashPoint(point: CrashPoint): void {
  if (point !== wanted) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
}

// The HTTP client's own word that an instruction is with the kernel; no line of ours runs there.
subscribe('undici:request:bodySent', (message) => {
  const { request } = message as { readonly request: { readonly path: string } };
  if (request.path.endsWith('/payments')) crashPoint('dispatch:after-send');
});
