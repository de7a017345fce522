import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { Command } from 'commander';

/**
 * `npm run audit`: writes the bill of materials (CycloneDX, from the lock file) and queries the
 * registry for known vulnerabilities. Ends with one JSON line. Exits with 1 if there is a high or
 * critical one, with 2 if the registry could not be queried.
 */

const MAX_BYTES = 64 * 1024 * 1024;
const LONGEST_MS = 120_000;

const options = new Command('audit')
  .description('Write the bill of materials, and ask the registry for known vulnerabilities.')
  .option('--sbom <file>', 'where the bill of materials goes', 'sbom.cdx.json')
  .option('--offline', 'only write the bill of materials')
  .parse()
  .opts<{ sbom: string; offline?: true }>();

interface Bill {
  readonly components: readonly object[];
}

interface AuditReport {
  readonly metadata?: { readonly vulnerabilities: Readonly<Record<string, number>> };
  readonly message?: string;
}

const bill = await npm(['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only']);
const { components } = JSON.parse(bill) as Bill;
await writeFile(options.sbom, bill);
const made = { sbom: options.sbom, components: components.length };

if (options.offline) finish({ ...made, asked: false });
else await ask();

async function ask(): Promise<void> {
  const report = readReport(await npm(['audit', '--json', '--package-lock-only']));
  const vulnerabilities = report.metadata?.vulnerabilities;
  if (vulnerabilities === undefined) {
    const reason = report.message ?? 'its answer was no report';
    process.stderr.write(
      `The registry could not be asked for vulnerabilities: ${reason}\nUse a registry that answers audits (npm config set registry …), or --offline for the bill of materials alone.\n`,
    );
    process.exitCode = 2;
    finish({ ...made, asked: false, reason });
    return;
  }
  if ((vulnerabilities['high'] ?? 0) + (vulnerabilities['critical'] ?? 0) > 0) process.exitCode = 1;
  finish({ ...made, asked: true, vulnerabilities });
}

function readReport(text: string): AuditReport {
  try {
    return JSON.parse(text) as AuditReport;
  } catch {
    return {};
  }
}

function finish(result: object): void {
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

/** The output of npm, also if it exits with a failure, as it does when it finds a vulnerability. */
async function npm(args: readonly string[]): Promise<string> {
  try {
    const limits = { maxBuffer: MAX_BYTES, timeout: LONGEST_MS };
    return (await promisify(execFile)('npm', args, limits)).stdout;
  } catch (error) {
    const { stdout } = error as { stdout?: string };
    if (stdout !== undefined && stdout !== '') return stdout;
    throw error;
  }
}
