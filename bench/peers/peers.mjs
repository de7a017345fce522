// Found in the node_modules of this folder, which the dispatch bench installs.
export { makeWorkerUtils, run } from 'graphile-worker';
export { PgBoss } from 'pg-boss';
