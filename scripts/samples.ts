import { globSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '..');
const GUIDES = ['docs/guide', 'docs/sw'];
const SAMPLES = path.join(ROOT, 'docs/guide/samples');

/** By the end of a file’s name: its label, in this order, and the language of its code. */
const LANGUAGES: ReadonlyMap<string, { readonly label: string; readonly fence: string }> = new Map([
  ['.sh', { label: 'curl', fence: 'bash' }],
  ['.php', { label: 'PHP', fence: 'php' }],
  ['.mts', { label: 'TypeScript', fence: 'ts' }],
  ['.py', { label: 'Python', fence: 'python' }],
  ['.java', { label: 'Java', fence: 'java' }],
]);

const MARKED = /^<!-- samples: (\S+) -->$[\s\S]*?^<!-- \/samples -->$/gm;

/** The guides that show samples, with the samples as they should be now. */
export async function guidesWithSamples(): Promise<{ name: string; text: string }[]> {
  const names = GUIDES.flatMap((folder) => globSync(`${folder}/*.md`, { cwd: ROOT }));
  const pages = await Promise.all(
    names.map(async (name) => ({ name, text: await readFile(path.join(ROOT, name), 'utf8') })),
  );
  const withSamples = pages.filter(({ text }) => text.match(MARKED) !== null);
  return await Promise.all(
    withSamples.map(async ({ name, text }) => ({ name, text: await withCurrentSamples(text) })),
  );
}

/**
 * Between `<!-- samples: pay -->` and `<!-- /samples -->`: the files of `samples/pay`, each with the label
 * of its language. With the name of a file (`pay/pay.php`): this one, without a label.
 *
 * Throws: an error if a marker names nothing.
 */
export async function withCurrentSamples(page: string): Promise<string> {
  const names = [...page.matchAll(MARKED)].map(([, name = '']) => name);
  const blocks = new Map(
    await Promise.all(names.map(async (name) => [name, await samplesOf(name)] as const)),
  );
  return page.replaceAll(
    MARKED,
    (_, name: string) => `<!-- samples: ${name} -->\n\n${blocks.get(name)}\n\n<!-- /samples -->`,
  );
}

async function samplesOf(name: string): Promise<string> {
  const file = path.join(SAMPLES, name);
  if (path.extname(name) !== '') return await fenceOf(file);
  const files = await readdir(file);
  const blocks = [...LANGUAGES].flatMap(([extension, { label }]) =>
    files
      .filter((each) => path.extname(each) === extension)
      .map(async (each) => `${label}:\n\n${await fenceOf(path.join(file, each))}`),
  );
  return (await Promise.all(blocks)).join('\n\n');
}

async function fenceOf(file: string): Promise<string> {
  const code = await readFile(file, 'utf8');
  return `\`\`\`${LANGUAGES.get(path.extname(file))?.fence ?? ''}\n${code.trimEnd()}\n\`\`\``;
}
