import { pino } from 'pino';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { stopOnSignals } from '../../src/run.ts';
import type { Service } from '../../src/service.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const before = new Map(SIGNALS.map((name) => [name, process.listeners(name)]));
const exit = vi.spyOn(process, 'exit');
afterAll(() => exit.mockRestore());
let now = 0;
let stops = 0;
let stopped = Promise.withResolvers<void>();

beforeEach(() => {
  exit.mockReset().mockImplementation(() => undefined as never);
  [now, stops, stopped] = [0, 0, Promise.withResolvers<void>()];
  const stop = async (): Promise<void> => {
    stops += 1;
    await stopped.promise;
  };
  const service = { workUnderWay: () => ({}) } as unknown as Service;
  stopOnSignals({ service, log: pino({ level: 'silent' }), stop }, () => now);
});
afterEach(() => {
  for (const name of SIGNALS) {
    for (const listener of process.listeners(name)) {
      if (!before.get(name)?.includes(listener)) process.off(name, listener);
    }
  }
});

test('the service stops in order on a Ctrl-C that npm passes on as well', async () => {
  process.emit('SIGINT', 'SIGINT');
  now = 20;
  process.emit('SIGINT', 'SIGINT');
  expect(exit).not.toHaveBeenCalled();
  stopped.resolve();
  await vi.waitFor(() => expect(exit).toHaveBeenCalledWith(0));
  expect(stops).toBe(1);
});

test('a second one later ends the process at once', () => {
  process.emit('SIGTERM', 'SIGTERM');
  now = 2_000;
  process.emit('SIGINT', 'SIGINT');
  expect(exit).toHaveBeenCalledWith(1);
});
