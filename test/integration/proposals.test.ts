import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { changePerson } from '../../src/parties/people/administer.ts';
import type { Role } from '../../src/parties/people/roles.ts';
import { signPerson } from '../../src/parties/people/authenticity.ts';
import { checkRows } from '../../src/payments/audit/check.ts';
import { RELEASES_AUTHENTIC } from '../../src/payments/quarantine/forged.ts';
import { snapshot } from '../../src/platform/db/pool.ts';
import { createMac } from '../../src/platform/base/mac.ts';
import { SEALING } from '../support/production-pair.ts';
import { quietProposals } from '../support/quiet-proposals.ts';
import { DECISIONS_AUTHENTIC, proposalText } from '../../src/proposals/authenticity.ts';
import type { Actor } from '../../src/proposals/kind.ts';
import type { Proposals } from '../../src/proposals/proposals.ts';
import { CITUS_URL } from '../support/citus.ts';
import { keepRows } from '../support/kept-rows.ts';
import { addStaff } from '../support/staff.ts';
import { openBooks } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import SWAHILI from '../../console/src/locales/proposals.sw.json' with { type: 'json' };
import { CASES } from './proposals/cases.ts';
import type { Case, People } from './proposals/case.ts';

// Every kind of proposal × everything that may happen between the proposal and the decision. An approval does exactly
// what was previewed, or is refused with a reason and changes nothing. A new kind adds an entry to a
// `…-cases.ts`.

const ENDS = ['reject', 'withdraw'] as const;

test('every kind that is registered has an entry', async () => {
  const books = await openBooks();
  const registered = quietProposals(books).kinds.map(({ name }) => name);
  await books.close();
  // An entry may say more than its kind, after a space.
  const tried = new Set(Object.keys(CASES).map((name) => name.split(' ')[0] ?? name));
  expect([...tried].toSorted()).toEqual(registered.toSorted());
});

describe.each(Object.keys(CASES))('a proposal of the kind %s', (name) => {
  let books: Books;
  let people: People;
  let proposals: Proposals;
  let given: Case;
  const prepare = async () => {
    books = await openBooks();
    const role: Role = CASES[name]?.role ?? 'finance';
    const add = async (login: string, called: string) =>
      await addStaff(books, { login, name: called, role });
    people = {
      asha: await add('asha', 'Asha Wambui'),
      baraka: await add('baraka', 'Baraka Otieno'),
      chege: await add('chege', 'Chege Mwangi'),
    };
    proposals = quietProposals(books);
    given = await (CASES[name] ?? expect.fail()).make({ books, proposals, people });
  };
  if (CITUS_URL === undefined) {
    let restore: () => Promise<void>;
    beforeAll(async () => {
      await prepare();
      restore = await keepRows(books.owner);
    });
    afterEach(async () => await restore());
    afterAll(async () => await books.close());
  } else {
    beforeEach(prepare);
    afterEach(async () => await books.close());
  }

  const approve = async (by: Actor = people.baraka, seen?: string) => {
    const proposalId = given.id;
    const shown = seen ?? (await proposals.preview(proposalId)).seen;
    return await proposals.approve({ proposalId, by, seen: shown });
  };
  const end = async (how: (typeof ENDS)[number], by?: Actor) =>
    await proposals[how]({
      ...{ proposalId: given.id, note: 'no longer needed' },
      by: by ?? (how === 'withdraw' ? people.asha : people.baraka),
    });

  async function expectState(state: unknown): Promise<void> {
    expect(await given.state()).toEqual(state);
  }

  /** The same, and that the books are right. Once for each way in which they change: reading them takes long. */
  async function expectBooks(state: unknown): Promise<void> {
    await expectState(state);
    const also = [DECISIONS_AUTHENTIC, RELEASES_AUTHENTIC];
    const { violations } = await snapshot(
      books.pool,
      async (client) => await checkRows(client, { mac: books.ledgerMac, also }),
    );
    expect(violations).toEqual([]);
  }

  /** Expects a refusal with this text, and that nothing has changed. */
  async function refused(attempt: () => Promise<unknown>, text: RegExp): Promise<void> {
    const before = await given.state();
    await expect(attempt()).rejects.toThrow(text);
    expect(await given.state()).toEqual(before);
  }

  test('does what was previewed, in one commit', async () => {
    const { lines, seen, problem } = await proposals.preview(given.id);
    expect(problem).toBeNull();
    expect(lines).toEqual(given.shown);
    expect(await proposals.withdrawOver()).toBe(0);
    await refused(async () => await approve(people.baraka, `${seen}x`), /has changed/);
    await approve(people.baraka, seen);
    await expectBooks(given.approved);
    expect((await proposals.find(given.id)).carriedOut).toEqual(given.shown);
  });

  test('is shown in Swahili as well', async () => {
    const row = await proposals.find(given.id);
    const { lines, remarks } = await proposals.preview(given.id);
    const labels = [...(proposals.describe(row) ?? []), ...lines, ...remarks];
    const english = [proposals.kindOf(row.kind)?.title, ...labels.map(({ label }) => label)];
    // One of a bank's statement names the vendor.
    const words = english.filter((text) => text?.startsWith('Credited to ') !== true);
    expect(words.filter((text) => !(text !== undefined && text in SWAHILI))).toEqual([]);
  });

  test.each(ENDS)('gives back what it holds, for good (%s)', async (how) => {
    const { seen } = await proposals.preview(given.id);
    await end(how);
    await expectBooks(given.ended);
    // All that the role of the service can do. On a cluster of the tests it owns the tables.
    await books.pool.query('update proposals set is_open = true');
    const removes = 'delete from proposal_decisions';
    const changes = `update proposal_decisions set decision = 'approved'`;
    for (const sql of CITUS_URL === undefined ? [removes, changes] : []) {
      await expect(books.pool.query(sql)).rejects.toThrow('permission');
    }
    await refused(async () => await approve(people.baraka, seen), /already/);
    await refused(async () => await end('reject'), /already/);
  });

  test('approval is refused if the owner of the tables removes the decision', async () => {
    const { seen } = await proposals.preview(given.id);
    await end('reject');
    await books.owner.query('delete from proposal_decisions where proposal_id = $1', [given.id]);
    await refused(async () => await approve(people.baraka, seen), /changed in the database/);
    expect(await DECISIONS_AUTHENTIC.find(books.pool, books.ledgerMac)).toEqual([
      expect.stringContaining('it waits, but is not listed'),
    ]);
  });

  test.each([
    ['approved', '[]'],
    ['rejected', null],
  ])(
    'no row in the database makes a proposal %s, and it can be rejected',
    async (decision, carriedOut) => {
      const { seen } = await proposals.preview(given.id);
      const forge = `insert into proposal_decisions (decided_at, proposal_id, decision, decided_by, note, is_alone,
        carried_out, mac) values (now(), $1, $2, 'Baraka', '', false, $3, '')`;
      await books.pool.query(forge, [given.id, decision, carriedOut]);
      const shown = await proposals.find(given.id);
      expect([shown.decision, proposals.describe(shown)]).toEqual([null, undefined]);
      await refused(async () => await approve(people.baraka, seen), /Reject it/);
      await end('reject', people.chege);
      await end('reject', people.chege);
      await expectState(given.ended);
      expect(await DECISIONS_AUTHENTIC.find(books.pool, books.ledgerMac)).toEqual([
        expect.stringContaining('its decision was altered'),
      ]);
    },
  );

  test('approval is refused after the facts changed', async () => {
    const { seen } = await proposals.preview(given.id);
    await given.changeFacts();
    await refused(async () => await approve(people.baraka, seen), given.reason);
    // What was done in another way for good, the service withdraws.
    if ((await proposals.withdrawOver()) === 0) await end('reject');
    else await refused(async () => await end('reject'), /already withdrawn by malipo/);
    await expectBooks(given.endedAfterChange ?? given.ended);
  });

  test('approval is right, or refused, after the money was spent', async () => {
    const { seen } = await proposals.preview(given.id);
    const right = await given.spend();
    if (right === 'refused') {
      await refused(async () => await approve(people.baraka, seen), given.reason);
      return;
    }
    await approve();
    await expectBooks(right);
  });

  test.each(['asha', 'baraka'])(
    'approval is refused after %s lost the permission',
    async (login) => {
      await changePerson(books, login, { role: given.powerless ?? 'risk' });
      if (login === 'asha' && given.isProposedByAll === true) return;
      await refused(async () => await approve(), /may not/);
      await end('reject', people.chege);
      await expectState(given.ended);
    },
  );

  test.each(['asha', 'baraka'])('approval is refused after %s was disabled', async (login) => {
    await changePerson(books, login, { status: 'disabled' });
    await refused(async () => await approve(), /may not/);
  });

  test.each(['asha', 'baraka'] as const)(
    'approval is refused while %s is unconfirmed',
    async (login) => {
      const { personId } = people[login];
      await books.pool.query('update people set waits_for = $2 where person_id = $1', [
        personId,
        people.chege.personId,
      ]);
      await signPerson(books.pool, personId, books.ledgerMac);
      await refused(async () => await approve(), /confirm|may not/);
    },
  );

  test('no proposer approves under any name, account or surface', async () => {
    const { asha } = people;
    const role = CASES[name]?.role ?? 'finance';
    const twin = await addStaff(books, { login: 'second', name: 'ASHA  wambui', role });
    const named = await addStaff(books, { login: 'ａsha', name: 'Another Name', role }).catch(
      () => twin,
    );
    for (const by of [asha, { ...asha, name: 'Somebody' }, twin, named]) {
      await refused(async () => await approve(by), /another person/);
    }
    // The command line, without a login.
    for (const text of ['Asha', 'ASHA', 'ａｓｈａ', 'Baraka']) {
      const by = { personId: null, name: text };
      await refused(async () => await approve(by), /has to sign in/);
    }
  });

  test.each(['approve', ...ENDS] as const)(
    'only one decision is made, approved against %s',
    async (how) => {
      const { seen } = await proposals.preview(given.id);
      await Promise.allSettled([
        approve(people.baraka, seen),
        how === 'approve' ? approve(people.chege, seen) : end(how),
      ]);
      const { decision } = await proposals.find(given.id);
      await expectBooks(decision === 'approved' ? given.approved : given.ended);
      await refused(async () => await approve(people.chege, seen), /already/);
    },
  );

  test('is refused after its time is over, and the service ends it', async () => {
    const { seen } = await proposals.preview(given.id);
    const row = await proposals.find(given.id);
    const mac = books.ledgerMac.sign(proposalText({ ...row, expiresAt: row.proposedAt }));
    const expire = 'update proposals set expires_at = proposed_at, mac = $2 where proposal_id = $1';
    await books.owner.query(expire, [given.id, mac]);
    await refused(async () => await approve(people.baraka, seen), /has expired/);
    expect(await proposals.expire()).toBe(1);
    await expectBooks(given.ended);
    await refused(async () => await approve(people.baraka, seen), /already expired by malipo/);
  });

  test('is done once when it is proposed again in another tab', async () => {
    const { seen } = await proposals.preview(given.id);
    const { kind, content } = await proposals.find(given.id);
    const again = { kind, content, by: people.chege, note: 'from another tab' };
    if (proposals.kindOf(kind)?.replaces !== true) {
      // Or the first one holds the money.
      await refused(
        async () => await proposals.propose(again),
        /Another proposal|The vendor has|refunded/,
      );
      return;
    }
    const { proposalId } = await proposals.propose(again);
    await refused(async () => await approve(people.baraka, seen), /already withdrawn by chege/);
    await proposals.reject({ proposalId, by: people.baraka, note: '' });
    await expectState(given.ended);
  });

  test('is refused under another key of the ledger, and done under another master key', async () => {
    const { lines, seen } = await proposals.preview(given.id);
    const foreign = quietProposals({ ...books, ledgerMac: createMac(Buffer.alloc(32, 'other')) });
    const request = { proposalId: given.id, by: people.baraka, seen };
    await refused(async () => await foreign.approve(request), /was changed in the database/);
    await refused(async () => await foreign.reject(request), /may not/);
    const masterKeys = {
      current: Buffer.alloc(32, 'new'),
      previous: SEALING.masterKeys.current,
    };
    const later = quietProposals({ ...books, masterKeys });
    expect((await later.preview(given.id)).lines).toEqual(lines);
    await later.approve(request);
    await expectState(given.approved);
  });

  const ALTERED = {
    kind: `'another'`,
    about: `about || 'x'`,
    content: `content || '{"extra": "1"}'`,
    shown: `'[]'`,
    note: `'another'`,
    vendor_id: 'coalesce(vendor_id, 0) + 1',
    proposed_by: `'chege'`,
    proposer_id: 'gen_random_uuid()',
    proposed_at: `proposed_at - interval '1 day'`,
    expires_at: `'infinity'`,
    mac: `decode(repeat('ab', 32), 'hex')`,
  } as const;
  const alter = async (column: string, value: string) =>
    await books.owner.query(`update proposals set ${column} = ${value} where proposal_id = $1`, [
      given.id,
    ]);

  test('is refused after any column was altered, and done after that was undone', async () => {
    const { seen } = await proposals.preview(given.id);
    await books.owner.query('create table kept as table proposals');
    for (const [column, value] of [...Object.entries(ALTERED), ['proposed_at', `'infinity'`]]) {
      await alter(column ?? '', value ?? '');
      await refused(async () => await approve(people.baraka, seen), /was changed in the database/);
      expect(await DECISIONS_AUTHENTIC.find(books.pool, books.ledgerMac)).toEqual([
        expect.stringContaining(`${given.id} (`),
      ]);
      await alter(column ?? '', `(select ${column} from kept where proposal_id = $1)`);
    }
    await books.owner.query('drop table kept');
    await approve(people.baraka, seen);
    await expectState(given.approved);
  });

  test.each(['kind', 'about', 'content', 'vendor_id', 'proposed_by', 'mac'] as const)(
    'can be rejected after %s was altered',
    async (column) => {
      await alter(column, ALTERED[column]);
      if (column === 'kind') await changePerson(books, 'chege', { role: 'administrator' });
      await end('reject', people.chege);
      await expectState(given.ended);
      expect(await DECISIONS_AUTHENTIC.find(books.pool, books.ledgerMac)).toEqual([]);
    },
  );
});
