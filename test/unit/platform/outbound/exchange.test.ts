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
    expect(ending).toEqual({ kind: 'answer', httpStatus: 200, body: Buffer.from('answer') });
    returned.push(name);
  };
  const first = call('one');
  await new Promise((resolve) => process.nextTick(resolve));
  expect(returned).toEqual([]);
  await Promise.all([first, call('other')]);
  expect(returned).toEqual(['one', 'other']);
});
