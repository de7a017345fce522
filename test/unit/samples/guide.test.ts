import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSecretKey } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { readFields } from '../../../src/platform/http/wire/request.ts';
import { parametersOf } from '../../support/parameters.ts';
import { verify } from '../../../src/parties/signature.ts';
import document from '../../vectors/signature.json' with { type: 'json' };

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../../..');
const guide = await readFile(path.join(root, 'docs/guide/integrate-in-an-afternoon.md'), 'utf8');

/** The fenced blocks of one language, in their order. */
function blocksOf(language: string): string[] {
  const blocks = guide.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm);
  return [...blocks].filter(([, fence]) => fence === language).map(([, , code]) => code ?? '');
}

function firstBlock(language: string): string {
  const [block] = blocksOf(language);
  if (block === undefined) throw new Error(`the guide has no ${language} block`);
  return block;
}

function has(command: string, ...versionArguments: string[]): boolean {
  return spawnSync(command, versionArguments, { stdio: 'ignore', timeout: 20_000 }).status === 0;
}

const worked = document.vectors.find(({ name }) => name === 'create');
const expectedHashes = document.vectors.map(({ hash }) => hash);

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'malipo-guide-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function write(name: string, text: string): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, text);
  return file;
}

async function linesOf(command: string, ...commandArguments: string[]): Promise<string[]> {
  const { stdout } = await run(command, commandArguments, { cwd: folder, timeout: 60_000 });
  return stdout.trim().split('\n');
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Vectors for programs that cannot read JSON: the key, then each name and value, all in base64. */
function plainVectors(withNulls: boolean): string {
  const lines = document.vectors.map(({ key, params }) =>
    [
      base64(key),
      ...params
        .filter(([, value]) => withNulls || value !== null)
        .flatMap(([name, value]) => [
          base64(name ?? ''),
          value === null ? 'null' : `=${base64(value ?? '')}`,
        ]),
    ].join(' '),
  );
  return `${lines.join('\n')}\n`;
}

describe('the signature in words', () => {
  it('shows the worked example of the vectors', () => {
    const [text, hash] = blocksOf('text');
    expect(text?.trim()).toBe(worked?.text);
    expect(hash?.trim()).toBe(worked?.hash);
  });
});

// Each sample first prints the worked example, then signs every vector.
describe('the samples sign like the vectors', () => {
  const hashes = [worked?.hash, ...expectedHashes];
  const vectorFile = path.join(root, 'test/vectors/signature.json');

  it('the TypeScript sample signs like the vectors', async () => {
    const driver = `
      import { readFileSync } from 'node:fs';
      const { vectors } = JSON.parse(readFileSync(process.argv[2]!, 'utf8'));
      for (const { params, key } of vectors) console.log(sign(Object.fromEntries(params), key));`;
    const file = await write('sample.mts', firstBlock('ts') + driver);
    expect(await linesOf(process.execPath, file, vectorFile)).toEqual(hashes);
  });

  it.skipIf(!has('python3', '--version'))(
    'Python (skipped where python3 is not found)',
    async () => {
      const driver = `
import json, sys
for vector in json.load(open(sys.argv[1], encoding="utf-8"))["vectors"]:
    print(sign(dict(vector["params"]), vector["key"]))
`;
      const file = await write('sample.py', firstBlock('python') + driver);
      expect(await linesOf('python3', file, vectorFile)).toEqual(hashes);
    },
  );

  it.skipIf(!has('php', '--version'))('PHP (skipped where php is not found)', async () => {
    const driver = `
foreach (json_decode(file_get_contents($argv[1]), true)['vectors'] as $vector) {
    echo sign(array_column($vector['params'], 1, 0), $vector['key']), "\\n";
}
`;
    const file = await write('sample.php', firstBlock('php') + driver);
    expect(await linesOf('php', file, vectorFile)).toEqual(hashes);
  });

  it.skipIf(!has('javac', '--version'))('Java (skipped where javac is not found)', async () => {
    const driver = `
import java.nio.file.*;
import java.util.*;

class Vectors {
    static String text(String base64) {
        return new String(Base64.getDecoder().decode(base64), java.nio.charset.StandardCharsets.UTF_8);
    }

    public static void main(String[] args) throws Exception {
        Signature.main(args);
        for (var line : Files.readAllLines(Path.of(args[0]))) {
            var words = line.split(" ");
            var params = new HashMap<String, String>();
            for (int i = 1; i < words.length; i += 2) {
                params.put(text(words[i]), words[i + 1].equals("null") ? null : text(words[i + 1].substring(1)));
            }
            System.out.println(Signature.sign(params, text(words[0])));
        }
    }
}
`;
    const sources = [
      await write('Signature.java', firstBlock('java')),
      await write('Vectors.java', driver),
    ];
    await run('javac', ['-d', folder, ...sources], { timeout: 60_000 });
    const list = await write('vectors-java.txt', plainVectors(true));
    expect(await linesOf('java', '-cp', folder, 'Vectors', list)).toEqual(hashes);
  });

  it.skipIf(!has('bash', '--version') || !has('openssl', 'version'))(
    'bash (skipped where bash or openssl is not found)',
    async () => {
      const driver = `
while read -r key words; do
  set -- $words
  pairs=()
  while [ $# -gt 0 ]; do
    pairs+=("$(echo "$1" | base64 -d)=$(echo "\${2#=}" | base64 -d)")
    shift 2
  done
  sign "$(echo "$key" | base64 -d)" "\${pairs[@]}"
done < "$1"
`;
      const file = await write('sample.sh', `set -eu\n${firstBlock('bash')}\n${driver}`);
      const list = await write('vectors-bash.txt', plainVectors(false));
      expect(await linesOf('bash', file, list)).toEqual(hashes);
    },
  );
});

interface Call {
  readonly path: string;
  readonly params: Record<string, string | null>;
}

/** Stands in for the service: checks every signature and answers with the guide's own samples. */
class SampleService {
  readonly calls: Call[] = [];
  readonly refusals: string[] = [];
  readonly #server: Server;
  readonly #answers: ReadonlyMap<string, string>;
  readonly #key = createSecretKey(Buffer.from('demo-security-key'));

  constructor(answers: ReadonlyMap<string, string>) {
    this.#answers = answers;
    this.#server = createServer((request, response) => {
      this.#answer(request).then(
        (body) => response.end(body),
        (error: unknown) => {
          this.refusals.push(`${request.url}: ${String(error)}`);
          response.statusCode = 500;
          response.end();
        },
      );
    });
  }

  /** Its base address. */
  async start(): Promise<string> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve);
    });
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }

  async #answer(request: IncomingMessage): Promise<string> {
    const { pathname, search } = new URL(request.url ?? '', 'http://service');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const names = parametersOf(
      'vid currency time biller_name amount account phone merchant_reference reference'.split(' '),
    );
    const contentType = request.headers['content-type'];
    const wire = { contentType, body: Buffer.concat(chunks), query: search.slice(1) };
    const reading = await readFields(wire, names);
    if (
      pathname !== '/billing/list' &&
      verify(reading, () => ({ keys: [this.#key] })) === undefined
    ) {
      throw new Error('the signature does not hold');
    }
    this.calls.push({ path: pathname, params: Object.fromEntries(reading.fields) });
    const answer = this.#answers.get(pathname);
    if (answer === undefined) throw new Error('there is nothing at this path');
    return answer;
  }
}

describe.skipIf(
  !has('bash', '--version') || !has('openssl', 'version') || !has('curl', '--version'),
)('the walk (skipped where bash, openssl or curl is not found)', () => {
  it('the walk is signed and ends with the token', async () => {
    const paths = [
      '/payments/v2/billing/fund',
      '/billing/list',
      '/transaction/create',
      '/transaction/check/status',
      '/billing/account/balance',
    ];
    const samples = blocksOf('json').map((text) => JSON.stringify(JSON.parse(text)));
    const service = new SampleService(
      new Map(paths.map((name, index) => [name, samples[index] ?? ''])),
    );
    const base = await service.start();
    try {
      const script = blocksOf('bash').join('\n').replace('http://127.0.0.1:${PORT:-8080}', base);
      expect(script).toContain(base);
      const file = await write('walk.sh', `set -eu\n${script}`);
      const { stdout } = await run('bash', [file], { cwd: folder, timeout: 60_000 });
      expect(service.refusals).toEqual([]);
      expect(service.calls.map((call) => call.path)).toEqual(paths);
      const [, , create, status] = service.calls;
      expect(create?.params).toMatchObject({
        biller_name: 'kplc_prepaid',
        account: expect.stringMatching(/9901$/),
        merchant_reference: 'order-1001',
        hash: worked?.hash,
      });
      const created = JSON.parse(samples[2] ?? '') as { msg: { ipay_reference: string } };
      expect(status?.params).toMatchObject({ reference: created.msg.ipay_reference });
      expect(stdout).toMatch(/"token":"\d{20}"/);
    } finally {
      await service.stop();
    }
  });
});

const hasPhpCurl = has('php', '-r', 'exit(function_exists("curl_init") ? 0 : 1);');

describe.skipIf(!hasPhpCurl)('the PHP call (skipped where php or its curl is not found)', () => {
  it('the PHP call is signed, and leaves null parameters out of the body as well', async () => {
    const [, , created = ''] = blocksOf('json');
    const service = new SampleService(new Map([['/transaction/create', created]]));
    const base = await service.start();
    try {
      const script = blocksOf('php').join('\n').replace('http://127.0.0.1:8080', base);
      expect(script).toContain("'phone' => null");
      const lines = await linesOf('php', await write('call.php', script));
      expect(service.refusals).toEqual([]);
      expect(service.calls.map(({ params }) => Object.keys(params))).toEqual([
        expect.not.arrayContaining(['phone']),
      ]);
      const { msg } = JSON.parse(created) as { msg: { ipay_reference: string } };
      expect(lines.at(-1)).toBe(msg.ipay_reference);
    } finally {
      await service.stop();
    }
  });
});
