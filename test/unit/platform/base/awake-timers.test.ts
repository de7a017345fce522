import { describe, expect, test } from 'vitest';
import { AwakeTimers } from '../../../../src/platform/base/awake-timers.ts';
import { manualTimers } from '../../../support/manual-timers.ts';

/** Timers of a process that runs, unless time passes in one step of more than 250 ms. */
function processTimers() {
  const timers = manualTimers();
  const awake = new AwakeTimers(timers);
  const calls: string[] = [];
  const run = (ms: number): void => {
    for (let passed = 0; passed < ms; passed += 50) timers.pass(50);
  };
  const wait = (ms: number, name = 'called'): (() => void) =>
    awake.after(ms, () => calls.push(name));
  return { awake, calls, run, sleep: timers.pass, wait };
}

describe('a timer that counts only the time in which the process runs', () => {
  test('calls after its delay if the process runs', () => {
    const { calls, run, wait } = processTimers();
    wait(1_000);
    run(950);
    expect(calls).toEqual([]);
    run(50);
    expect(calls).toEqual(['called']);
  });

  test('does not count a sleep that ends after its delay', () => {
    const { calls, run, sleep, wait } = processTimers();
    wait(1_000);
    run(400);
    sleep(60_000);
    expect(calls).toEqual([]);
    run(250);
    expect(calls).toEqual([]);
    run(400);
    expect(calls).toEqual(['called']);
  });

  test('does not count a sleep that ends before its delay, nor a second one', () => {
    const { calls, run, sleep, wait } = processTimers();
    wait(2_000);
    sleep(1_000);
    run(300);
    sleep(1_000);
    run(900);
    expect(calls).toEqual([]);
    run(700);
    expect(calls).toEqual(['called']);
  });

  test('does not count a sleep before it: nobody waited', () => {
    const { awake, calls, run, sleep, wait } = processTimers();
    wait(100);
    run(100);
    const beforeMs = awake.nowMs();
    sleep(60_000);
    expect(awake.nowMs() - beforeMs).toBe(60_000);
    wait(300);
    run(300);
    expect(calls).toEqual(['called', 'called']);
  });

  test('keeps what it knows of a sleep when the last one stops waiting', () => {
    const { awake, calls, run, sleep, wait } = processTimers();
    const forget = wait(5_000);
    run(100);
    const beforeMs = awake.nowMs();
    sleep(60_000);
    forget();
    forget();
    expect(awake.nowMs() - beforeMs).toBeLessThan(300);
    run(6_000);
    expect(calls).toEqual([]);
  });

  test('counts time that is lost to short delays', () => {
    const { calls, sleep, wait } = processTimers();
    wait(1_000);
    for (let passed = 0; passed < 1_000; passed += 340) sleep(340);
    expect(calls).toEqual(['called']);
  });
});
