// `npm ci` runs this. A sixth of what packages contain is read by no program: source maps and TypeScript sources of
// what is there as JavaScript, manuals, and the C++ headers beside the project's own Node, which are only needed to
// compile native add-ons. The project has none. Plain JavaScript, because the Node that runs npm may be too old for
// TypeScript.
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';

const MAP = /\.map$/;
const SOURCE = /(?<!\.d)\.[cm]?ts$/;
/** Licences and notices stay. */
const MANUAL = /^(?:readme|changelog|changes|history|contributing|upgrading|migration)\b.*\.md$/i;
const HEADERS = /\/node-[a-z]+-[a-z0-9]+\/include$/;

removeIn(path.join(import.meta.dirname, '../node_modules'));

function removeIn(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const { name } = entry;
    const file = path.join(folder, name);
    if (entry.isDirectory() && !HEADERS.test(file)) removeIn(file);
    else if (entry.isDirectory()) rmSync(file, { recursive: true });
    else if (MAP.test(name) || SOURCE.test(name) || MANUAL.test(name)) rmSync(file);
  }
}
