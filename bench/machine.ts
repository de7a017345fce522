import { readdirSync, readFileSync } from 'node:fs';
import os from 'node:os';

/** Reads figures of a process from Linux's `/proc` (proc_pid_stat(5)). Other systems have none. */

/** `USER_HZ`, which is 100 on every platform Node runs on. */
const TICKS_PER_SECOND = 100;

/** Seconds of CPU that a process has used so far; 0 without `/proc`. */
export function cpuSeconds(pid: number): number {
  const fields = statFields(pid);
  return fields === undefined ? 0 : ticks(fields, 11, 12) / TICKS_PER_SECOND;
}

const MAX_LOOKS = 10;

/** Sums the CPU seconds of a process and all its children, including those that ended. */
export function familyCpuSeconds(pid: number): number {
  let sum = 0;
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const before = statFields(pid);
    if (before === undefined) return 0;
    sum = ticks(before, 11, 14) + childrenTicks(pid);
    // Otherwise a child that ended between the two readings would be missing in both.
    const after = statFields(pid);
    if (after !== undefined && ticks(after, 13, 14) === ticks(before, 13, 14)) break;
  }
  return sum / TICKS_PER_SECOND;
}

function childrenTicks(pid: number): number {
  return childrenOf(pid).reduce((sum, { fields }) => sum + ticks(fields, 11, 14), 0);
}

/** A process and its children. */
export function familyOf(pid: number): number[] {
  return [pid, ...childrenOf(pid).map((child) => child.pid)];
}

function childrenOf(pid: number): { readonly pid: number; readonly fields: string[] }[] {
  const numbers = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return numbers.flatMap((name) => {
    const fields = statFields(Number(name));
    return fields !== undefined && Number(fields[1]) === pid ? [{ pid: Number(name), fields }] : [];
  });
}

/** Resident memory in bytes; 0 without `/proc`. */
export function residentBytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** The machine in words, for the report. */
export function describeMachine(): string {
  const [cpu] = os.cpus();
  const gib = Math.round(os.totalmem() / 2 ** 30);
  const load = os
    .loadavg()
    .map((value) => value.toFixed(1))
    .join(' ');
  return `${os.availableParallelism()} × ${cpu?.model ?? 'unknown CPU'}, ${gib} GiB, Node ${process.versions.node}, load ${load}`;
}

/** The fields after the name, which may contain spaces and parentheses: the state is number 0. */
function statFields(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

function ticks(fields: readonly string[], first: number, last: number): number {
  return fields.slice(first, last + 1).reduce((sum, text) => sum + Number(text), 0);
}
