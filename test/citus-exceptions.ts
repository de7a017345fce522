/** The tests run on a cluster (`npm run citus:test`). */
export const ON_CITUS = (process.env['CITUS_URL'] ?? '') !== '';

/** Test files of the suites that run on a cluster too which cannot, each with its reason. */
export const NOT_ON_CITUS: Readonly<Record<string, string>> = {
  'test/integration/backup.test.ts': 'a cluster is backed up with its own tools',
  'test/integration/cli-embedded.test.ts': 'the embedded database',
  'test/integration/embedded.test.ts': 'the embedded database',
  'test/integration/embedded-folder.test.ts': 'the embedded database',
  'test/integration/embedded-root.test.ts': 'the embedded database',
  'test/integration/embedded-takeover.test.ts': 'the embedded database',
  'test/integration/embedded-test-cluster.test.ts': 'the embedded database',
  'test/integration/migrate.test.ts': 'makes databases and roles',
  'test/integration/runtime-role.test.ts': 'the role of the cluster is the only one',
  'test/integration/schema-functions.test.ts': 'makes databases of other releases',
  'test/integration/session-settings.test.ts': 'the role of the cluster has no hostile settings',
  'test/e2e/killed.test.ts': 'kills the embedded database',
  'test/e2e/restore-drill.test.ts': 'a cluster is backed up with its own tools',
  'test/e2e/roles.test.ts': 'makes roles',
  'test/e2e/start.test.ts': 'the embedded database',
};
