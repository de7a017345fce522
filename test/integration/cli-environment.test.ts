import { describe, expect, it } from 'vitest';
import { inProcess, malipo, withInput } from './cli-support.ts';

describe('the environment', () => {
  it('all mistakes in the environment are reported at once', async () => {
    const wrong = await malipo({ PORT: 'x', TIME_ZONE: 'Mars/Olympus' }, 'vendor', 'list');
    expect(wrong).toMatchObject({ exitCode: 1, stdout: '' });
    expect(wrong.stderr).toContain('PORT');
    expect(wrong.stderr).toContain('TIME_ZONE');
  });

  it('names a database that cannot be reached, but not its password', async () => {
    const url = 'postgres://someone:hidden-word@127.0.0.1:1/malipo';
    const failed = await malipo({ DATABASE_URL: url }, 'vendor', 'list');
    expect(failed).toMatchObject({ exitCode: 1, stdout: '' });
    expect(failed.stderr).toContain('The database cannot be reached (ECONNREFUSED)');
    expect(failed.stderr).not.toContain('hidden-word');
  });

  it('help does not need the environment', async () => {
    const help = await malipo({ PORT: 'x' }, '--help');
    expect(help).toMatchObject({ exitCode: 0, stderr: '' });
    expect(help.stdout).toContain('ledger');
    const ofCommand = await withInput('', { PORT: 'x' }, 'help', 'vendor');
    expect(ofCommand.stdout).toContain('rotate-key');
    expect((await inProcess({}, '--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
