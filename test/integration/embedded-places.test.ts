import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import {
  BEAT_FILE,
  placeNow,
  requireNoOtherPlace,
  startBeat,
} from '../../src/platform/embedded/beat.ts';
import { makeTemporaryFolder } from '../support/temporary.ts';

// Containers do not see each other's processes, so a data folder shows by itself that it is served.

const FAST = { everyMs: 20, watchMs: 2_000 };
const BRIEF = { everyMs: 20, watchMs: 100 };

test('a folder that is served from another place is refused, until it is stopped there', async () => {
  const folder = await makeTemporaryFolder();
  const stop = await startBeat(folder, 'container a', () => undefined, FAST);
  await expect(requireNoOtherPlace(folder, 'container b', { times: FAST })).rejects.toThrow(
    /already running on .*in another container \(container a\)/,
  );
  // Here, processes are seen by their numbers.
  await requireNoOtherPlace(folder, 'container a', { times: FAST });
  await stop();
  expect(await readdir(folder)).toEqual([]);
  await requireNoOtherPlace(folder, 'container b', { times: FAST });
});

test('what a killed process left does not stop a start in another place, nor does a damaged file', async () => {
  const folder = await makeTemporaryFolder();
  for (const left of ['killed\nrun\n7\n', 'kil', '']) {
    await writeFile(path.join(folder, BEAT_FILE), left);
    await requireNoOtherPlace(folder, await placeNow(), { times: BRIEF });
  }
});

test('whoever serves a folder says so if it is served from another place as well', async () => {
  const folder = await makeTemporaryFolder();
  const said = Promise.withResolvers<string>();
  const ends = [
    await startBeat(folder, 'container a', said.resolve, FAST),
    await startBeat(folder, 'container b', said.resolve, FAST),
  ];
  expect(await said.promise).toMatch(/is also served by container [ab]\. Stop one of them at once/);
  for (const end of ends) await end();
});
