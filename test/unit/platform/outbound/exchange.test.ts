import type { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { exchange } from '../../../../src/platform/outbound/exchange.ts';

/** Answers at once. */
const dispatcher = {
  dispatch: (_options: unknown, handler: Dispatcher.DispatchHandler) => {
    const controller = {} as Dispatcher.DispatchController;
    handler.onRequestStart?.(controller, {});
    handler.onResponseStart?.(controller, 200, {});
    handler.onResponseData?.(controller, Buffer.from('answer'));
    handler.onResponseEnd?.(controller, {});
    return true;
  },
} as unknown as Dispatcher;

test('responses that arrive in one turn of the event loop are returned together', async () => {
  const returned: string[] = [];
  const call = async (name: string): Promise<void> => {
    const ending = await exchange(dispatcher, {
      ...{ path: '/', body: null, headers: {}, deadlineMs: 60_000, answerBytes: 100 },
      signal: new AbortController().signal,
    });
    expect(ending).toEqual({
      kind: 'answer',
      httpStatus: 200,
      headers: {},
      body: Buffer.from('answer'),
    });
    returned.push(name);
  };
  const first = call('one');
  await new Promise((resolve) => process.nextTick(resolve));
  expect(returned).toEqual([]);
  await Promise.all([first, call('other')]);
  expect(returned).toEqual(['one', 'other']);
});

/** The process does not run for this long. */
function stopFor(ms: number): void {
  const endsAtMs = performance.now() + ms;
  while (performance.now() < endsAtMs);
}

test('nothing is written after the deadline, even if the process did not run meanwhile', async () => {
  const did: string[] = [];
  const controller = {
    abort: () => did.push('aborted before the first byte'),
  } as unknown as Dispatcher.DispatchController;
  const slow = {
    dispatch: (_options: unknown, handler: Dispatcher.DispatchHandler) => {
      setImmediate(() => {
        stopFor(1_000);
        // The timers that are due come first, then the connection is there.
        setTimeout(() => setImmediate(() => handler.onRequestStart?.(controller, {})));
      });
      return true;
    },
  } as unknown as Dispatcher;
  const ending = await exchange(slow, {
    ...{ path: '/', body: null, headers: {}, deadlineMs: 500, answerBytes: 100 },
    signal: new AbortController().signal,
  });
  expect(ending).toMatchObject({ kind: 'nothing_written' });
  expect(did).toEqual(['aborted before the first byte']);
});
