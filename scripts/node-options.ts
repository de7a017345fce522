/**
 * Options of Node with which the npm scripts, the systemd units and the image start every program. All have the same, because V8 uses code that it compiled before only with the options of that time. Half of the garbage collections
 * of V8’s usual 16 MB for young objects see requests that are still unanswered, and copy them.
 */
export const NODE_OPTIONS: readonly string[] = [
  '--max-semi-space-size=64',
  '--import',
  new URL('prepare-node.mjs', import.meta.url).href,
];
