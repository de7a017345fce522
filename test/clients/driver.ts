import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import path from 'node:path';

const CLIENTS = path.resolve(import.meta.dirname, '../../clients');

interface Subject {
  readonly command: readonly [string, ...string[]];
  /** A command that fails where the client cannot run. */
  readonly needs: readonly [string, ...string[]];
  /** What is needed, for people. */
  readonly needed: string;
}

const PHP_DRIVER = path.join(CLIENTS, 'php/test/driver.php');
const PHP_NEEDS = 'exit(PHP_VERSION_ID >= 80100 && function_exists("curl_init") ? 0 : 1);';
const PSR_NEEDS = 'exit(is_file("/usr/share/php/GuzzleHttp/autoload.php") ? 0 : 1);';
const PYTHON_NEEDS = 'import sys; sys.exit(sys.version_info < (3, 9))';
const PYTHON_DRIVER = path.join(CLIENTS, 'python/test/driver.py');
const PYTHON = { needs: ['python3', '-c', PYTHON_NEEDS], needed: 'Python 3.9' } as const;

/** Another runtime for the TypeScript client, such as `deno run -A`. */
const [RUNTIME = process.execPath, ...RUNTIME_ARGS] =
  process.env['TYPESCRIPT_RUNTIME']?.split(' ') ?? [];

const SUBJECTS = {
  typescript: {
    command: [RUNTIME, ...RUNTIME_ARGS, path.join(CLIENTS, 'typescript/test/driver.ts')],
    needs: [RUNTIME, '--version'],
    needed: RUNTIME,
  },
  php: {
    command: ['php', PHP_DRIVER],
    needs: ['php', '-r', PHP_NEEDS],
    needed: 'PHP 8.1 with curl',
  },
  'php with PSR-18': {
    command: ['php', PHP_DRIVER, '--psr'],
    needs: ['php', '-r', PSR_NEEDS],
    needed: 'Debian’s php-guzzlehttp-guzzle',
  },
  python: { command: ['python3', '-B', PYTHON_DRIVER], ...PYTHON },
  'python with asyncio': { command: ['python3', '-B', PYTHON_DRIVER, '--async'], ...PYTHON },
} as const satisfies Record<string, Subject>;

export type ClientName = keyof typeof SUBJECTS;
export const CLIENT_NAMES = Object.keys(SUBJECTS) as ClientName[];

/** Titles for a suite over all clients; a client that cannot run here says why. */
export const CLIENTS_HERE = CLIENT_NAMES.map((name) => {
  const { needs, needed }: Subject = SUBJECTS[name];
  const [program, ...args] = needs;
  const runs = spawnSync(program, args, { stdio: 'ignore', timeout: 20_000 }).status === 0;
  return { name, runs, title: runs ? name : `${name} (skipped: ${needed} was not found)` };
});

/** An error as a client throws it. */
export interface ClientError {
  readonly type: string;
  readonly code?: string;
  readonly text: string;
  readonly status?: number | null;
  readonly requestId?: string | null;
  readonly field?: string | null;
  readonly reference?: string | null;
  readonly attempts?: number;
  readonly payment?: Readonly<Record<string, unknown>> | null;
  readonly cause?: ClientError | null;
}

export type Outcome =
  | { readonly value: unknown; readonly error?: undefined }
  | { readonly error: ClientError; readonly value?: undefined };

export type Given = Readonly<Record<string, unknown>>;

/** A running test program of a client. It carries out one call after the other. */
export interface Driver {
  call(name: string, given?: Given): Promise<Outcome>;
  /** The value of a call that must succeed. */
  value<Value = Record<string, unknown>>(name: string, given?: Given): Promise<Value>;
  /** The error of a call that must fail. */
  error(name: string, given?: Given): Promise<ClientError>;
  end(): Promise<void>;
}

export function startDriver(name: ClientName): Driver {
  const [program, ...args] = SUBJECTS[name].command;
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const waiting = new Map<number, PromiseWithResolvers<Outcome>>();
  let printed = '';
  let count = 0;
  let last: Promise<unknown> = Promise.resolve();
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text));
  child.stdin.on('error', () => undefined);
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (!line.startsWith('{')) {
      printed += `${line}\n`;
      return;
    }
    const outcome = JSON.parse(line) as Outcome & { readonly id: number };
    const { id } = outcome;
    waiting.get(id)?.resolve(outcome);
    waiting.delete(id);
  });
  const closed = once(child, 'close').then(() => {
    for (const { reject } of waiting.values()) {
      reject(new Error(`the ${name} driver ended:\n${printed}`));
    }
  });
  const ask = async (call: string, given: Given): Promise<Outcome> => {
    count += 1;
    const answer = Promise.withResolvers<Outcome>();
    waiting.set(count, answer);
    child.stdin.write(`${JSON.stringify({ id: count, call, with: given })}\n`);
    return await answer.promise;
  };
  const call: Driver['call'] = async (which, given = {}) => {
    const before = last;
    const asked = before.then(async () => await ask(which, given));
    last = asked.catch(() => undefined);
    return await asked;
  };
  return {
    call,
    value: async <Value>(which: string, given?: Given) => {
      const { value, error } = await call(which, given);
      if (error !== undefined) throw new Error(`${name} ${which}: ${JSON.stringify(error)}`);
      return value as Value;
    },
    error: async (which, given) => {
      const { value, error } = await call(which, given);
      if (error === undefined) throw new Error(`${name} ${which}: ${JSON.stringify(value)}`);
      return error;
    },
    end: async () => {
      child.stdin.end();
      await closed;
    },
  };
}
