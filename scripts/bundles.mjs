import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

// Plain JavaScript: `prepare-node.mjs` imports it before it has checked the version of Node.

/** The libraries that every start loads, by each specifier of theirs that our code imports. */
export const BUNDLED = [
  '@fastify/cookie',
  '@fastify/static',
  '@opentelemetry/api',
  'aws4fetch',
  'commander',
  'csv-parse',
  'fastify',
  'jsonata',
  'otpauth',
  'pg',
  'pino',
  'prom-client',
  'sax',
  'standardwebhooks',
  'typebox',
  'typebox/schema',
  'undici',
  'uuid',
  'yazl',
];

/** In the root of the project: the bundles, complete or absent. */
export const FOLDER = 'dist/bundles';
/** In that folder: the specifiers, and the packages that are in their files, as places in the root and versions. */
export const CONTENTS = 'contents.json';

/**
 * The name of a specifier’s file.
 * @param {string} specifier
 */
export function fileName(specifier) {
  return `${specifier.replaceAll('/', '_')}.mjs`;
}

/**
 * The version of the package that is installed at this place in the root. Undefined: there is none that can be read.
 * @param {string} root
 * @param {string} place
 * @returns {string | undefined}
 */
export function versionAt(root, place) {
  return readJson(path.join(root, place, 'package.json'))?.version;
}

/**
 * URLs by specifier. Empty unless the bundles have exactly these specifiers, and every package in them is
 * installed in the same version.
 * @param {string} root
 * @returns {Map<string, string>}
 */
export function findBundles(root) {
  const folder = path.join(root, FOLDER);
  const contents = readJson(path.join(folder, CONTENTS));
  if (contents === undefined || !isCurrent(contents, root)) return new Map();
  const urlOf = (specifier) => pathToFileURL(path.join(folder, fileName(specifier))).href;
  return new Map(BUNDLED.map((specifier) => [specifier, urlOf(specifier)]));
}

function isCurrent({ specifiers, packages }, root) {
  return (
    String(specifiers) === String(BUNDLED) &&
    Object.entries(packages).every(([place, version]) => versionAt(root, place) === version)
  );
}

/** Undefined: it cannot be read. */
function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
