import { subscribe } from 'node:diagnostics_channel';
import { existsSync, writeFileSync } from 'node:fs';
import type { CrashPoint } from '../../src/platform/base/crash-points.ts';

/**
 * What stands in for `src/platform/base/crash-points.ts` under `--conditions=crash-points`. `CRASH_AT` is the
 * name of a point, or `NAME#3` for the third time that it is passed. At `HOLD_AT` the process lives,
 * but nothing in it runs any more: the first time that it gets there it makes the file `HOLD_FILE`,
 * and goes on when somebody has removed it.
 */
const [wanted, count = '1'] = (process.env['CRASH_AT'] ?? '').split('#');
let left = Number(count);
let heldAt = process.env['HOLD_AT'];
const MAX_HELD_MS = 60_000;

/** Ends the process as the kernel would: nothing is flushed, nobody is told. */
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

/** Of the simulated operators and of the emulated providers. */
const INSTRUCTION_PATH =
  /\/(payments|paymentrequest|payments\/PUT|confirm|topups|airtime\/send|api\/pay)$/;

// The HTTP client's own word that an instruction is with the kernel; no line of ours runs there.
subscribe('undici:request:bodySent', (message) => {
  const { request } = message as { readonly request: { readonly path: string } };
  if (INSTRUCTION_PATH.test(request.path)) crashPoint('dispatch:after-send');
});
