import { randomUUID } from 'node:crypto';
import { readFile, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EmbeddedDatabaseError, OTHER_DATABASE, systemCode } from './error.ts';

/**
 * Two containers, or two machines, on one data folder do not see each other's processes, and two servers on it
 * destroy it. So whoever serves the folder writes a file in it again and again, and a start from another place first
 * watches whether that file changes. No clocks are compared, and what a killed process left behind delays a start
 * elsewhere only by the watch, and one in the same place not at all.
 */
export const BEAT_FILE = 'in-use';
export const BEAT_DRAFT = 'in-use.new';

export interface BeatTimes {
  readonly everyMs: number;
  /** Several beats, because a network volume shows them late. */
  readonly watchMs: number;
}

export const BEAT_TIMES: BeatTimes = { everyMs: 2_000, watchMs: 10_000 };

interface Beat {
  readonly place: string;
  /** Changes with every beat. */
  readonly text: string;
}

/** Within one place, processes are seen by their numbers. */
export async function placeNow(): Promise<string> {
  const namespace = await readlink('/proc/self/ns/pid').catch(() => '');
  return `${hostname()} ${namespace}`.trim();
}

/** Throws: `EmbeddedDatabaseError` if somebody elsewhere serves the folder. */
export async function requireNoOtherPlace(
  folder: string,
  place: string,
  {
    log,
    times = BEAT_TIMES,
  }: { readonly log?: (line: string) => void; readonly times?: BeatTimes },
): Promise<void> {
  const first = await readBeat(folder);
  if (first === undefined || first.place === place) return;
  const { everyMs, watchMs } = times;
  log?.(`Watching for ${watchMs / 1000} s whether ${folder} is served by ${first.place}`);
  for (let watchedMs = 0; watchedMs < watchMs; watchedMs += everyMs) {
    await delay(everyMs);
    const now = await readBeat(folder);
    if (now === undefined) return;
    if (now.text === first.text) continue;
    throw new EmbeddedDatabaseError(
      `Malipo is already running on ${folder}, on another machine or in another container (${now.place}).\nStop it there, or set DATA_DIR to another folder. ${OTHER_DATABASE}`,
    );
  }
}

/** Shows that the folder is served from here, until the returned function is called. */
export async function startBeat(
  folder: string,
  place: string,
  log: (line: string) => void,
  { everyMs }: BeatTimes = BEAT_TIMES,
): Promise<() => Promise<void>> {
  const run = randomUUID();
  let count = 0;
  let isOther = false;
  const beat = async (): Promise<void> => {
    const found = count === 0 ? undefined : await readBeat(folder);
    // Two starts in one place see each other, and one of them ends.
    if (found !== undefined && found.place !== place && !isOther) {
      isOther = true;
      log(`ERROR: ${folder} is also served by ${found.place}. Stop one of them at once.`);
    }
    count += 1;
    // Renamed into place, so that a reader never sees half a file.
    await writeFile(path.join(folder, BEAT_DRAFT), `${place}\n${run}\n${count}\n`);
    await rename(path.join(folder, BEAT_DRAFT), path.join(folder, BEAT_FILE));
  };
  // A full disk or a volume that is away: the server says so itself.
  const tried = async (): Promise<void> => await beat().catch(() => undefined);
  let last = tried();
  await last;
  const timer = setInterval(() => {
    last = tried();
  }, everyMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await last;
    if (!isOther) await rm(path.join(folder, BEAT_FILE), { force: true }).catch(() => undefined);
  };
}

/** Undefined: nobody has written one. */
async function readBeat(folder: string): Promise<Beat | undefined> {
  try {
    const text = await readFile(path.join(folder, BEAT_FILE), 'utf8');
    const [place = ''] = text.split('\n');
    return { place, text };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
