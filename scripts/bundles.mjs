import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

// Plain JavaScript: `prepare-node.mjs` imports it before it has checked the version of Node.

/**
 * Packages of many small modules, which are bundled, and every specifier of theirs that is imported. They have no
 * dependencies: their version says whether a bundle is current.
 */
export const BUNDLED = {
  typebox: ['typebox', 'typebox/schema'],
  '@opentelemetry/api': ['@opentelemetry/api'],
  uuid: ['uuid'],
};

/**
 * The folder for the bundle of a package as it is installed. That of another version is another folder.
 * Throws: if the package is not installed.
 * @param {string} root
 * @param {string} name
 * @returns {string}
 */
export function folderOf(root, name) {
  const file = path.join(root, 'node_modules', name, 'package.json');
  const { version } = JSON.parse(readFileSync(file, 'utf8'));
  return path.join(root, 'dist/bundles', `${fileName(name)}-${version}`);
}

/**
 * The name of a specifier’s file, without its ending.
 * @param {string} specifier
 */
export function fileName(specifier) {
  return specifier.replaceAll('/', '_');
}

/**
 * URLs by specifier. Packages without a bundle of their installed version are left out.
 * @param {string} root
 */
export function findBundles(root) {
  /** @type {Map<string, string>} */
  const found = new Map();
  for (const [name, specifiers] of Object.entries(BUNDLED)) {
    const folder = folderOf(root, name);
    const files = specifiers.map((each) => path.join(folder, `${fileName(each)}.mjs`));
    if (!files.every((file) => existsSync(file))) continue;
    for (const [at, specifier] of specifiers.entries()) {
      found.set(specifier, pathToFileURL(files[at]).href);
    }
  }
  return found;
}
