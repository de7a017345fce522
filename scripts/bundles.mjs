import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

// Plain JavaScript: `prepare-node.mjs` imports it before it has checked the version of Node.

/** The libraries that the service and every command load at a start: each specifier that our code imports. */
export const BUNDLED = [
  '@fastify/cookie',
  '@fastify/static',
  '@opentelemetry/api',
  'aws4fetch',
  'commander',
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
/**
 * In that folder: `specifiers`, `packages` (versions by place in the root) and `files` (bytes by name).
 */
export const CONTENTS = 'contents.json';

/**
 * The name of a specifier’s file.
 * @param {string} specifier
 */
export function fileName(specifier) {
  return `${specifier.replaceAll('/', '_')}.mjs`;
}

/**
 * Versions by place in the root, of all packages with one of these names that npm has installed, except those for
 * development only. A package may be installed in several places.
 * @param {string} root
 * @param {ReadonlySet<string>} names
 * @returns {Record<string, string>}
 */
export function installedVersions(root, names) {
  const { packages } = readJson(path.join(root, 'node_modules/.package-lock.json'));
  const places = Object.entries(packages).filter(
    ([place, { dev, devOptional }]) => !dev && !devOptional && names.has(nameAt(place)),
  );
  return Object.fromEntries(places.map(([place, { version }]) => [place, version]));
}

/**
 * The name of the package at a place.
 * @param {string} place such as `node_modules/pg`
 * @returns {string}
 */
export function nameAt(place) {
  return place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/**
 * URLs by specifier. Empty unless the bundles are complete, have exactly these specifiers, and every package in
 * them is installed in the same versions as when they were made.
 * @param {string} root
 * @returns {Map<string, string>}
 */
export function findBundles(root) {
  try {
    const folder = path.join(root, FOLDER);
    if (!isCurrent(readJson(path.join(folder, CONTENTS)), root)) return new Map();
    const urlOf = (specifier) => pathToFileURL(path.join(folder, fileName(specifier))).href;
    return new Map(BUNDLED.map((specifier) => [specifier, urlOf(specifier)]));
  } catch {
    // They only save time.
    return new Map();
  }
}

function isCurrent({ specifiers, packages, files }, root) {
  const names = new Set(Object.keys(packages).map(nameAt));
  const installed = installedVersions(root, names);
  const sizeOf = (name) => statSync(path.join(root, FOLDER, name)).size;
  return (
    String(specifiers) === String(BUNDLED) &&
    Object.keys(installed).length === Object.keys(packages).length &&
    Object.entries(packages).every(([place, version]) => installed[place] === version) &&
    Object.entries(files).every(([name, bytes]) => sizeOf(name) === bytes)
  );
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
