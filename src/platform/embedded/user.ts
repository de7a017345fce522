import { execFile, spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { EmbeddedDatabaseError, OTHER_DATABASE } from './error.ts';
import { PLAIN_ENVIRONMENT } from './process.ts';

const run = promisify(execFile);

/** The user that PostgreSQL runs as when we are root, because it refuses to run as root. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

const DEFAULT_USER = 'postgres';
const NO_LOGIN = ['--system', '--no-create-home', '--shell', '/usr/sbin/nologin'];

/** Commands that create a system user, tried in turn: shadow-utils, the same with an old group, busybox. */
function creators(name: string): readonly (readonly string[])[] {
  return [
    ['useradd', ...NO_LOGIN, '--user-group', name],
    ['useradd', ...NO_LOGIN, '--gid', name, name],
    ['adduser', '-S', '-D', '-H', '-s', '/sbin/nologin', name],
  ];
}

/**
 * The user for the server, or undefined when we are not root and it runs as ourselves. An existing
 * data folder keeps its owner; otherwise the user is `postgres`, created if missing.
 * Throws: `EmbeddedDatabaseError` when the user does not exist and cannot be created.
 */
export async function findServerUser(
  dataFolder: string,
  name = DEFAULT_USER,
): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(dataFolder).catch(() => undefined);
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const existing = await lookUp(name);
  if (existing !== undefined) return existing;
  const complaints: string[] = [];
  for (const [command = '', ...args] of creators(name)) {
    await run(command, args, { env: PLAIN_ENVIRONMENT }).catch((error: Error) => {
      complaints.push(error.message.trim());
    });
    // Another process may have created it at the same time, so the error alone says nothing.
    const created = await lookUp(name);
    if (created !== undefined) return created;
  }
  throw new EmbeddedDatabaseError(
    `PostgreSQL refuses to run as root, and the user “${name}” to run it as could not be created (${complaints.join('; ')}).\nCreate that user, or start the service as an ordinary user. ${OTHER_DATABASE}`,
  );
}

async function lookUp(name: string): Promise<ServerUser | undefined> {
  const read = async (flag: string): Promise<number> => {
    const { stdout } = await run('id', [flag, name], { env: PLAIN_ENVIRONMENT });
    return Number(stdout);
  };
  try {
    return { uid: await read('-u'), gid: await read('-g') };
  } catch {
    return undefined;
  }
}

/** True if the `test` command, run by a shell as that user, succeeds; `$1` in it is `argument`. */
export async function holdsFor(user: ServerUser, test: string, argument: string): Promise<boolean> {
  const options = { env: PLAIN_ENVIRONMENT, cwd: '/', uid: user.uid, gid: user.gid };
  return await run('/bin/sh', ['-c', test, 'sh', argument], options).then(
    () => true,
    () => false,
  );
}

export type ServerProcess = ChildProcessByStdio<null, Readable, Readable>;

interface LaunchOptions {
  /**
   * The signal that the kernel sends the program when our process dies, on systems that can do
   * that.
   */
  readonly deathSignal: 'INT' | 'KILL';
  /** Start it in its own process group, if it would still end with us. Default: our group. */
  readonly ownProcessGroup?: boolean;
}

/** Starts PostgreSQL's programs as the right user. */
export type Launch = (
  program: string,
  args: readonly string[],
  options: LaunchOptions,
) => ServerProcess;

const CAN_WORK_IN = 'cd "$1" && test -w .';

/**
 * Finds out how to run programs as `user` (undefined: ourselves) with access to `folder`, which
 * that user owns. If a parent folder is closed to the user, the programs get the capability to pass
 * it, and no other right of root.
 * Throws: `EmbeddedDatabaseError` when that is not possible.
 */
export async function createLaunch(user: ServerUser | undefined, folder: string): Promise<Launch> {
  const reachable = user === undefined || (await holdsFor(user, CAN_WORK_IN, folder));
  let complaint = '';
  for (const privileges of privilegeArgs(user, reachable)) {
    const probe = [...privileges, '--pdeathsig=KILL', '/bin/sh', '-c', CAN_WORK_IN, 'sh', folder];
    try {
      await run('setpriv', probe, { env: PLAIN_ENVIRONMENT, cwd: '/' });
      return (program, args, options) =>
        start('setpriv', [...privileges, `--pdeathsig=${options.deathSignal}`, program, ...args], {
          detached: options.ownProcessGroup === true,
        });
    } catch (error) {
      complaint = (error as Error).message.trim();
    }
  }
  if (reachable) return (program, args) => start(program, args, { ...user, detached: false });
  throw new EmbeddedDatabaseError(
    `PostgreSQL does not run as root, and the user it runs as (uid ${user.uid}) cannot reach ${folder}; setpriv could not give it access (${complaint}).\nSet DATA_DIR to a folder that other users can reach, such as /var/lib/malipo, or start the service as an ordinary user. ${OTHER_DATABASE}`,
  );
}

function privilegeArgs(
  user: ServerUser | undefined,
  reachable: boolean,
): readonly (readonly string[])[] {
  if (user === undefined) return [[]];
  const identity = [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'];
  if (reachable) return [identity];
  // The first suffices and grants less; containers often have only the second.
  return ['dac_read_search', 'dac_override'].map((capability) => [
    ...identity,
    `--inh-caps=+${capability}`,
    `--ambient-caps=+${capability}`,
  ]);
}

function start(
  command: string,
  args: readonly string[],
  options: { readonly uid?: number; readonly gid?: number; readonly detached: boolean },
): ServerProcess {
  return spawn(command, args, {
    ...options,
    cwd: '/',
    env: PLAIN_ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
