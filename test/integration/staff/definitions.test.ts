import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { DEMO_PEOPLE } from '../../../sandbox/data.ts';
import { findVendor } from '../../../src/parties/read-vendors.ts';
import { collect } from '../../../src/payments/collections/collect.ts';
import type { Mac } from '../../../src/platform/base/mac.ts';
import { openLedgerMac } from '../../../src/parties/ledger-key.ts';
import { isAllowed } from '../../../src/parties/people/permissions.ts';
import type { Permission } from '../../../src/parties/people/permissions.ts';
import { STAFF_ROLES } from '../../../src/parties/people/roles.ts';
import { createWireTime, systemClock } from '../../../src/platform/base/clock.ts';
import { compiled } from '../../../src/platform/base/compiled.ts';
import { listMessages } from '../../../src/payments/messages/read-messages.ts';
import { keepUnread } from '../../../src/payments/messages/unread.ts';
import { takeReport } from '../../../src/payments/receipts/take.ts';
import { OverviewFeed } from '../../../src/payments/overview/feed.ts';
import { countedNow } from '../../../src/payments/overview/figures.ts';
import { createProposals } from '../../../src/proposal-kinds.ts';
import type { Proposals } from '../../../src/proposals/proposals.ts';
import type { AnyAction, AnyView, Definition } from '../../../src/staff/definition.ts';
import { propertiesOf, routeOf } from '../../../src/staff/definition.ts';
import type { JobView } from '../../../src/staff/job-schema.ts';
import { perform } from '../../../src/staff/perform.ts';
import type { By } from '../../../src/staff/perform.ts';
import { allNouns } from '../../../src/staff/registry.ts';
import { ALL_OF_STAFF, isForPages } from '../../../src/staff/viewer.ts';
import { SCHEMA } from '../../../src/schema.ts';
import { readConfig } from '../../../src/config.ts';
import type { CreditDesk } from '../../../src/credit/desk.ts';
import { createVault, creditKeysOf } from '../../../src/credit/registry/vault.ts';
import type { TestDatabase } from '../../support/cluster.ts';
import { signedIn } from '../../support/console-client.ts';
import type { ConsoleClient } from '../../support/console-client.ts';
import { createServiceDatabase, startInProcess } from '../../support/in-process-service.ts';
import type { InProcessService } from '../../support/in-process-service.ts';
import { StaffClient, staffSignedIn } from '../../support/staff-client.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporary.ts';
import { createCreditFixtures } from './credit-samples.ts';
import { createFixtures } from './fixtures.ts';
import { SAMPLES } from './samples.ts';
import type { World } from './samples.ts';

// Every definition of src/staff, on every surface. A new one needs an entry in samples.ts and nothing here.

const nouns = await allNouns();
const everything = nouns.flatMap((noun) => noun.definitions);
/** What needs the machine is a command there, and nothing else. */
const onMachine = everything.filter((of) => of.onMachine === true);
const definitions = everything.filter((of) => of.onMachine !== true);
const each = definitions.map((of) => [of.name, of] as const);
const views = each.filter(([, { kind }]) => kind === 'view');
const actions = each.filter(([, { kind }]) => kind === 'action');
const downloads = definitions.flatMap((of) =>
  of.kind === 'download' ? [[of.name, of] as const] : [],
);
const withFile = each.filter(([, { file }]) => file !== undefined);

/** Nobody answers there. */
const PUBLIC_URL = 'http://127.0.0.1:9';

let folder: string;
let database: TestDatabase;
let running: InProcessService;
let proposals: Proposals;
let desk: CreditDesk;
let world: World;
let tokens: Awaited<ReturnType<typeof makeTokens>>;
const staff = new Map<string, StaffClient>();
const pages = new Map<string, ConsoleClient>();

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  database = await createServiceDatabase();
  const environment = {
    CONSOLE_READS_PER_SECOND: '0',
    CONSOLE_CHANGES_PER_SECOND: '0',
    PUBLIC_URL,
  };
  running = await startInProcess(database.url, { environment });
  for (const person of DEMO_PEOPLE) {
    pages.set(person.login, await signedIn(running.origin, person.login));
    if ('vid' in person) continue;
    staff.set(person.login, await staffSignedIn(running.origin, person.login));
  }
  tokens = await makeTokens();
  await running.demo('demo2').call('fund', { time: String(Date.now()), currency: 'KES' });
  const { pool } = running.service;
  const { masterKeys } = running.sealing;
  const wireTime = createWireTime('Africa/Nairobi');
  const ledgerMac = await openLedgerMac(pool, masterKeys);
  proposals = createProposals({ pool, ledgerMac, wireTime, masterKeys });
  const config = readConfig('sandbox', {});
  const keys = creditKeysOf(config, masterKeys, true);
  if (keys === undefined) throw new Error('no keys of the registry');
  desk = {
    ...{ pool, vault: createVault(keys), clock: systemClock, timeZone: 'Africa/Nairobi' },
    ...{ retentionDays: config.creditRetentionDays, enquiryService: undefined },
    ...{ accessUrl: 'http://127.0.0.1/my-report', contact: '' },
  };
  const pay = await payerOf(running, ledgerMac);
  let receipts = 0;
  const fixtures = createFixtures(pool, masterKeys);
  world = {
    ...fixtures,
    addKnowing: async () => {
      const biller = await fixtures.addKnowing();
      await running.service.catalogue.reload();
      return biller;
    },
    credit: createCreditFixtures(pool, desk.vault, proposals),
    act: async (login, at, body) => {
      const { status, body: answer, text } = await as(login).post(at, body);
      if (status !== 200) throw new Error(`${at}: ${text}`);
      return answer;
    },
    pay,
    page: async (login, at, body) => {
      const answer = await pages.get(login)?.send('POST', at, body);
      if (answer?.status !== 200) throw new Error(`${at}: ${answer?.text}`);
      return answer.body;
    },
    upload: async (query, content) => {
      const at = `/bulk?${new URLSearchParams({ ...query, file: 'payments.csv' }).toString()}`;
      const answer = await pages.get('demo2-admin')?.send('POST', at, Buffer.from(content));
      if (answer?.status !== 200) throw new Error(answer?.text);
    },
    receipt: async () => {
      receipts += 1;
      const receipt = `QK${receipts}`;
      const paid = { amountCents: 70_000n, paidAt: new Date(), account: null, payer: null };
      const told = {
        issuer: 'safaricom',
        receipt,
        sourceCode: 'paybill',
        collector: 'demo-collector',
      };
      const log = pino({ level: 'silent' });
      await takeReport({ pool, ledgerMac, log }, { ...told, ...paid, channel: 'pull' });
      return receipt;
    },
    message: async (sender) => {
      const about = { senderKind: 'source', sender, channel: 'confirmation' } as const;
      const body = Buffer.from(`{"TransID":"UASAMPLE01","Note":"${randomUUID()}"}`);
      const told = { ...about, reference: null, problem: 'TransAmount is no amount', body };
      await keepUnread({ pool, ledgerMac, log: pino({ level: 'silent' }) }, told);
      const listed = await listMessages(pool, { state: 'open', after: null, limit: 200 });
      return listed.at(-1)?.messageId ?? '';
    },
    enquire: async () => {
      const requestReference = `E${randomUUID().slice(0, 8)}`;
      await running.demo().call('genericScore', {
        ...{ requestReference, reportReason: '2', reportSector: '2' },
        ...{ nationalID: '900000001', name1: 'Amani', name2: 'Wanjiru' },
      });
      return requestReference;
    },
    clear: async (kind) => {
      for (const { proposalId } of await proposals.list({ open: true, kinds: [kind], limit: 50 })) {
        await proposals.reject({ proposalId, by: { personId: null, name: 'x' }, note: 'anew' });
      }
    },
    seen: async (proposalId) => (await proposals.preview(proposalId)).seen,
    approve: async (login, proposalId) => {
      const found = await pool.query<{ id: string }>(
        'select person_id as id from people where login = $1',
        [login],
      );
      const by = { personId: found.rows[0]?.id ?? '', name: login };
      const { seen } = await proposals.preview(proposalId);
      await proposals.approve({ proposalId, by, seen });
    },
  };
});
// A sample may have entered a quarantine, in which nothing can be paid.
afterEach(async () => {
  const { pool, catalogue } = running.service;
  const ledgerMac = await openLedgerMac(pool, running.sealing.masterKeys);
  if (await world.endQuarantine(ledgerMac)) await catalogue.reload();
});
afterAll(async () => {
  await running.stop();
  await world.close();
  await removeFolder(folder);
  await database.drop();
});

/** Creates payments of a vendor of its own. */
async function payerOf(started: InProcessService, ledgerMac: Mac) {
  const vid = 'paying';
  const vendor = await started.addVendor({ vid });
  const { pool } = started.service;
  const vendorId = (await findVendor(pool, vid))?.vendorId ?? 0;
  const income = { collector: 'demo-collector', reference: 'paying-1', paidAt: new Date() };
  await collect({ pool, ledgerMac }, { ...income, vendorId, amountCents: 1_000_000n });
  await vendor.call('fund', { time: String(Date.now()), currency: 'KES' });
  let payments = 0;
  return async () => {
    payments += 1;
    const account = String(14_000_000 + payments);
    const order = { account, phone: '0722000001', merchant_reference: `o-${payments}` };
    return await vendor.accepted({ biller_name: 'dstv', amount: '50', ...order });
  };
}

const as = (login: string): StaffClient => {
  const client = staff.get(login);
  if (client === undefined) throw new Error(`no person ${login}`);
  return client;
};

/** The sample of a definition as a request. A file is its body, and the rest of the input its query. */
async function requestOf(of: Definition, given?: Readonly<Record<string, unknown>>) {
  const { method, path: own, names } = routeOf(of);
  const input = given ?? (await SAMPLES[of.name]?.input(world)) ?? {};
  const filled = own.replaceAll(/:(\w+)/g, (_, name: string) => String(input[name]));
  const rest = Object.entries(input).filter(([name]) => !names.includes(name));
  const sent = fileOf(of);
  const query = new URLSearchParams(
    [...rest, ...(sent === undefined ? [] : [[sent.name, 'sample'] as const])].map(
      ([name, value]): [string, string] => [name, String(value)],
    ),
  );
  const isInQuery = method === 'GET' || sent !== undefined;
  const at = isInQuery ? `${filled}?${query.toString()}` : filled;
  const body = sent?.body ?? (isInQuery ? undefined : Object.fromEntries(rest));
  return { method, at, body, input };
}

/** The sample of the file that comes with the input. */
function fileOf(of: Definition): { readonly name: string; readonly body: Buffer } | undefined {
  if (of.file === undefined) return undefined;
  const content = SAMPLES[of.name]?.file?.();
  if (content === undefined) throw new Error(`${of.name} has no sample of its file`);
  return { name: of.file.name, body: Buffer.from(content) };
}

const secretsOf = (of: Definition): string[] =>
  'output' in of
    ? propertiesOf(of.output).flatMap(([name, { secret }]) => (secret === true ? [name] : []))
    : [];

const callerOf = (of: Definition): string =>
  SAMPLES[of.name]?.by ?? (ALL_OF_STAFF.has(of.permission) ? 'finance' : 'demo2-admin');

/** Whoever calls: through the staff API, or, of what only a vendor’s people have, in the console. */
function clientOf(of: Definition): Pick<StaffClient, 'send'> {
  if (!isForPages(of)) return as(callerOf(of));
  const page = pages.get(callerOf(of));
  if (page === undefined) throw new Error(`no person ${callerOf(of)}`);
  return page;
}

/** The schema without room for more: what people do not see in it must not leave the service. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, closed(value)]),
  );
  const isOpen = copy['type'] === 'object' && !('patternProperties' in copy);
  return isOpen ? { ...copy, additionalProperties: false } : copy;
}

const outputs = new Map<Definition, ReturnType<typeof compiled>>();

function expectFits(of: Definition, answer: unknown): void {
  if (!('output' in of)) return;
  const check = outputs.get(of) ?? compiled(closed(of.output) as object);
  outputs.set(of, check);
  expect(check.problems(answer), JSON.stringify(answer)).toEqual([]);
}

/** How many entries and proposals there are: nothing else is written by what is refused. */
async function written(): Promise<unknown> {
  const { rows } = await running.service.pool.query(
    `select (select count(*) from audit_log where action not like 'session.%') as audited,
       (select count(*) from proposals) as proposed, (select count(*) from program_tokens) as tokens,
       (select count(*) from transfers) as moved`,
  );
  return rows[0];
}

describe('a definition', () => {
  test('names and routes are different, and every definition that needs a sample has one', () => {
    const all = everything.map(({ name }) => name);
    expect(new Set(all).size).toBe(all.length);
    const routes = definitions.map(({ route }) => route);
    expect(new Set(routes).size).toBe(routes.length);
    const needy = definitions.filter(({ kind, input }) => {
      const properties = Object.fromEntries(propertiesOf(input));
      const needed = (input.required ?? []).filter(
        (name) => properties[name]?.default === undefined,
      );
      return kind !== 'view' || needed.length > 0;
    });
    expect(needy.map(({ name }) => name).filter((name) => SAMPLES[name] === undefined)).toEqual([]);
    expect(Object.keys(SAMPLES).filter((name) => !all.some((one) => one === name))).toEqual([]);
  });

  test('has a route unless it needs the machine', async () => {
    const paths = definitions.filter(({ route }) => route === undefined);
    expect(paths.map(({ name }) => name)).toEqual([]);
    const { text } = await as('admin').get('/openapi.json');
    for (const { name, route } of onMachine) {
      expect(route).toBeUndefined();
      expect(text).not.toContain(`"operationId":"${name}"`);
    }
  });

  test.each(everything.map((of) => [of.name, of] as const))(
    '%s describes every property of its input',
    (_, of) => {
      const silent = propertiesOf(of.input).filter(([, { description }]) => !description);
      expect(silent.map(([name]) => name)).toEqual([]);
      expect((of.input as { additionalProperties?: unknown }).additionalProperties).toBe(false);
      const inPath = routeOf(of).names.filter((name) => !(name in of.input.properties));
      expect(inPath).toEqual([]);
    },
  );

  test('is in the staff API if a member of staff may have it', async () => {
    const { text } = await as('admin').get('/openapi.json');
    const described = new Set(
      [...text.matchAll(/"operationId":"([^"]+)"/g)].map(([, name]) => name),
    );
    const wanted = definitions.filter((of) => !isForPages(of)).map(({ name }) => name);
    expect(definitions.map(({ name }) => name).filter((name) => described.has(name))).toEqual(
      wanted,
    );
  });

  test.each(actions)('%s asks for the permission of the proposals that it makes', (_, of) => {
    if (of.kind !== 'action') return;
    for (const name of [of.proposes ?? []].flat()) {
      const kind = proposals.kindOf(name);
      if (kind === undefined) throw new Error(`no kind ${name}`);
      // A vendor’s own people, who act at once, may have another permission.
      const staffOf = (permission: Permission) =>
        STAFF_ROLES.filter((role) => isAllowed(role, permission));
      expect(staffOf(kind.proposedBy)).toEqual(staffOf(of.permission));
    }
  });
});

test.each(views)('%s answers the same on every surface, in its schema', async (_, of) => {
  if (of.kind !== 'view') return;
  const input = (await SAMPLES[of.name]?.input(world)) ?? {};
  // Payments may end between two answers, so figures of the last hour may differ once.
  await vi.waitFor(async () => await expectSame(of, input), { timeout: 10_000 });
});

async function expectSame(of: AnyView, input: Readonly<Record<string, unknown>>): Promise<void> {
  const { method, at, body } = await requestOf(of, input);
  const far = await clientOf(of).send(method, at, body);
  expect(far, far.text).toMatchObject({ status: 200 });
  expectFits(of, far.body);
  // The console is the only surface.
  if (isForPages(of)) return;
  const page = await pages.get(callerOf(of))?.send(method, at, body);
  const near = await perform(of, input, await nearbyWith(Buffer.isBuffer(body) ? body : undefined));
  for (const answer of [page?.body, near]) {
    // A cursor is sealed for its reader with a random nonce, so no two are equal. `at` is when the figures were read.
    const moving = (SAMPLES[of.name]?.moves ?? []).map((name) => [name, undefined]);
    const own = { next: undefined, at: undefined, ...Object.fromEntries(moving) };
    expect({ ...answer, ...own }).toEqual({ ...far.body, ...own });
  }
}

/** Whoever runs commands on the machine of the service. */
function nearby(): By {
  const { pool } = running.service;
  const { masterKeys } = running.sealing;
  return {
    viewer: {
      ...{ personId: null, login: 'command line', role: null, vendor: undefined, token: null },
      permissions: ALL_OF_STAFF,
      actor: { personId: null, name: 'command line' },
    },
    deps: {
      ...{ pool, clock: systemClock, wireTime: createWireTime('Africa/Nairobi') },
      ...{ timeZone: 'Africa/Nairobi', publicUrl: PUBLIC_URL },
      consoleUrl: `${running.origin}/console`,
      masterKeys: async () => masterKeys,
      ledgerMac: async () => await openLedgerMac(pool, masterKeys),
      findLedgerMac: async () => await openLedgerMac(pool, masterKeys),
      schema: SCHEMA,
      proposals: async () => proposals,
      catalogue: async () => running.service.catalogue,
      overview: async () =>
        new OverviewFeed({ pool, clock: systemClock, wireTime: createWireTime('Africa/Nairobi') }),
      activity: countedNow(pool, systemClock),
      create: async (...asked) => await running.service.create(...asked),
      credit: async () => desk,
    },
    ...{ channel: 'command', address: 'command line', requestId: 'test' },
  };
}

test.each(actions)('%s leaves one entry in the audit log, with what it changed', async (_, of) => {
  const { method, at, body, input } = await requestOf(of);
  const before = await countEntries();
  const done = await clientOf(of).send(method, at, body);
  expect(done, done.text).toMatchObject({ status: 200 });
  if (of.kind === 'action' && of.isJob === true)
    await expectResult(of, done.body as JobView, before);
  else expectFits(of, done.body);
  const [entry, ...others] = await entriesAfter(before);
  expect(others).toEqual([]);
  expect(entry).toMatchObject({
    ...{ action: of.name, login: callerOf(of), result: 'done' },
    channel: isForPages(of) ? 'console' : 'api',
    after: expect.any(Object),
    ...('reason' in input && { reason: input['reason'] }),
  });
  const isAboutProposal = of.kind === 'action' && (of.proposes ?? of.decides) !== undefined;
  if (!isAboutProposal && !WITHOUT_BEFORE.has(of.name)) {
    expect(entry).toMatchObject({ before: expect.any(Object) });
  }
  // Nothing else, or whoever looks for what was done to it would not find it.
  const { names } = routeOf(of);
  if (names.length > 0) {
    expect(entry?.['target']).toBe(names.map((name) => String(input[name])).join(' '));
  }
  for (const name of secretsOf(of)) {
    const secret = done.body[name];
    if (typeof secret === 'string') expect(JSON.stringify(entry)).not.toContain(secret);
  }
});

/** What makes something new, sends something or only looks: nothing was there before. */
const WITHOUT_BEFORE = new Set([
  ...['vendor.add', 'person.add', 'person.link', 'token.add', 'passkey.begin', 'passkey.add'],
  ...['payment.create', 'bulk.upload', 'income.fund', 'receipt.push', 'case.open', 'day.close'],
  ...['vendor.try-import', 'vendor.try-references', 'credit-import.try', 'statement.pull'],
  ...['payment.verify', 'payment.resend', 'webhook.test', 'webhook.replay', 'webhook.replay-event'],
  ...['receipt-source.register', 'invoice.set-control', 'ledger.check', 'ledger.chain'],
  ...['credit.verify-chain', 'credit.access-link', 'credit-dispute.open', 'credit-override.add'],
  ...['credit-enquiry.ask', 'credit-scorecard.add'],
]);

test.each(onMachine.filter(({ name }) => name in SAMPLES))('$name leaves one entry', async (of) => {
  const input = (await SAMPLES[of.name]?.input(world)) ?? {};
  const before = await countEntries();
  expectFits(of, await perform(of, input, nearby()));
  const added = await entriesAfter(before);
  const after: unknown = expect.any(Object);
  expect(added).toMatchObject([{ action: of.name, channel: 'command', result: 'done', after }]);
});

/** The answer of a job is the job, whose result comes later. */
async function expectResult(of: AnyAction, { job }: JobView, before: number): Promise<void> {
  const result = await vi.waitFor(
    async () => {
      const { body } = await as(callerOf(of)).get(`/jobs/${job}`);
      expect(body['result'], JSON.stringify(body)).not.toBeNull();
      return body['result'];
    },
    { timeout: 30_000, interval: 100 },
  );
  expectFits(of, result);
  await vi.waitFor(async () =>
    expect((await entriesAfter(before)).at(-1)).toMatchObject({ result: 'done' }),
  );
}

test.each(views.filter(([, of]) => secretsOf(of).length > 0))(
  '%s tells a program no secret',
  async (_, of) => {
    const { method, at, body } = await requestOf(of);
    const { body: answer, status } = await tokens.whole.send(method, at, body);
    for (const name of status === 200 ? secretsOf(of) : []) expect(answer[name]).toBeNull();
    if (status === 200) expectFits(of, answer);
    else expect(status).toBe(403);
  },
);

test.each(withFile)('%s takes its file on every surface, and not without one', async (_, of) => {
  const { method, at, body } = await requestOf(of);
  const before = await written();
  for (const client of [clientOf(of), pages.get(callerOf(of))]) {
    const answer = await client?.send(method, at, Buffer.alloc(0));
    expect(answer).toMatchObject({ status: 400, code: 'missing_field', field: of.file?.name });
    const large = await client?.send(method, at, Buffer.alloc((of.file?.maxBytes ?? 0) + 1));
    expect(large?.status).toBe(413);
  }
  expect(await written()).toEqual(before);
  const page = await pages.get(callerOf(of))?.send(method, at, body);
  expect(page, page?.text).toMatchObject({ status: 200 });
  expectFits(of, page?.body);
  if (isForPages(of)) return;
  const input = (await SAMPLES[of.name]?.input(world)) ?? {};
  expectFits(of, await perform(of, input, await nearbyWith(fileOf(of)?.body)));
});

/** The file of a command is where it names it. */
async function nearbyWith(sent?: Buffer): Promise<By> {
  const by = nearby();
  if (sent === undefined) return by;
  const file = path.join(folder, 'sample');
  await writeFile(file, sent);
  return { ...by, deps: { ...by.deps, file: { name: 'sample', path: file } } };
}

test.each(downloads)(
  '%s is the same kind of file on every surface, and is noted',
  async (_, of) => {
    const { method, at, body, input } = await requestOf(of);
    const before = await countEntries();
    for (const client of [clientOf(of), pages.get(callerOf(of))]) {
      const file = await client?.send(method, at, body);
      expect(file, file?.text).toMatchObject({ status: 200 });
      expect(file?.headers.get('content-disposition')).toMatch(/^attachment; filename="[\w.-]+"$/);
      expect(file?.text).not.toBe('');
    }
    if (!isForPages(of)) (await perform(of, input, nearby())).body.destroy();
    const [one, other, ...more] = await entriesAfter(before);
    expect(more).toEqual([]);
    const noted = { action: `${of.name.split('.')[0]}.export`, result: 'done' };
    expect([one, other]).toMatchObject([noted, noted]);
  },
);

async function countEntries(): Promise<number> {
  const { rows } = await running.service.pool.query<{ count: number }>(
    `select count(*)::integer as count from audit_log where action not like 'session.%'`,
  );
  return rows[0]?.count ?? 0;
}

/** @param before how many there were. */
async function entriesAfter(before: number): Promise<Record<string, unknown>[]> {
  const { rows } = await running.service.pool.query<Record<string, unknown>>(
    `select a.*, r.result, r.before, r.after from (
       select * from audit_log where action not like 'session.%' order by at, audit_id offset $1
     ) a left join audit_results r using (audit_id) order by a.at, a.audit_id`,
    [before],
  );
  return rows;
}

test.each(each)('%s is refused without the permission, and changes nothing', async (_, of) => {
  const { method, at, body } = await requestOf(of);
  const narrow = of.permission === 'home.read' ? tokens.auditOnly : tokens.homeOnly;
  const before = await written();
  for (const person of DEMO_PEOPLE) {
    const isAnybody = 'vid' in person ? of.ownVendor === true : true;
    if (isAnybody && isAllowed(person.role, of.permission)) continue;
    const page = await pages.get(person.login)?.send(method, at, body);
    expect(page, person.login).toMatchObject({ status: 403, code: 'not_permitted' });
    const client = staff.get(person.login);
    if (client === undefined) continue;
    const refused = isForPages(of) ? 404 : 403;
    expect(await client.send(method, at, body)).toMatchObject({ status: refused });
  }
  // Only pages have it.
  if (of.kind === 'stream') return;
  const status = isForPages(of) ? 404 : 403;
  expect(await narrow.send(method, at, body)).toMatchObject({ status });
  expect(await tokens.expired.send(method, at, body)).toMatchObject({ status: 401 });
  expect(await tokens.revoked.send(method, at, body)).toMatchObject({ status: 401 });
  expect(await written()).toEqual(before);
});

const ofVendors = each.filter(
  ([, of]) => of.ownVendor === true && of.kind !== 'stream' && routeOf(of).names.length > 0,
);

test.each(ofVendors)('%s finds nothing of another vendor, and changes nothing', async (_, of) => {
  const { method, at, body, input } = await requestOf(of);
  const ofCaller = vendorOf(callerOf(of));
  const before = await changed();
  for (const { login, role } of DEMO_PEOPLE) {
    const vid = vendorOf(login);
    const isStranger = vid !== undefined && vid !== input['vid'] && vid !== ofCaller;
    if (!isStranger || !isAllowed(role, of.permission)) continue;
    const refused = await pages.get(login)?.send(method, at, body);
    expect(refused?.status, `${login}: ${refused?.text}`).toBe(404);
  }
  expect(await changed()).toEqual(before);
});

const vendorOf = (login: string): string | undefined =>
  DEMO_PEOPLE.flatMap((person) =>
    person.login === login && 'vid' in person ? [person.vid] : [],
  )[0];

/** How much was carried out. */
async function changed(): Promise<unknown> {
  const { rows } = await running.service.pool.query(
    `select (select count(*) from audit_results where result = 'done') as done,
       (select count(*) from proposals) as proposed, (select count(*) from proposal_decisions) as decided,
       (select count(*) from transfers) as moved`,
  );
  return rows[0];
}

const proposing = actions.filter(
  ([, of]) => of.kind === 'action' && of.proposes !== undefined && !isForPages(of),
);

test.each(proposing)('%s waits for somebody who did not propose it', async (_, of) => {
  const { method, at, body } = await requestOf(of);
  const login = callerOf(of);
  const proposed = await as(login).send(method, at, body);
  expect(proposed, proposed.text).toMatchObject({ status: 200 });
  const { rows } = await running.service.pool.query<{ id: string; by: string }>(
    `select proposal_id as id, proposed_by as by from proposals
     order by proposed_at desc, proposal_id desc limit 1`,
  );
  expect(rows[0]?.by).toBe(login);
  const id = rows[0]?.id ?? '';
  const before = await changed();
  const seen = await world.seen(id);
  const alone = await as(login).post(`/proposals/${id}/approve`, { seen });
  expect(alone.status, alone.text).toBeGreaterThanOrEqual(400);
  expect((await proposals.find(id)).decision).toBeNull();
  expect(await changed()).toEqual(before);
  // What waits keeps others from proposing the same.
  await proposals.reject({ proposalId: id, by: { personId: null, name: 'x' }, note: 'anew' });
});

test.each(actions)('%s is for programs only if a person decides about it', async (_, of) => {
  if (of.kind !== 'action') return;
  const { method, at, body } = await requestOf(of);
  const before = await written();
  const { status, body: answer, text } = await tokens.whole.send(method, at, body);
  // Administrators make tokens, so no program ever acts on what is on file about people.
  const isAdministrators = isAllowed('administrator', of.permission);
  const isForPrograms =
    of.decides !== true && (of.proposes !== undefined || of.programsMay === true);
  const mayPropose = isForPrograms && isAdministrators;
  expect(status, text).toBe(mayPropose ? 200 : isForPages(of) ? 404 : 403);
  if (!mayPropose) expect(await written()).toEqual(before);
  // A key that it proposes, for example, is for a person.
  for (const name of mayPropose ? secretsOf(of) : []) expect(answer[name]).toBeNull();
  // The answer of a job is the job.
  if (mayPropose && of.isJob !== true) expectFits(of, answer);
  // It waits, also where people act alone.
  if (!mayPropose || of.proposes === undefined) return;
  const { proposal } = answer;
  expect(typeof proposal === 'object' ? proposal : answer).toMatchObject({ decision: null });
});

/** Programs of an administrator. */
async function makeTokens() {
  const owner = as('admin');
  const make = async (scopes?: readonly string[]) => {
    const name = `p-${randomUUID().slice(0, 8)}`;
    const made = await owner.post('/tokens', {
      name,
      role: 'administrator',
      ...(scopes && { scopes }),
    });
    if (made.status !== 200) throw new Error(made.text);
    return { name, client: new StaffClient(running.origin, String(made.body['token'])) };
  };
  const [expired, revoked] = [await make(), await make()];
  await database.asOwner(`update program_tokens set expires_at = now() where name = $1`, [
    expired.name,
  ]);
  await owner.post(`/tokens/${revoked.name}/revoke`);
  return {
    whole: (await make()).client,
    homeOnly: (await make(['home.read'])).client,
    auditOnly: (await make(['audit.read'])).client,
    expired: expired.client,
    revoked: revoked.client,
  };
}
