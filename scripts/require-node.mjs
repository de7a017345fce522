// Preloaded by the npm scripts. Plain JavaScript, so that a Node too old to run TypeScript can say so.
const NEEDED = [24, 7];
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < NEEDED[0] || (major === NEEDED[0] && minor < NEEDED[1])) {
  process.stderr.write(
    `Malipo needs Node.js ${NEEDED.join('.')} or newer; this is ${process.versions.node}.\n` +
      'On Linux `npm ci` installs Node.js 24 in the project, and `npm start` runs on it.\n',
  );
  process.exit(1);
}
