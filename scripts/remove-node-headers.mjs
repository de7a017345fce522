// `npm ci` runs this. A third of the package with the project's own Node is C++ headers, which are only
// needed to compile native add-ons. The project has none. Plain JavaScript, because the Node that runs npm
// may be too old for TypeScript.
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';

const modules = path.join(import.meta.dirname, '../node_modules');
const packages = readdirSync(modules).filter((name) => /^node-[a-z]+-[a-z0-9]+$/.test(name));
for (const name of packages) {
  rmSync(path.join(modules, name, 'include/node'), { recursive: true, force: true });
}
