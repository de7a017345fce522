import { readFileSync, readdirSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

export const ROOT = path.resolve(import.meta.dirname, '../..');
const FOLDER = path.join(ROOT, 'deploy/image');

interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** A stage of the Dockerfile. */
interface Stage {
  readonly base: string;
  readonly name: string | undefined;
  readonly instructions: readonly Instruction[];
}

/** The stages of `deploy/image/Dockerfile`, with continued lines joined and comments left out. */
export function readStages(): Stage[] {
  const text = readFileSync(path.join(FOLDER, 'Dockerfile'), 'utf8')
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '');
  const stages: { base: string; name: string | undefined; instructions: Instruction[] }[] = [];
  for (const line of text.split('\n').filter((one) => one.trim() !== '')) {
    const [, name = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    const from = /^(\S+)(?: AS (\S+))?$/.exec(rest);
    if (name === 'FROM') stages.push({ base: from?.[1] ?? '', name: from?.[2], instructions: [] });
    else stages.at(-1)?.instructions.push({ name, text: rest });
  }
  return stages;
}

export function stageNamed(name: string | undefined): Stage {
  const found = readStages().findLast((stage) => stage.name === name);
  if (found === undefined) throw new Error(`the Dockerfile has no stage ${name}`);
  return found;
}

/** The text of the only instruction of this name in the final stage. */
export function finalInstruction(name: string): string {
  const found = stageNamed(undefined).instructions.filter((one) => one.name === name);
  if (found.length !== 1) throw new Error(`${found.length} instructions ${name}`);
  return found[0]?.text ?? '';
}

/** Where the image keeps what the database was like when it was last used. */
export function witnessFolder(): string {
  return /DATABASE_WITNESS=(\S+)/.exec(finalInstruction('ENV'))?.[1] ?? '';
}

/** What a stage copies: from another stage, or from the repository. */
export interface Copied {
  readonly stage: string | undefined;
  readonly sources: readonly string[];
  readonly target: string;
}

export function copiedInto(stageName: string): Copied[] {
  return stageNamed(stageName)
    .instructions.filter(({ name }) => name === 'COPY')
    .map(({ text }) => {
      const words = text.split(/\s+/);
      const stage = words[0]?.startsWith('--from=') ? words.shift()?.slice(7) : undefined;
      const target = words.pop() ?? '';
      return { stage, sources: words.map((word) => word.replace(/^\/app\//, '')), target };
    });
}

/** Rules of the ignore file, in their order: the last one that matches a file decides. */
function readIgnoreRules(): { readonly pattern: string; readonly keeps: boolean }[] {
  const text = readFileSync(path.join(FOLDER, 'Dockerfile.dockerignore'), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ pattern: line.replace(/^!/, ''), keeps: line.startsWith('!') }));
}

/** The repository's files that the ignore file lets into the build. */
export function buildContext(): string[] {
  const rules = readIgnoreRules();
  const isKept = (file: string): boolean => {
    // A rule about a folder is about everything in it.
    const paths = file.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'));
    const rule = rules.findLast(({ pattern }) =>
      paths.some((one) => path.matchesGlob(one, pattern)),
    );
    return rule?.keeps ?? true;
  };
  return listFiles('').filter(isKept);
}

/** Never part of the repository. */
const PRUNED = /^(?:\.git|\.data|node_modules)$/;

function listFiles(folder: string): string[] {
  const entries = readdirSync(path.join(ROOT, folder), { withFileTypes: true });
  return entries.flatMap((entry) => {
    const name = path.join(folder, entry.name);
    if (PRUNED.test(entry.name)) return [];
    return entry.isDirectory() ? listFiles(name) : [name];
  });
}

/**
 * What a stage copies of the repository: its files there, and each one's file here.
 * Throws if a source is not in the build.
 */
function filesOf(name: string): ReadonlyMap<string, string> {
  const context = buildContext();
  const files = new Map<string, string>();
  const copied = copiedInto(name).filter(({ stage }) => stage === undefined);
  for (const { sources, target } of copied) {
    for (const source of sources) {
      const folder = `${path.normalize(source)}/`;
      const found = context.filter(
        (file) => path.matchesGlob(file, source) || file.startsWith(folder),
      );
      if (found.length === 0) throw new Error(`COPY ${source}: not in the build`);
      for (const file of found) {
        // As COPY does it: the content of a folder goes into the target.
        const isIn = file.startsWith(folder);
        const rest = isIn ? path.relative(folder, file) : path.basename(file);
        const isFolder = isIn || target.endsWith('/');
        files.set(path.normalize(isFolder ? path.join(target, rest) : target), file);
      }
    }
  }
  return files;
}

/** Programs of their own, and the configuration with which an editor reads a page. */
const SEPARATE = /(?:^|\/)(?:docs\/guide\/samples|reference\/page)\//;
/** Only `npm start` loads it. */
const SANDBOX = 'sandbox/start.ts';

/**
 * Relative modules and base configurations that a file of a stage names and that are not in the stage, as
 * `file: name`.
 */
export function missingModules(stage: string): string[] {
  const files = filesOf(stage);
  return [...files]
    .filter(([file]) => /\.(?:m?[jt]sx?|json)$/.test(file) && !SEPARATE.test(file))
    .flatMap(([file, source]) => {
      const text = readFileSync(path.join(ROOT, source), 'utf8');
      const named = file.endsWith('.json')
        ? text.matchAll(/"extends": "(\.[^"]+)"/g)
        : text.matchAll(/(?:^(?:import|export)\b[^;'`]*?from |^import |\bimport\()'(\.[^']+)'/gm);
      return [...named]
        .map(([, name = '']) => path.join(path.dirname(file), name.replace(/\?\w+$/, '')))
        .filter((name) => name !== SANDBOX && !files.has(name))
        .map((name) => `${file}: ${name}`);
    })
    .toSorted();
}

interface Locked {
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
  readonly link?: boolean;
}

/** Folders of the libraries that `npm ci --omit=dev --omit=optional` installs, by the lock file. */
export async function shippedLibraries(): Promise<string[]> {
  const text = await readFile(path.join(ROOT, 'package-lock.json'), 'utf8');
  const { packages } = JSON.parse(text) as { packages: Readonly<Record<string, Locked>> };
  return Object.entries(packages)
    .filter(([folder]) => folder.startsWith('node_modules/'))
    .filter(([, one]) => !one.dev && !one.optional && !one.devOptional && !one.link)
    .map(([folder]) => folder);
}

/** Makes the tree of the image below `folder`, from what is installed here. */
export async function assembleTree(folder: string): Promise<void> {
  for (const { stage, sources, target } of copiedInto('tree')) {
    for (const source of sources) {
      // Written by the stage `libraries` from the lock file.
      if (source === 'sbom.cdx.json') continue;
      const into = target.endsWith('/') ? path.join(target, path.basename(source)) : target;
      if (stage === 'libraries') await copyLibraries(folder);
      // As COPY does it: the content of a folder goes into the target.
      else await cp(path.join(ROOT, source), path.join(folder, into), { recursive: true });
    }
  }
}

async function copyLibraries(folder: string): Promise<void> {
  const nested = /\/node_modules(\/|$)/;
  const shipped = await shippedLibraries();
  for (const library of shipped) {
    const from = path.join(ROOT, library);
    await mkdir(path.join(folder, library), { recursive: true });
    // Libraries within libraries are listed themselves, and may be for development only.
    await cp(from, path.join(folder, library), {
      recursive: true,
      filter: (source) => !nested.test(source.slice(from.length)),
    });
  }
  await writeInstalled(folder, shipped);
}

/** As npm does it: which packages it has installed. */
async function writeInstalled(folder: string, places: readonly string[]): Promise<void> {
  const file = 'node_modules/.package-lock.json';
  const { packages } = JSON.parse(await readFile(path.join(ROOT, file), 'utf8')) as {
    packages: Readonly<Record<string, Locked>>;
  };
  const installed = Object.fromEntries(places.map((place) => [place, packages[place]]));
  await writeFile(path.join(folder, file), JSON.stringify({ packages: installed }));
}
