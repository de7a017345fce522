import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { isTracing, traced } from '../../../src/platform/base/tracing.ts';

const SOURCE = path.resolve(import.meta.dirname, '../../../src');

function filesWith(pattern: RegExp): string[] {
  const files = globSync('**/*.ts', { cwd: SOURCE });
  return files.filter((file) => pattern.test(readFileSync(path.join(SOURCE, file), 'utf8')));
}

test('while it is off, work runs without a span, and its error is its own', async () => {
  expect(isTracing()).toBe(false);
  expect(await traced('work', {}, async (span) => span ?? 'none')).toBe('none');
  const error = new Error('its own');
  await expect(traced('work', {}, async () => await Promise.reject(error))).rejects.toBe(error);
});

test('OpenTelemetry is loaded by one file, which is loaded only when tracing is switched on', () => {
  const loaded = filesWith(/^import (?!type )[^;]*from '@opentelemetry\//m);
  expect(loaded).toEqual(['platform/tracing-sdk.ts']);
  expect(filesWith(/^import [^(]*tracing-sdk/m)).toEqual([]);
  expect(filesWith(/import\('\.\/platform\/tracing-sdk\.ts'\)/)).toEqual(['run.ts']);
});
