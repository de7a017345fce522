import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ERRORS, Refusal } from '../src/platform/base/errors.ts';
import type { ErrorCode } from '../src/platform/base/errors.ts';
import { VARIABLES } from '../src/environment.ts';
import type { Variable } from '../src/environment.ts';
import type { Declaration } from '../src/connectors/operator.ts';
import { declarationOf } from '../src/connectors/operators/http/declaration.ts';
import { readHttpSettings } from '../src/connectors/operators/http/settings.ts';
import type { HttpSettings } from '../src/connectors/operators/http/settings.ts';
import { DECLARATIONS } from '../src/connectors/registry.ts';
import { refusalBody } from '../src/platform/http/errors.ts';
import { COMMON_REFUSALS, codesOf, refusalsOf } from '../src/platform/http/refusals.ts';
import { contractDocument } from '../src/contract.ts';
import { DASHBOARDS, dashboardJson } from './dashboards.ts';
import { inertOperations, inertResources } from './inert-api.ts';
import { postmanCollection } from './postman/collection.ts';
import { guidesWithSamples } from './samples.ts';

const ROOT = path.resolve(import.meta.dirname, '..');

/** A generated file. */
export interface GeneratedFile {
  /** Absolute. */
  readonly file: string;
  /** Before it is formatted. */
  readonly text: string;
}

/** Every generated reference, and every guide with its samples, as it should be now; no database, no listening. */
export async function generateReference(): Promise<GeneratedFile[]> {
  const guides = await guidesWithSamples();
  const collection = await postmanCollection(openApiDocument());
  return [
    ...guides.map(({ name, text }) => generated(name, text)),
    generated('openapi.json', JSON.stringify(openApiDocument())),
    generated('docs/reference/malipo.postman_collection.json', JSON.stringify(collection)),
    generated('docs/reference/errors.md', errorsPage()),
    generated('docs/reference/environment.md', environmentPage()),
    generated('docs/operating/operators.md', operatorsPage()),
    ...DASHBOARDS.map((dashboard) =>
      generated(`deploy/grafana/${dashboard.uid}.json`, JSON.stringify(dashboardJson(dashboard))),
    ),
  ];
}

/** The OpenAPI document of the operations, with the default paths. */
export function openApiDocument(): object {
  const contract = { operations: inertOperations(), resources: inertResources() };
  return contractDocument(contract, { isSandbox: true });
}

function generated(name: string, text: string): GeneratedFile {
  return { file: path.join(ROOT, name), text };
}

function errorsPage(): string {
  const rows = Object.entries(ERRORS)
    .filter(([, entry]) => !('consoleOnly' in entry))
    .map(([code, { status, text, when }]) =>
      tableRow([`\`${code}\``, String(status), text, when, operationsWith(code as ErrorCode)]),
    );
  const example = refusalBody(new Refusal('amount_below_minimum', { field: 'amount' }), {
    requestId: '7477dc19-0156-4574-8899-9abe564c620f',
  });
  return [
    '# Error codes',
    '',
    'Generated from `src/platform/base/errors.ts` by `npm run docs`; do not edit.',
    '',
    'Every error response has an HTTP status equal to its `header_status`, never 200, and a body like this:',
    '',
    '```json',
    JSON.stringify(example, null, 2),
    '```',
    '',
    'A published `code` never changes its meaning or its status; new codes may be added. `text` is for people and may change. `field` names the parameter at fault, if there is one. Quote `request_id` when you ask for help. For account validation and the scoring operations, `status` and `text` are also at the top level. Below `/v1` the body is `{"error": {"code", "text", "field", "request_id"}}`.',
    '',
    tableRow(['Code', 'Status', 'Text', 'When it occurs, and what to do', 'Operations']),
    tableRow(['---', '---', '---', '---', '---']),
    ...rows,
    '',
  ].join('\n');
}

/** The operations that may refuse with the code. */
function operationsWith(code: ErrorCode): string {
  if (code in COMMON_REFUSALS) return 'all';
  const withCode = <Declared extends Parameters<typeof refusalsOf>[0]>(
    declared: readonly Declared[],
  ): Declared[] => declared.filter((one) => codesOf(refusalsOf(one)).includes(code));
  const resources = inertResources();
  const some = withCode(resources);
  const isEverywhere = some.length === resources.length;
  const names = [...withCode(inertOperations()), ...(isEverywhere ? [] : some)].map(
    ({ name }) => `\`${name}\``,
  );
  return [...names, ...(isEverywhere ? ['all below `/v1`'] : [])].join(', ');
}

function environmentPage(): string {
  const rows = Object.entries<Variable>(VARIABLES).map(([name, variable]) =>
    tableRow([
      `\`${name}\``,
      addressesAsCode(variable.description),
      addressesAsCode(variable.form.allowed),
      variable.otherwise ?? defaultOf(variable),
    ]),
  );
  return [
    '# Environment variables',
    '',
    'Generated from `src/environment.ts` by `npm run docs`; do not edit.',
    '',
    'Environment variables are the only configuration. An empty variable counts as absent. If values are invalid, the service does not start and lists all of them, each with its value (unless it is a secret) and what is allowed.',
    '',
    tableRow(['Variable', 'Meaning', 'Allowed', 'Default']),
    tableRow(['---', '---', '---', '---']),
    ...rows,
    '',
  ].join('\n');
}

function operatorsPage(): string {
  const protocols = Object.entries(DECLARATIONS).filter(([name]) => name !== 'http');
  return [
    '# Operators',
    '',
    'Generated from the declarations in `src/connectors/operators` and in the settings files of `sandbox/providers` by `npm run docs`; do not edit.',
    '',
    'What the service believes of each provider comes from its published documents, because nobody but you has an account there. **Before the first payment, go through “To try first” in the provider’s own sandbox.** `malipo operator test OPERATOR` makes every call that moves no money and prints this list; it never pays. Where an answer differs from what is written here, stop, and report it: proof that is not proof pays twice.',
    '',
    'For an operator [by configuration](../guide/write-a-connector.md#by-configuration), `declaration` in its settings says the same; those of the settings files that are shipped are below. `malipo operator protocols` shows the others, too.',
    '',
    '“Checked against” lists what is not ours: providers’ own clients, which use our emulators in `npm test`; requests of other public clients, as they sent them (`test/witnesses`); samples in documents. None of it is a test with an account at the provider.',
    ...protocols.flatMap(([name, declaration]) =>
      operatorSection(`Protocol \`${name}\``, declaration),
    ),
    ...shippedSettings().flatMap(([file, settings]) =>
      operatorSection(
        `Protocol \`http\`, with the settings of [\`${file}\`](../../${file})`,
        declarationOf(settings),
      ),
    ),
    '',
  ].join('\n');
}

/** The settings files for the connector `http`, except of providers that are invented. */
function shippedSettings(): [file: string, settings: HttpSettings][] {
  return globSync('sandbox/providers/*/config.json', { cwd: ROOT })
    .filter((file) => !file.includes('/example-'))
    .toSorted()
    .map((file) => {
      const given = JSON.parse(readFileSync(path.join(ROOT, file), 'utf8')) as unknown;
      return [file, readHttpSettings(path.basename(path.dirname(file)), given)];
    });
}

function operatorSection(by: string, declaration: Declaration): string[] {
  const { title, source, movements } = declaration;
  const list = (heading: string, items: readonly string[]): string[] => [
    ...['', `**${heading}**`, ''],
    ...items.map((item) => `- ${item}`),
  ];
  return [
    ...['', `## ${title}`, ''],
    `${by}. Documents: ${source}. Movements of the float: ${movements}.`,
    ...list('What proves that nothing was executed', declaration.proofOfNonExecution),
    ...list('What proves nothing', declaration.notProof),
    ...list('To try first', declaration.toTry),
    ...list('Checked against', declaration.witnesses),
  ];
}

/** Code is broken where a column is too narrow for it; as text, an address would widen the table. */
function addressesAsCode(text: string): string {
  return text.replaceAll(/(?<!`)\b\w+:\/\/[^\s`]*[^\s`.,;:]/g, '`$&`');
}

function defaultOf({ default: value }: Variable): string {
  if (value === undefined) return 'none';
  if (typeof value === 'object') {
    return `\`${value.production}\`; sandbox: \`${value.sandbox}\``;
  }
  return value === '' ? 'empty' : `\`${value}\``;
}

function tableRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
