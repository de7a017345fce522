import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, readdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = path.resolve(import.meta.dirname, '../..');
const SAMPLES = path.join(ROOT, 'docs/guide/samples');
const CLIENTS = path.join(ROOT, 'clients');

interface Language {
  readonly name: string;
  readonly extension: string;
  /** Fails where the samples cannot run. */
  readonly needs: string;
  /** For people. */
  readonly needed: string;
}

const LANGUAGES: readonly Language[] = [
  {
    name: 'curl',
    extension: '.sh',
    needs: 'curl --version && openssl version',
    needed: 'bash, curl or openssl',
  },
  {
    name: 'PHP',
    extension: '.php',
    needs: `php -r 'exit(PHP_VERSION_ID >= 80100 && function_exists("curl_init") ? 0 : 1);'`,
    needed: 'PHP 8.1 with curl',
  },
  { name: 'TypeScript', extension: '.mts', needs: 'true', needed: 'bash' },
  {
    name: 'Python',
    extension: '.py',
    needs: `python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))'`,
    needed: 'Python 3.9',
  },
  {
    name: 'Java',
    extension: '.java',
    needs: 'javac --release 17 --version',
    needed: 'a JDK, 17 or newer,',
  },
];

/** The languages of the samples; one that cannot run here says why. */
export const SAMPLE_LANGUAGES = LANGUAGES.map((language) => {
  const { name, needs, needed } = language;
  const runs = spawnSync('bash', ['-c', needs], { stdio: 'ignore', timeout: 30_000 }).status === 0;
  return { ...language, runs, title: runs ? name : `${name} (skipped: ${needed} was not found)` };
});

/** The environment in which a sample finds its language and its client. */
export const PATHS_OF_SAMPLES: Readonly<Record<string, string>> = {
  PATH: `${path.dirname(process.execPath)}:${process.env['PATH']}`,
  HOME: process.env['HOME'] ?? '/',
  PYTHONPATH: path.join(CLIENTS, 'python/src'),
  PYTHONDONTWRITEBYTECODE: '1',
  // A program that runs for a second does not earn back what optimizing it costs.
  JDK_JAVA_OPTIONS: '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC',
};

/** The file of a task in a language, such as `pay/pay.php`. */
export async function sampleFile(task: string, { extension }: Language): Promise<string> {
  const files = await readdir(path.join(SAMPLES, task));
  const found = files.find((file) => path.extname(file) === extension);
  if (found === undefined) throw new Error(`there is no sample of ${task} for ${extension}`);
  return path.join(SAMPLES, task, found);
}

/** The command in the first lines of a sample, with which a reader runs it. */
export async function commandOf(file: string): Promise<string> {
  const [, command] = /^(?:#|\/\/) (.+)$/m.exec(await readFile(file, 'utf8')) ?? [];
  if (command === undefined) throw new Error(`${file} does not say how to run it`);
  return command;
}

/** Whose service the samples call; as the sandbox's vendor `demo` unless somebody is named. */
interface Caller {
  readonly origin: string;
  readonly vid?: string;
  readonly key?: string;
}

/**
 * A folder of a reader who has followed the preparation and saved the samples of some tasks. Several
 * callers may use it at once.
 */
export class SampleFolder {
  readonly #language: Language;
  readonly #folder: string;
  readonly #environment: Readonly<Record<string, string>>;

  private constructor(language: Language, folder: string, { origin, vid, key }: Caller) {
    this.#language = language;
    this.#folder = folder;
    this.#environment = {
      MALIPO_URL: origin,
      ...(vid === undefined ? {} : { MALIPO_VID: vid }),
      ...(key === undefined ? {} : { MALIPO_KEY: key }),
    };
  }

  static async prepare(language: Language, folder: string, caller: Caller): Promise<SampleFolder> {
    const prepared = new SampleFolder(language, folder, caller);
    await mkdir(folder, { recursive: true });
    await prepared.save('shop');
    await INSTALL[language.extension]?.(folder);
    return prepared;
  }

  /** The same folder for another caller. */
  for(caller: Caller): SampleFolder {
    return new SampleFolder(this.#language, this.#folder, caller);
  }

  /** Saves the sample of a task, after some of its text was replaced. Returns its command. */
  async save(task: string, replaced: Readonly<Record<string, string>> = {}): Promise<string> {
    const file = await sampleFile(task, this.#language);
    const saved = path.join(this.#folder, path.basename(file));
    // At once, because another caller may be running it.
    const written = `${saved}.${randomUUID()}`;
    await writeFile(written, replaceAll(await readFile(file, 'utf8'), replaced));
    await rename(written, saved);
    return await commandOf(file);
  }

  /** What a sample prints, after its command’s arguments were replaced. */
  async output(task: string, replaced: Readonly<Record<string, string>> = {}): Promise<string> {
    const command = replaceAll(await this.save(task), replaced);
    const { stdout } = await this.run(command);
    return stdout.trim();
  }

  async run(command: string): Promise<{ readonly stdout: string; readonly stderr: string }> {
    return await run('bash', ['-c', command], {
      cwd: this.#folder,
      env: { ...PATHS_OF_SAMPLES, ...this.#environment },
      timeout: 120_000,
    });
  }

  get folder(): string {
    return this.#folder;
  }
}

/** What the installers of the languages do; the guide for PHP is tested with Composer itself. */
const INSTALL: Readonly<Record<string, (folder: string) => Promise<void>>> = {
  '.php': async (folder) => {
    await mkdir(path.join(folder, 'vendor'));
    const autoload = path.join(CLIENTS, 'php/test/autoload.php');
    await writeFile(path.join(folder, 'vendor/autoload.php'), `<?php require '${autoload}';\n`);
  },
  '.mts': async (folder) => {
    const installed = path.join(folder, 'node_modules/@malipo/client');
    await mkdir(installed, { recursive: true });
    await writeFile(
      path.join(installed, 'package.json'),
      JSON.stringify({ type: 'module', exports: './index.js' }),
    );
    const source = path.join(CLIENTS, 'typescript/src/index.ts');
    await writeFile(path.join(installed, 'index.js'), `export * from '${source}';\n`);
  },
  '.java': async (folder) => {
    await run('javac', ['Malipo.java'], { cwd: folder, timeout: 120_000 });
  },
};

function replaceAll(text: string, replaced: Readonly<Record<string, string>>): string {
  let result = text;
  for (const [from, to] of Object.entries(replaced)) {
    if (!result.includes(from)) throw new Error(`a sample has no “${from}”`);
    result = result.replaceAll(from, to);
  }
  return result;
}
