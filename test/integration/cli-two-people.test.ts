import { Readable } from 'node:stream';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openLedgerMac } from '../../src/parties/ledger-key.ts';
import { openSecretsOf } from '../../src/parties/keys.ts';
import { findOperator } from '../../src/payments/billers/store.ts';
import { addPerson, changePerson } from '../../src/parties/people/administer.ts';
import { listAudit } from '../../src/parties/people/read-audit.ts';
import { acceptLink, createLink } from '../../src/parties/people/links.ts';
import { newCodeSecret } from '../../src/parties/people/one-time-code.ts';
import { findPerson } from '../../src/parties/people/read-people.ts';
import type { Role } from '../../src/parties/people/roles.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { createProposals } from '../../src/proposal-kinds.ts';
import { confirmedBy } from '../../src/proposals/parties/person.ts';
import { createWireTime } from '../../src/platform/base/clock.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { keysOf, must, newMasterKey, withInput } from './cli-support.ts';
import type { Ran } from './cli-support.ts';

// Where staff sign in with one-time codes, a name is not enough on the command line.

const PASSWORD = ' correct horse battery ';
const MINUTE_MS = 60_000;

let database: TestDatabase;
let pool: Pool;
let environment: Record<string, string>;
const secrets = new Map<string, string>();

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.url, max: 2, name: 'test' });
  environment = { DATABASE_URL: database.url, MASTER_KEY: newMasterKey() };
  const options = ['--connector', 'http-json', '--base-url', 'https://pay.example.com'];
  await must(environment, 'operator', 'set', 'kplc', '--name', 'KPLC', options);
  const biller = ['--name', 'Tokens', '--category', 'power', '--operator', 'kplc'];
  await must(environment, 'biller', 'set', 'tokens', biller, '--minimum', '50');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** A person who set up codes some time ago. */
async function staff(login: string, role: Role, now = new Date(Date.now() - 10 * MINUTE_MS)) {
  const deps = await depsOf(pool, environment);
  await addPerson(deps, { login, name: login, role }, now);
  await useLink(deps, login, await createLink(deps, login, { madeBy: null, now }), now);
}

async function depsOf(at: Pool, { MASTER_KEY = '' }: Readonly<Record<string, string>>) {
  const masterKeys = keysOf(MASTER_KEY);
  return { pool: at, ledgerMac: await openLedgerMac(at, masterKeys), masterKeys };
}

async function useLink(
  deps: Awaited<ReturnType<typeof depsOf>>,
  login: string,
  token: string,
  now = new Date(),
): Promise<void> {
  const secret = newCodeSecret();
  secrets.set(login, secret);
  const codes = { secret, code: codeOf(login, now) };
  await acceptLink({ ...deps, codesRequired: true }, { token, password: PASSWORD, codes }, now);
}

function codeOf(login: string, at = new Date()): string {
  const secret = Secret.fromBase32(secrets.get(login) ?? '');
  return new TOTP({ secret, digits: 6, period: 30 }).generate({ timestamp: at.getTime() });
}

const signedIn = async (login: string, password: string, ...words: string[]): Promise<Ran> =>
  await withInput(
    `${password}\n${codeOf(login)}\n`,
    environment,
    ...words,
    ...['--by', login, '--json'],
  );
/** The command that approves what is shown now. */
const approval = async (proposal: string): Promise<string[]> => {
  const shown = await must(environment, 'proposal', 'show', proposal, '--json');
  return ['proposal', 'approve', proposal, '--seen', shown.json<{ seen: string }>().seen];
};
const topUp = (reference: string): string[] => [
  ...['house', 'entry', 'propose', 'kplc', '--amount', '500.00', '--reference', reference],
];

test('names are enough as long as nobody signs in with codes', async () => {
  const entered = await must(environment, ...topUp('FT1'), '--by', 'Asha', '--json');
  const { entry } = entered.json<{ entry: string }>();
  await must(environment, ...(await approval(entry)), '--by', 'Baraka');
});

test('then each of the two signs in, and is in the audit log', async () => {
  await staff('asha', 'finance');
  await staff('baraka', 'finance');
  const named = await withInput('', environment, ...topUp('FT2'), '--by', 'Asha Other');
  expect(named.stderr).toContain('Asha Other is not the login of a member of staff');
  const silent = await withInput('', environment, ...topUp('FT2'), '--by', 'asha');
  expect(silent.stderr).toContain('Password and one-time code are needed');
  const entered = await signedIn('asha', PASSWORD, ...topUp('FT2'));
  const { entry } = entered.json<{ entry: string }>();
  const approve = await approval(entry);
  const wrong = await signedIn('baraka', PASSWORD.trim(), ...approve);
  expect(wrong).toMatchObject({ exitCode: 1 });
  expect((await signedIn('baraka', PASSWORD, ...approve)).exitCode).toBe(0);
  const shown = await must(environment, 'house', 'entry', 'list', '--all', '--json');
  expect(shown.json<{ entries: unknown[] }>().entries).toContainEqual(
    expect.objectContaining({ entry, proposed_by: 'asha', decided_by: 'baraka' }),
  );
  const decided = await listAudit(pool, { action: 'proposal.approve', limit: 1 });
  expect(decided).toMatchObject([
    { login: 'baraka', target: entry, address: 'command line', result: 'done' },
  ]);
  const failed = await listAudit(pool, { action: 'session.start', limit: 1 });
  expect(failed).toMatchObject([
    { login: 'baraka', target: 'proposal.approve', result: 'refused' },
  ]);
  const noted = [...decided, ...failed];
  expect(JSON.stringify(noted)).not.toContain(PASSWORD.trim());
});

test('the role has to allow it, and the same person is refused', async () => {
  await staff('salim', 'support');
  const refused = await signedIn('salim', PASSWORD, ...topUp('FT3'));
  expect(refused.stderr).toContain('The role support of salim does not allow this');
  await staff('chege', 'finance');
  const entered = await signedIn('chege', PASSWORD, ...topUp('FT3'));
  const { entry } = entered.json<{ entry: string }>();
  const next = codeOf('chege', new Date(Date.now() + MINUTE_MS / 2));
  const words = [...(await approval(entry)), '--by', 'CHEGE'];
  const own = await withInput(`${PASSWORD}\n${next}\n`, environment, ...words);
  expect(own.stderr).toContain('another person has to approve it');
});

test('a role that is changed until the person signs in allows nothing', async () => {
  await staff('salma', 'support');
  const setRole = async (role: Role): Promise<unknown> =>
    await pool.query('update people set role = $2 where login = $1', ['salma', role]);
  await setRole('finance');
  const input = async function* (): AsyncGenerator<string> {
    await setRole('support');
    yield `${PASSWORD}\n${codeOf('salma')}\n`;
  };
  const words = [...topUp('FT4'), '--by', 'salma'];
  const refused = await withInput(Readable.from(input()), environment, ...words);
  expect(refused).toMatchObject({ exitCode: 1 });
  expect(refused.stderr).toContain('salma was changed in the database');
  await setRole('support');
});

test('neither is a name enough for what risk decides about the credit registry', async () => {
  const set = ['credit', 'suppression', 'set', 'small_debts', '--balance-up-to', '1000'];
  const rule = [...set, '--reason', 'a directive', '--evidence', 'circular 3'];
  const named = await withInput('', environment, ...rule, '--by', 'Asha Other');
  expect(named.stderr).toContain('Asha Other is not the login of a member of staff');
  const finance = await signedIn('asha', PASSWORD, ...rule);
  expect(finance.stderr).toContain('The role finance of asha does not allow this');
  await staff('rehema', 'risk');
  await staff('rashid', 'risk');
  const made = await signedIn('rehema', PASSWORD, ...rule);
  const { proposal, seen } = made.json<{ proposal: string; seen: string }>();
  const approve = ['proposal', 'approve', proposal, '--seen', seen];
  const other = await withInput('', environment, ...approve, '--by', 'Rehema Other');
  expect(other.stderr).toContain('Rehema Other is not the login of a member of staff');
  const reject = ['proposal', 'reject', proposal, '--note', 'no'];
  expect((await withInput('', environment, ...reject, '--by', 'Nobody')).exitCode).toBe(1);
  const approved = await signedIn('rashid', PASSWORD, ...approve);
  expect(approved.json()).toMatchObject({ proposed_by: 'rehema', decided_by: 'rashid' });
  const noted = await listAudit(pool, { action: 'proposal.approve', limit: 1 });
  expect(noted).toMatchObject([{ login: 'rashid', target: proposal, result: 'done' }]);
});

test('links that the command line makes are in the audit log', async () => {
  await must(environment, 'person', 'link', 'asha');
  const [noted] = await listAudit(pool, { action: 'person.link', limit: 1 });
  expect(noted).toMatchObject({ login: 'command line', target: 'asha', result: 'done' });
  const why = 'at once, because no other administrator can confirm it';
  expect(noted?.after).toMatchObject({ alone: why });
  // As does the proposal that nobody had to approve.
  const { rows } = await pool.query(
    `select d.decision, d.is_alone as "isAlone", d.note from proposals p join proposal_decisions d using (proposal_id)
     where p.kind = 'person' and p.content ->> 'login' = 'asha' order by d.decided_at desc limit 1`,
  );
  expect(rows).toEqual([{ decision: 'approved', isAlone: true, note: why }]);
});

const tokenOf = (ran: Ran): string => ran.json<{ link: string }>().link.split('#')[1] ?? '';

test('whom one administrator invites on the command line is confirmed by another one', async () => {
  for (const login of ['zuri', 'zawadi', 'zola']) await staff(login, 'administrator');
  const add = ['person', 'add', 'puppet', '--name', 'P', '--role', 'administrator'];
  for (const words of [
    add,
    ['person', 'link', 'baraka'],
    ['person', 'set', 'salim', '--role', 'finance'],
    ['person', 'enable', 'salma'],
  ]) {
    const nameless = await withInput('', environment, ...words);
    expect(nameless.stderr).toContain('another administrator then confirms it');
  }
  await must(environment, 'person', 'disable', 'salma');
  const deps = await depsOf(pool, environment);
  const person = async (login: string) => await findPerson(pool, login);
  await useLink(deps, 'puppet', tokenOf(await signedIn('zuri', PASSWORD, ...add)));
  const waitsFor = async (login: string) => (await person(login))?.waitsFor ?? '';
  const id = await waitsFor('puppet');
  const shown = (await must(environment, 'proposal', 'show', id, '--json')).json<{
    seen: string;
  }>();
  const approve = ['proposal', 'approve', id, '--seen', shown.seen];
  const approved = await signedIn('zola', PASSWORD, ...approve);
  expect(approved.json()).toMatchObject({ proposed_by: 'zuri', decided_by: 'zola' });
  expect(await waitsFor('puppet')).toBe('');
  await signedIn('zawadi', PASSWORD, 'person', 'set', 'salim', '--role', 'finance');
  const changed = await waitsFor('salim');
  const listed = await must(environment, 'proposal', 'show', changed, '--json');
  expect(listed.json()).toMatchObject({ kind: 'person', proposed_by: 'zawadi' });
  const [noted] = await listAudit(pool, { action: 'person.set', limit: 1 });
  expect(noted).toMatchObject({ login: 'zawadi', target: 'salim', address: 'command line' });
  // A colleague without the role may make a link: the administrator who confirms it is somebody else.
  await staff('nuru', 'support');
  const reset = await signedIn('nuru', PASSWORD, 'person', 'link', 'zuri');
  await useLink(deps, 'zuri', tokenOf(reset));
  const made = await must(environment, 'proposal', 'show', await waitsFor('zuri'), '--json');
  expect(made.json()).toMatchObject({ proposed_by: 'nuru' });
});

test('nobody keeps links of the time before two people had signed in, to be more people later', async () => {
  const alone = await createTestDatabase();
  const own = createPool({ url: alone.url, max: 2, name: 'test' });
  try {
    const env = { DATABASE_URL: alone.url, MASTER_KEY: newMasterKey() };
    const tokens = new Map<string, string>();
    for (const login of ['first', 'second', 'spare']) {
      const words = ['person', 'add', login, '--name', login, '--role', 'administrator', '--json'];
      tokens.set(login, tokenOf(await must(env, ...words)));
    }
    const deps = await depsOf(own, env);
    const use = async (login: string) => await useLink(deps, login, tokens.get(login) ?? '');
    await use('first');
    await use('second');
    await expect(use('spare')).rejects.toMatchObject({ code: 'link_invalid' });
    // Nor do names count again once everybody is disabled.
    for (const login of ['first', 'second']) await must(env, 'person', 'disable', login);
    const named = await withInput('', env, ...topUp('FT9'), '--by', 'Asha');
    expect(named.stderr).toContain('Asha is not the login of a member of staff');
    const [noted] = await listAudit(own, { action: 'person.add', limit: 1 });
    expect(noted?.after).toMatchObject({
      alone: 'at once, because fewer than two members of staff sign in',
    });
  } finally {
    await own.end();
    await alone.drop();
  }
});

test('whom the only administrator invites, and nobody can confirm, is no second person', async () => {
  const alone = await createTestDatabase();
  const own = createPool({ url: alone.url, max: 2, name: 'test' });
  try {
    const env = { DATABASE_URL: alone.url, MASTER_KEY: newMasterKey() };
    const add = ['person', 'add', 'only', '--name', 'Only', '--role', 'administrator', '--json'];
    const deps = await depsOf(own, env);
    await useLink(deps, 'only', tokenOf(await must(env, ...add)));
    const personId = (await findPerson(own, 'only'))?.personId ?? '';
    const proposals = createProposals({ ...deps, wireTime: createWireTime('UTC') });
    const confirm = confirmedBy(proposals, { by: { personId, name: 'only' }, note: 'new' });
    const invited = { login: 'second', name: 'Second', role: 'administrator' } as const;
    await addPerson({ ...deps, confirm }, invited, new Date());
    const made = { madeBy: personId, now: new Date() };
    await useLink(deps, 'second', await createLink({ ...deps, confirm }, 'second', made));
    expect((await findPerson(own, 'second'))?.waitsFor).not.toBeNull();
    // The way out: nobody else could make, or confirm, another link.
    const link = ['person', 'link', 'second', '--json'];
    await useLink(deps, 'second', tokenOf(await must(env, ...link)));
    expect((await findPerson(own, 'second'))?.waitsFor).toBeNull();
    // From now on there are two, also while one of them is disabled, or waits.
    await must(env, 'person', 'disable', 'second');
    expect((await withInput('', env, ...link)).stderr).toContain('another administrator then');
    await changePerson(deps, 'second', { status: 'active' });
    await changePerson({ ...deps, confirm }, 'second', { role: 'risk' });
    expect((await withInput('', env, ...link)).stderr).toContain('another administrator then');
  } finally {
    await own.end();
    await alone.drop();
  }
});

test('a price needs a proven name, and every command that changes something is in the audit log', async () => {
  const alone = await createTestDatabase();
  const own = createPool({ url: alone.url, max: 1, name: 'test' });
  try {
    const env = { DATABASE_URL: alone.url, MASTER_KEY: newMasterKey() };
    const options = ['--connector', 'http-json', '--base-url', 'https://pay.example.com'];
    await must(env, 'operator', 'set', 'zuku', '--name', 'Zuku', options);
    const secret = 'whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlYw==';
    await must(env, 'operator', 'set-key', 'zuku', '--key', secret);
    const biller = ['--name', 'Zuku', '--category', 'tv', '--operator', 'zuku', '--minimum', '50'];
    await must(env, 'biller', 'set', 'zuku', biller);
    await must(env, 'price', 'set', 'zuku', '--flat', '99', '--by', 'Asha');
    await must(env, 'price', 'list');
    const noted = await listAudit(own, { limit: 10 });
    expect(noted.toReversed()).toMatchObject([
      { action: 'operator.set', target: 'zuku', result: 'done' },
      { action: 'operator.set-key', target: 'zuku', result: 'done' },
      { action: 'biller.set', target: 'zuku', result: 'done' },
      { action: 'price.set', reason: 'Asha: no reason given', result: 'done' },
    ]);
    expect(noted).toHaveLength(4);
    expect(JSON.stringify(noted)).not.toContain(secret);
  } finally {
    await own.end();
    await alone.drop();
  }

  // Where people sign in, nobody sets a price under a name that is not theirs.
  const price = ['price', 'set', 'tokens', '--flat', '99'];
  const named = await withInput('', environment, ...price, '--by', 'Nobody');
  expect(named.stderr).toContain('Nobody is not the login of a member of staff');
  await staff('farida', 'finance');
  await staff('faraji', 'finance');
  const feeNow = async () =>
    (await must(environment, 'price', 'show', 'tokens', '500', '--json')).json()['fee'];
  const asked = await signedIn('farida', PASSWORD, ...price);
  const { proposal, seen } = asked.json<{ proposal: string; seen: string }>();
  expect(asked.json()).toMatchObject({
    ...{ decision: null, kind: 'price_setting' },
    would: [
      { label: 'Fee', text: 'tokens' },
      { label: 'Price', text: 'none → 99.00' },
    ],
  });
  expect(await feeNow()).toBe('0.00');
  expect(await listAudit(pool, { action: 'price.set', limit: 5 })).toMatchObject([
    { login: 'farida', target: 'tokens', result: 'done' },
  ]);
  const approve = ['proposal', 'approve', proposal, '--seen', seen];
  expect((await withInput('', environment, ...approve, '--by', 'Nobody')).exitCode).toBe(1);
  expect((await signedIn('faraji', PASSWORD, ...approve)).exitCode).toBe(0);
  expect(await feeNow()).toBe('99.00');
});

test('where payments go needs two people who sign in, and the key that waits is not readable', async () => {
  await staff('omari', 'operations');
  await staff('owino', 'operations');
  const baseUrl = async () => (await findOperator(pool, 'kplc'))?.baseUrl;
  const move = ['operator', 'set', 'kplc', '--base-url', 'https://new.example.com'];
  const nobody = await withInput('', environment, ...move);
  expect(nobody.stderr).toContain('--by: Give the login');
  const asked = await signedIn('omari', PASSWORD, ...move);
  const moved = asked.json<{ proposal: string; seen: string }>();
  expect(asked.json()).toMatchObject({
    decision: null,
    would: [
      { label: 'Operator', text: 'kplc' },
      { label: 'Address', text: 'https://pay.example.com → https://new.example.com' },
      { label: 'Former merchant accounts', text: '0 → 1' },
    ],
  });
  expect(await baseUrl()).toBe('https://pay.example.com');
  const listed = await must(environment, 'proposal', 'list');
  expect(listed.stdout).toMatch(/ proposed by omari +Operator: kplc; Address: https:.*…$/m);
  const approve = async ({ proposal, seen }: typeof moved, login = 'owino') =>
    await signedIn(login, PASSWORD, 'proposal', 'approve', proposal, '--seen', seen);
  expect((await approve(moved)).exitCode).toBe(0);
  expect(await baseUrl()).toBe('https://new.example.com');

  const secret = 'whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlYw==';
  await staff('otieno', 'operations');
  await staff('okello', 'operations');
  // The key, then what the person signs in with.
  const keyed = await withInput(
    `${secret}\n${PASSWORD}\n${codeOf('otieno')}\n`,
    environment,
    ...['operator', 'set-key', 'kplc', '--key', '-', '--by', 'otieno', '--json'],
  );
  const { proposal, seen } = keyed.json<{ proposal: string; seen: string }>();
  expect(keyed.stdout).not.toContain(secret);
  const stored = await pool.query('select content, shown from proposals where proposal_id = $1', [
    proposal,
  ]);
  expect(JSON.stringify(stored.rows)).not.toContain(secret);
  const holder = { holderKind: 'operator', holder: 'kplc' } as const;
  const masterKeys = keysOf(environment['MASTER_KEY'] ?? '');
  expect(await openSecretsOf(pool, holder, masterKeys)).toEqual([]);
  expect((await approve({ proposal, seen }, 'okello')).exitCode).toBe(0);
  expect(await openSecretsOf(pool, holder, masterKeys)).toEqual([secret]);
});

test('two people decide for whom a collector may report income', async () => {
  await staff('amina', 'administrator');
  await staff('ali', 'administrator');
  const add = ['collector', 'add', 'till', '--name', 'Till', '--all-vendors'];
  expect((await withInput('', environment, ...add)).stderr).toContain('--by: Give the login');
  const asked = await signedIn('amina', PASSWORD, ...add);
  const made = asked.json<{ proposal: string; seen: string; secret: string }>();
  expect(asked.json()).toMatchObject({
    would: [
      { label: 'Collector', text: 'till' },
      { label: 'Name', text: 'Till' },
      { label: 'May collect for', text: 'every vendor' },
      { label: 'Signature', text: 'v1' },
    ],
  });
  const holder = { holderKind: 'collector', holder: 'till' } as const;
  const masterKeys = keysOf(environment['MASTER_KEY'] ?? '');
  expect(await openSecretsOf(pool, holder, masterKeys)).toEqual([]);
  const approve = ['proposal', 'approve', made.proposal, '--seen', made.seen];
  const approved = await signedIn('ali', PASSWORD, ...approve);
  expect(approved.exitCode).toBe(0);
  // The approver does not get the key.
  expect(approved.stdout).not.toContain(made.secret);
  expect(await openSecretsOf(pool, holder, masterKeys)).toEqual([made.secret]);
});

test('income that a person reports, and what is paid from a float, need two people', async () => {
  for (const login of ['faith', 'fatuma']) await staff(login, 'finance');
  await must(environment, 'vendor', 'add', 'acme', '--name', 'Acme', '--sector', 'retail');
  const income = ['--collector', 'till', '--vid', 'acme', '--reference', 'T1', '--amount', '5000'];
  const collect = ['income', 'collect', ...income];
  const note = ['--note', 'their link was down, e-mail of 3 March'];
  const nobody = await withInput('', environment, ...collect, ...note);
  expect(nobody.stderr).toContain('--by: Give the login');
  await staff('fadhili', 'finance');
  const noReason = await signedIn('fadhili', PASSWORD, ...collect);
  expect(noReason.stderr).toContain('--note: Say why');
  const asked = await signedIn('faith', PASSWORD, ...collect, ...note);
  const { proposal, seen } = asked.json<{ proposal: string; seen: string }>();
  expect(asked.json()).toMatchObject({ decision: null, reference: null, vid: 'acme' });
  const fund = async () => (await must(environment, 'income', 'fund', 'acme', '--json')).json();
  expect(await fund()).toMatchObject({ amount: '0.00' });
  const approve = ['proposal', 'approve', proposal, '--seen', seen];
  expect((await signedIn('fatuma', PASSWORD, ...approve)).exitCode).toBe(0);
  expect(await fund()).toMatchObject({ amount: '5000.00' });
  await staff('fikiri', 'finance');
  const again = await signedIn('fikiri', PASSWORD, ...collect);
  expect(again.json()).toMatchObject({ repeated: true, amount: '5000.00' });
  const pay = ['pay', '--vid', 'acme', '--biller', 'tokens', '--account', '12345678'];
  const paid = await withInput('', environment, ...pay, '--amount', '100');
  expect(paid).toMatchObject({ exitCode: 1, stdout: '' });
  expect(paid.stderr).toContain('only the vendor’s own people do this');
});

test.each([
  ['receipts', 'reversed', 'UA51000001', '--note', 'their call'],
  ['day', 'close', '2026-01-05'],
  ['credit', 'dispute', 'open', '--crn', '1', '--account', '1', '--statement', 'not mine'],
  ['credit', 'access-link', '--crn', '1', '--evidence', 'card seen'],
  ['credit', 'lender-amounts', 'L1', '--amounts', 'cents'],
  [
    ...['credit', 'import', 'loans.csv', '--template', 'mobile', '--lender', 'L1'],
    ...['--sector', 'mobile_lender', '--as-of', '2026-10-31'],
  ],
])('nobody does %s %s under a name that is not theirs', async (...words) => {
  const named = await withInput('', environment, ...words, '--by', 'Asha Other');
  expect(named.stderr).toContain('Asha Other is not the login of a member of staff');
});
