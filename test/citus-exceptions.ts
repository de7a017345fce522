/**
 * The databases of a cluster to test on, each as its owner (`npm run citus:test`): as many test files run
 * at a time. None: the tests run on one PostgreSQL.
 */
export const CITUS_URLS: readonly string[] = (process.env['CITUS_URL'] ?? '')
  .split(/\s+/)
  .filter((url) => url !== '');

/** Test files that cannot run on a cluster, although their suites do, each with its reason. */
export const NOT_ON_CITUS: Readonly<Record<string, string>> = {
  'test/integration/backup.test.ts': 'a cluster is backed up with its own tools',
  ...(CITUS_URLS.length > 1 && {
    'test/integration/cluster-worker.test.ts':
      'ends a worker of all databases; it runs when CITUS_URL names one',
  }),
  'test/integration/cli-embedded.test.ts': 'the embedded database',
  'test/integration/database-history.test.ts': 'the history of one server',
  'test/integration/embedded.test.ts': 'the embedded database',
  'test/integration/embedded-folder.test.ts': 'the embedded database',
  'test/integration/embedded-root.test.ts': 'the embedded database',
  'test/integration/embedded-takeover.test.ts': 'the embedded database',
  'test/integration/embedded-test-cluster.test.ts': 'the embedded database',
  'test/integration/migrate.test.ts': 'makes databases and roles',
  'test/integration/case-proposals-upgrade.test.ts': 'makes a database of another release',
  'test/integration/console-plans.test.ts': 'statements on a cluster have plans of their own',
  'test/integration/plans.test.ts': 'statements on a cluster have plans of their own each time',
  'test/integration/rare-rows.test.ts': 'statements on a cluster have plans of their own',
  'test/integration/runtime-role.test.ts': 'the role of the cluster is the only one',
  'test/integration/schema-functions.test.ts': 'makes databases of other releases',
  'test/integration/session-settings.test.ts': 'the role of the cluster has no hostile settings',
  'test/integration/settle-growth.test.ts': 'reads the statistics of its own connection',
  'test/e2e/killed.test.ts': 'kills the embedded database',
  'test/e2e/restore-drill.test.ts': 'a cluster is backed up with its own tools',
  'test/e2e/roles.test.ts': 'makes roles',
  'test/e2e/start.test.ts': 'the embedded database',
};
