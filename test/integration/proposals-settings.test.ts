import { Type } from 'typebox';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { changePerson } from '../../src/parties/people/administer.ts';
import { compiled } from '../../src/platform/base/compiled.ts';
import { PlainError } from '../../src/platform/base/plain-error.ts';
import { insertPurpose } from '../../src/platform/db/purpose-store.ts';
import { COMMAND_LINE, mayActAlone } from '../../src/proposals/actors.ts';
import { DECISIONS_AUTHENTIC } from '../../src/proposals/authenticity.ts';
import { kind } from '../../src/proposals/kind.ts';
import type { Actor } from '../../src/proposals/kind.ts';
import { Proposals } from '../../src/proposals/proposals.ts';
import { COLLECTOR } from '../support/money-fixture.ts';
import { sharedBooks } from '../support/shared-books.ts';
import type { Books } from '../support/money-fixture.ts';
import { named } from '../support/payouts.ts';
import { addStaff } from '../support/staff.ts';

// A setting that two people decide: it acts at once while there is no second person, a new proposal replaces the one
// that waits, and it expires.

const content = Type.Object({ name: Type.String() }, { additionalProperties: false });
const nameKind = kind<{ name: string }, string, { name: string }>({
  name: 'collector_name',
  title: 'Name of a collector',
  content: compiled(content),
  ...{ proposedBy: 'vendors.act', decidedBy: 'vendors.act', ownVendor: { decides: true } },
  ...{ expiresAfterDays: 7, replaces: true, actsAlone: mayActAlone },
  about: () => COLLECTOR,
  describe: ({ name }) => [{ label: 'Name', text: name }],
  read: async (db, _content, { lock }) => {
    const sql = `select name from collectors where collector = $1${lock ? ' for update' : ''}`;
    return (await db.query<{ name: string }>(sql, [COLLECTOR])).rows[0]?.name ?? '';
  },
  check: (now, { name }) => {
    if (now === name) throw new PlainError('It has this name.', { field: 'name' });
  },
  plan: (_now, proposal) => proposal.content,
  show: ({ name }) => [{ label: 'New name', text: name }],
  apply: async (db, { name }) => {
    await db.query('update collectors set name = $2 where collector = $1', [COLLECTOR, name]);
  },
});

const freshBooks = sharedBooks();
let books: Books;
let proposals: Proposals;
beforeEach(async () => {
  books = await freshBooks();
  proposals = new Proposals(books.pool, books.ledgerMac, [nameKind]);
});
afterEach(async () => await books.close());

const propose = async (name: string, by: Actor) =>
  await proposals.propose({ kind: 'collector_name', content: { name }, by, note: 'a new sign' });
const nameNow = async () => await nameKind.read(books.pool, {}, { lock: false, proposalId: null });
const staff = async (login: string) =>
  await addStaff(books, { login, name: `${login} M.`, role: 'administrator' });

test('a setting acts at once while fewer than two people have signed in, and says so', async () => {
  const first = await propose('Shop A', named('Asha'));
  expect(first).toMatchObject({ decision: 'approved', decidedBy: 'Asha', isAlone: true });
  const asha = await staff('asha');
  await expect(propose('Shop B', named('Asha'))).rejects.toThrow('has to sign in');
  expect(await propose('Shop B', asha)).toMatchObject({ isAlone: true });
  // Somebody who names nobody, on the machine of the service.
  const unnamed = await propose('Shop B2', COMMAND_LINE);
  expect(unnamed).toMatchObject({ decidedBy: 'command line', isAlone: true });
  expect(await nameNow()).toBe('Shop B2');
  await staff('baraka');
  await expect(propose('Shop C', COMMAND_LINE)).rejects.toThrow('has to sign in');
  expect(await propose('Shop C', asha)).toMatchObject({ decision: null });
  // One of two cannot disable the other to decide alone.
  await changePerson(books, 'baraka', { status: 'disabled' });
  expect(await propose('Shop D', asha)).toMatchObject({ decision: null });
  expect(await nameNow()).toBe('Shop B2');
  expect(await DECISIONS_AUTHENTIC.find(books.pool, books.ledgerMac)).toEqual([]);
});

test('a setting acts at once in the sandbox, whoever has signed in', async () => {
  const row = { purpose: 'sandbox', markedAt: new Date(), demoEndedAt: null } as const;
  await insertPurpose(books.pool, row);
  const [asha] = [await staff('asha'), await staff('baraka')];
  expect(await propose('Shop A', asha)).toMatchObject({ isAlone: true });
  expect(await nameNow()).toBe('Shop A');
});

test('a new proposal withdraws the one that waits', async () => {
  const [asha, baraka] = [await staff('asha'), await staff('baraka')];
  const first = await propose('Shop A', asha);
  const { seen } = await proposals.preview(first.proposalId);
  const second = await propose('Shop B', asha);
  const request = { proposalId: first.proposalId, by: baraka, seen };
  await expect(proposals.approve(request)).rejects.toThrow('already withdrawn by asha');
  const shown = await proposals.preview(second.proposalId);
  await proposals.approve({ proposalId: second.proposalId, by: baraka, seen: shown.seen });
  expect(await nameNow()).toBe('Shop B');
});

test('a proposal whose time is over is refused, and the service ends it', async () => {
  const [asha, baraka] = [await staff('asha'), await staff('baraka')];
  const days = { ...nameKind, expiresAfterDays: 0 };
  proposals = new Proposals(books.pool, books.ledgerMac, [days]);
  const { proposalId } = await propose('Shop A', asha);
  const { seen } = await proposals.preview(proposalId);
  await expect(proposals.approve({ proposalId, by: baraka, seen })).rejects.toThrow('has expired');
  expect(await proposals.expire()).toBe(1);
  expect(await proposals.find(proposalId)).toMatchObject({
    ...{ decision: 'expired', decidedBy: 'malipo', isOpen: false },
  });
  expect(await nameNow()).toBe('Till');
});

test('somebody of a vendor decides only what concerns the own vendor', async () => {
  const vendorId = await books.addVendor();
  await books.addVendor();
  const own = { ...nameKind, decidedBy: 'people.act', vendorId: () => vendorId } as const;
  proposals = new Proposals(books.pool, books.ledgerMac, [own]);
  const [asha] = [await staff('asha'), await staff('baraka')];
  const vids = await books.pool.query<{ vid: string }>(
    'select vid from vendors order by vendor_id',
  );
  const [first, second] = await Promise.all(
    vids.rows.map(async ({ vid }, index) => {
      const person = { login: `boss${index}`, name: `Boss ${index}`, vid };
      return await addStaff(books, { ...person, role: 'vendor_administrator' });
    }),
  );
  const { proposalId } = await propose('Shop A', asha);
  const { seen } = await proposals.preview(proposalId);
  const by = (actor: Actor | undefined) => ({ proposalId, seen, by: actor ?? asha });
  await expect(proposals.approve(by(second))).rejects.toThrow('may not do this');
  await expect(propose('Shop B', first ?? asha)).rejects.toThrow('may not do this');
  await proposals.approve(by(first));
  expect(await nameNow()).toBe('Shop A');
});
