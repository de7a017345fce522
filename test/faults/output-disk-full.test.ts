import { open } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { requireRoom } from '../../src/cli/room.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { mountSmallVolume } from './small-volume.ts';

test('a command whose answer goes to a full disk does nothing, so that no new key is lost', async (context) => {
  const folder = await makeTemporaryFolder();
  const volume = await mountSmallVolume(path.join(folder, 'volume'), 1);
  const file = await open(path.join(volume.folder, 'answer.txt'), 'a');
  try {
    if (!volume.isSmall) context.skip();
    const stdout = { fd: file.fd, write: () => true };
    requireRoom(stdout);
    await volume.fill();
    expect(() => requireRoom(stdout)).toThrow('nothing was done');
    await volume.empty();
    requireRoom(stdout);
  } finally {
    await file.close();
    await volume.unmount();
    await removeFolder(folder);
  }
});
