import { expect, test } from 'vitest';
import { OPEN_MS, openAmongOthers } from '../../../../src/platform/embedded/open-among-others.ts';
import {
  AlreadyRunningError,
  EmbeddedDatabaseError,
} from '../../../../src/platform/embedded/error.ts';

const MET_ANOTHER = new AlreadyRunningError('Malipo is already running');
const FAILED = new EmbeddedDatabaseError('PostgreSQL did not start');

/** Opens with these errors, one a call, and then succeeds. Each call takes the same time. */
function createOpening(errors: readonly Error[], tookMs = 0) {
  let calls = 0;
  const open = async (): Promise<string> => {
    const error = errors[calls];
    calls += 1;
    if (error !== undefined) throw error;
    return 'the database';
  };
  return { opened: openAmongOthers(open, () => calls * tookMs), calls: () => calls };
}

const repeat = (error: Error, count: number): Error[] => Array.from({ length: count }, () => error);

test.each([0, 1, 2, 5])(
  'a command opens the database although it met another start or stop %d times',
  async (times) => {
    const { opened, calls } = createOpening(repeat(MET_ANOTHER, times));
    expect(await opened).toBe('the database');
    expect(calls()).toBe(times + 1);
  },
);

test('another start that was met does not count as a start that failed', async () => {
  const { opened } = createOpening([MET_ANOTHER, FAILED, MET_ANOTHER]);
  expect(await opened).toBe('the database');
});

test('a second failed start is reported', async () => {
  const { opened, calls } = createOpening([MET_ANOTHER, FAILED, MET_ANOTHER, FAILED]);
  await expect(opened).rejects.toBe(FAILED);
  expect(calls()).toBe(4);
});

test('another one that does not end is reported after a while', async () => {
  const { opened, calls } = createOpening(repeat(MET_ANOTHER, 100), OPEN_MS / 2);
  await expect(opened).rejects.toBe(MET_ANOTHER);
  expect(calls()).toBe(3);
});

test('any other error is reported at once', async () => {
  const { opened, calls } = createOpening([new Error('something else')]);
  await expect(opened).rejects.toThrow('something else');
  expect(calls()).toBe(1);
});
