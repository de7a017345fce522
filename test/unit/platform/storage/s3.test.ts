import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { contentOf } from '../../../../src/platform/storage/storage.ts';
import { openStorage, readBucketAddress } from '../../../../src/platform/storage/open.ts';
import type { Storage } from '../../../../src/platform/storage/storage.ts';
import { BUCKET, startS3Emulator } from '../../../support/s3-emulator.ts';
import type { S3Emulator } from '../../../support/s3-emulator.ts';

let s3: S3Emulator;
let bucket: Storage;
let folder: Storage;
let folderPath: string;
beforeAll(async () => {
  s3 = await startS3Emulator();
  folderPath = await mkdtemp(path.join(tmpdir(), 'malipo-storage-'));
});
beforeEach(async () => void (await open()));
afterEach(async () => {
  s3.objects.clear();
  s3.requests.length = 0;
  await bucket.close();
});
afterAll(async () => {
  await s3.close();
  await rm(folderPath, { recursive: true });
});

async function open(given: Partial<S3Emulator['settings']> = {}): Promise<Storage> {
  bucket = await openStorage(`s3://${BUCKET}/house/wal`, { ...s3.settings, ...given });
  return bucket;
}

describe('a folder and a bucket', () => {
  test.each(['folder', 'bucket'])('%s stores, lists and removes files', async (kind) => {
    folder = await openStorage(folderPath, s3.settings);
    const place = kind === 'folder' ? folder : await open();
    expect(await place.list()).toEqual([]);
    expect(await place.read('a')).toBeUndefined();
    await place.write('a', contentOf('first'));
    await place.write('a', contentOf('second'));
    expect(await place.create('a', contentOf('third'))).toBe(false);
    expect(String(await place.read('a'))).toBe('second');
    expect(String(await place.read('a', { from: 1, bytes: 3 }))).toBe('eco');
    expect(String(await place.read('a', { from: 6, bytes: 3 }))).toBe('');
    const names = Array.from({ length: 20 }, (_, index) => `b/${String(index).padStart(2, '0')}`);
    for (const name of names) expect(await place.create(name, contentOf(name))).toBe(true);
    expect(await place.list()).toEqual(['a', ...names]);
    expect(await place.list('b/1')).toEqual(names.slice(10));
    await place.remove('a');
    await place.remove('a');
    expect(await place.list('a')).toEqual([]);
  });

  test('a folder has no file whose content changed while it was written', async () => {
    folder = await openStorage(path.join(folderPath, 'other'), s3.settings);
    const content = { ...contentOf('one'), sha256: createHash('sha256').digest('hex') };
    await expect(folder.create('a', content)).rejects.toThrow('changed meanwhile');
    expect(await readdir(path.join(folderPath, 'other'))).toEqual([]);
  });
});

describe('a bucket', () => {
  test('has the files below the prefix', async () => {
    await (await open()).write('a', contentOf('x'));
    s3.objects.set('house/walrus', Buffer.from('not ours'));
    expect([...s3.objects.keys()]).toEqual(['house/wal/a', 'house/walrus']);
    expect(await bucket.list()).toEqual(['a']);
  });

  test.each(['unavailable', 'cut', 'damaged', 'lost_answer', 'silence'] as const)(
    'repeats a request after %s',
    async (fault) => {
      await open({ timing: { pauseMs: 1, deadlineMs: fault === 'silence' ? 2_000 : 30_000 } });
      s3.fault(fault, /^PUT/, 2);
      await bucket.write('a', contentOf('x'.repeat(100_000)));
      expect(s3.requests.filter((what) => what.startsWith('PUT'))).toHaveLength(3);
      expect((await bucket.read('a'))?.length).toBe(100_000);
    },
  );

  test('gives up after some repetitions, with the reason', async () => {
    await open();
    s3.fault('unavailable', /^PUT/, 100);
    await expect(bucket.write('a', contentOf('x'))).rejects.toThrow(
      's3://backups/house/wal did not answer after 5 attempts: HTTP 503, SlowDown: refused.',
    );
    expect(s3.objects.size).toBe(0);
  });

  test.each([
    [{ secretAccessKey: 'wrong' }, 'Correct AWS_SECRET_ACCESS_KEY'],
    [{ accessKeyId: 'wrong' }, 'Correct AWS_ACCESS_KEY_ID'],
    [{ region: 'elsewhere' }, 'correct AWS_REGION'],
  ])('says what is wrong with %o', async (given, text) => {
    await expect((await open(given)).read('a')).rejects.toThrow(text);
    expect(s3.requests).toHaveLength(1);
  });

  test('needs credentials', async () => {
    await expect(
      openStorage('s3://backups', { ...s3.settings, secretAccessKey: undefined }),
    ).rejects.toThrow('AWS_SECRET_ACCESS_KEY is not set');
  });
});

test.each([
  ['s3://backups', { bucket: 'backups', prefix: '' }],
  ['s3://backups/', { bucket: 'backups', prefix: '' }],
  ['s3://backups/a/b_c', { bucket: 'backups', prefix: 'a/b_c/' }],
  ['s3://Backups/a', undefined],
  ['s3://backups/a/../b', undefined],
  ['s3://backups/a?b', undefined],
  ['s3://', undefined],
])('reads the address %s', (address, expected) => {
  expect(readBucketAddress(address)).toEqual(expected);
});
