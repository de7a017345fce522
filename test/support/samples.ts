import { execFile, spawnSync } from 'node:child_process';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
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

/** A folder of a reader who has followed the preparation and saved the samples of some tasks. */
export class SampleFolder {
  readonly #language: Language;
  readonly #folder: string;
  readonly #origin: string;

  private constructor(language: Language, folder: string, origin: string) {
    this.#language = language;
    this.#folder = folder;
    this.#origin = origin;
  }

  static async prepare(language: Language, folder: string, origin: string): Promise<SampleFolder> {
    const prepared = new SampleFolder(language, folder, origin);
    await mkdir(folder, { recursive: true });
    await prepared.save('shop');
    await INSTALL[language.extension]?.(folder);
    return prepared;
  }

  /** Saves the sample of a task, after some of its text was replaced. Returns its command. */
  async save(task: string, replaced: Readonly<Record<string, string>> = {}): Promise<string> {
    const file = await sampleFile(task, this.#language);
    const saved = path.join(this.#folder, path.basename(file));
    await writeFile(saved, replaceAll(await readFile(file, 'utf8'), replaced));
    return await commandOf(file);
  }

  /** What a sample prints, after its command’s arguments were replaced. */
  async output(
    task: string,
    replaced: Readonly<Record<string, string>> = {},
    origin = this.#origin,
  ): Promise<string> {
    const command = replaceAll(await this.save(task), replaced);
    const { stdout } = await this.run(command, { MALIPO_URL: origin });
    return stdout.trim();
  }

  async run(
    command: string,
    env: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly stdout: string; readonly stderr: string }> {
    return await run('bash', ['-c', command], {
      cwd: this.#folder,
      env: { ...PATHS_OF_SAMPLES, ...env },
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
