import { expect, test } from 'vitest';
import { UploadSlots } from '../../../../src/platform/http/upload-slots.ts';

test('a place is free again when the file was handled', () => {
  const slots = new UploadSlots({ atOnce: 2, perSigner: 1, unproven: 0, unprovenPerAddress: 0 });
  const isHandled = slots.take('shop');
  expect(() => slots.take('shop')).toThrow('busy');
  const isOtherHandled = slots.take('other');
  expect(() => slots.take('third')).toThrow('busy');
  isHandled();
  expect(() => slots.take('other')).toThrow('busy');
  isOtherHandled();
  for (const name of ['shop', 'other']) slots.take(name);
  expect(() => slots.take('third')).toThrow('busy');
});
