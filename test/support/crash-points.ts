import { subscribe } from 'node:diagnostics_channel';
import { existsSync, writeFileSync } from 'node:fs';
import type { CrashPoint } from '../../src/platform/base/crash-points.ts';

/**
 * Replaces `src/platform/base/crash-points.ts` under `--conditions=crash-points`. `CRASH_AT` is the
 * name of a point, or `NAME#3` for the third time that it is passed. At `HOLD_AT` the process blocks:
 * the first time it reaches the point it creates the file `HOLD_FILE`, and it continues when that file
 * has been removed.
 */
const [wanted, count = '1'] = (process.env['CRASH_AT'] ?? '').split('#');
let left = Number(count);
let heldAt = process.env['HOLD_AT'];
const MAX_HELD_MS = 60_000;

/** Ends the process as SIGKILL does: nothing is flushed, nothing is reported. */
export function crashPoint(point: CrashPoint): void {
  if (point === heldAt) hold(process.env['HOLD_FILE'] ?? '');
  if (point !== wanted) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
}

/** Blocks the event loop. */
function hold(file: string): void {
  heldAt = undefined;
  writeFileSync(file, '');
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  const until = Date.now() + MAX_HELD_MS;
  while (existsSync(file) && Date.now() < until) Atomics.wait(nothing, 0, 0, 20);
}

/** Requests to the simulated operators and the emulated providers. */
const INSTRUCTION_PATH =
  /\/(payments|paymentrequest|payments\/PUT|confirm|topups|airtime\/send|api\/pay)$/;

// The HTTP client reports that the instruction was handed to the kernel; none of our code runs at that
// moment.
subscribe('undici:request:bodySent', (message) => {
  const { request } = message as { readonly request: { readonly path: string } };
  if (INSTRUCTION_PATH.test(request.path)) crashPoint('dispatch:after-send');
});
