import { execFile, spawnSync } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const BRIDGE = path.resolve(import.meta.dirname, '../../clients/php-laravel/test/bridge.php');
const NEEDS =
  'foreach (["Config", "Container", "Http"] as $part) is_file("/usr/share/php/Illuminate/$part/autoload.php") || exit(1);';
const hasLaravel = spawnSync('php', ['-r', NEEDS], { stdio: 'ignore' }).status === 0;

const ENVIRONMENT = {
  MALIPO_URL: 'http://127.0.0.1:9',
  MALIPO_VID: 'demo',
  MALIPO_KEY: 'demo-security-key',
  MALIPO_WEBHOOK_SECRET: `whsec_${Buffer.from('a secret for this test only').toString('base64')}`,
};

test.skipIf(!hasLaravel)(
  'Laravel gets the client from the environment, and genuine events only (skipped without Debian’s php-illuminate-config, -container and -http)',
  async () => {
    const env = { PATH: process.env['PATH'], ...ENVIRONMENT };
    const { stdout } = await run('php', [BRIDGE], { env });
    expect(JSON.parse(stdout)).toEqual({
      client: 'Malipo\\Malipo',
      events: [
        [200, 'webhook.test'],
        [401, ''],
      ],
    });
  },
);
