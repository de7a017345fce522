import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { UploadSlots } from '../../../../src/platform/http/upload-slots.ts';

const createSlots = (): UploadSlots =>
  new UploadSlots({ atOnce: 2, perSigner: 1, unproven: 0, unprovenPerAddress: 0 });

const createAnswer = (): ServerResponse => new EventEmitter() as ServerResponse;

test('a place is free again when the answer was sent and the file was handled, in any order', () => {
  const slots = createSlots();
  const take = (answer: ServerResponse) => slots.take('shop', { isClosed: false }, answer);
  const [first, second] = [createAnswer(), createAnswer()];
  const isHandled = take(first);
  first.emit('close');
  expect(() => take(second)).toThrow('busy');
  isHandled();
  take(second)();
  expect(() => take(createAnswer())).toThrow('busy');
  second.emit('close');
  // Both ends of each were counted once.
  take(createAnswer());
  expect(() => take(createAnswer())).toThrow('busy');
});

// Nothing more is reported of such an answer if it had waited for earlier ones on its connection.
test('the place of a request whose connection has ended before is free when the file was handled', () => {
  const slots = createSlots();
  const take = () => slots.take('shop', { isClosed: true }, createAnswer());
  const isHandled = take();
  expect(() => take()).toThrow('busy');
  isHandled();
  take();
});
