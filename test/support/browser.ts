import { access, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inflate } from '@sparticuz/chromium';
import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';

const MODULES = path.resolve(import.meta.dirname, '../../node_modules');
const PACKAGE = path.join(MODULES, '@sparticuz/chromium');
const CACHE = path.join(MODULES, '.cache/malipo');

/** The packaged Chromium is built for this only. */
export const HAS_BROWSER = process.platform === 'linux' && process.arch === 'x64';

/** Of each step in the browser. It only ends what hangs: machines differ, and run other tests too. */
export const BROWSER_TIMEOUT_MS = 90_000;

/** Chromium, with the libraries and the font it needs, all from npm packages. */
export async function startBrowser(): Promise<Browser> {
  const folder = await unpackOnce();
  await configureFonts(folder);
  return await chromium.launch({
    executablePath: path.join(folder, 'chromium'),
    // Chromium's own sandbox does not work for root, or in containers.
    args: ['--no-sandbox', '--no-zygote', '--disable-gpu', '--disable-dev-shm-usage'],
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      LD_LIBRARY_PATH: path.join(folder, 'al2023/lib'),
      FONTCONFIG_PATH: path.join(folder, 'fonts'),
    },
  });
}

/** The package is compressed; unpacking it takes seconds and 220 MB. */
async function unpackOnce(): Promise<string> {
  const { version } = JSON.parse(await readFile(path.join(PACKAGE, 'package.json'), 'utf8')) as {
    version: string;
  };
  const target = path.join(CACHE, `chromium-${version}`);
  if (await exists(target)) return target;
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(path.join(CACHE, 'unpacking-'));
  try {
    await unpackInto(folder);
    // If two processes unpack at once, the second one finds the files of the first.
    await rename(folder, target).catch(() => undefined);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return target;
}

/**
 * Uses only the package's own font, so that pages look the same everywhere. Written at every start,
 * because an existing file may be outdated, and atomically, because another process may be reading it.
 */
async function configureFonts(folder: string): Promise<void> {
  const file = path.join(folder, 'fonts/fonts.conf');
  const written = `${file}.${process.pid}`;
  await writeFile(
    written,
    `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${path.join(folder, 'fonts/fonts')}</dir>
  <cachedir>${path.join(folder, 'fonts-cache')}</cachedir>
</fontconfig>
`,
  );
  await rename(written, file);
}

async function unpackInto(folder: string): Promise<void> {
  // `inflate` writes to the folder for temporary files.
  const usual = process.env['TMPDIR'];
  process.env['TMPDIR'] = folder;
  const unpacking = ['chromium.br', 'al2023.tar.br', 'fonts.tar.br'].map(
    async (name) => await inflate(path.join(PACKAGE, 'bin', name)),
  );
  if (usual === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = usual;
  await Promise.all(unpacking);
}

async function exists(folder: string): Promise<boolean> {
  return await access(folder).then(
    () => true,
    () => false,
  );
}
