import { randomBytes } from 'node:crypto';
import dns from 'node:dns';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/platform/base/clock.ts';
import { createMetropolBureau } from '../../src/credit/bureaus/metropol/bureau.ts';
import { shippedScorecards } from '../../src/credit/scorecards/score.ts';
import type { MetropolOptions } from '../../src/credit/bureaus/metropol/bureau.ts';
import { signedHeaders } from '../../src/credit/bureaus/metropol/signing.ts';
import type { Bureau, BureauQuestion } from '../../src/credit/bureaus/bureau.ts';
import { erasePayloads } from '../../src/credit/enquiries/retention.ts';
import { beginCall } from '../../src/credit/bureaus/upstream-store.ts';
import { createEnquiryService } from '../../src/credit/enquiries/service.ts';
import type { EnquiryService } from '../../src/credit/enquiries/service.ts';
import { rotateKeys } from '../../src/credit/rotation/rotate.ts';
import { createVault } from '../../src/credit/registry/vault.ts';
import type { Vault } from '../../src/credit/registry/vault.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { METROPOL_KEYS, startMetropolEmulator } from '../support/metropol-emulator.ts';
import type { MetropolEmulator, Fault } from '../support/metropol-emulator.ts';

const MASTER = { current: randomBytes(32), previous: undefined };
const INDEX = { current: randomBytes(32), previous: undefined };
const vault = createVault({ master: MASTER, index: INDEX });
let database: TestDatabase;
let pool: Pool;
let lanePool: Pool;
let emulator: MetropolEmulator;
let bureau: Bureau;
let receiver: EnquiryService;
let references = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.url, max: 4, name: 'test' });
  lanePool = createPool({ url: database.url, max: 1, name: 'test lane' });
});

beforeEach(async () => {
  await emulator?.close();
  emulator = await startMetropolEmulator();
  await useVault(vault);
});

type Params = Readonly<Record<string, string>>;

/** A bureau and an enquiry service that seal with these keys. */
async function useVault(keys: Vault, settings: Partial<MetropolOptions> = {}): Promise<void> {
  await bureau?.close();
  ({ bureau, receiver } = open(keys, settings));
}

function open(
  keys: Vault,
  settings: Partial<MetropolOptions> = {},
): { readonly bureau: Bureau; readonly receiver: EnquiryService } {
  const opened = createMetropolBureau({
    ...METROPOL_KEYS,
    url: emulator.url,
    timeoutMs: 10_000,
    pool,
    vault: keys,
    clock: systemClock,
    timeZone: 'Africa/Nairobi',
    cards: () => ({ champions: shippedScorecards(), challengers: {} }),
    ...settings,
  });
  const shared = {
    pool,
    lanePool,
    laneConnections: 1,
    laneDeadlineMs: 5_000,
    clock: systemClock,
    missesPerHour: 0,
  };
  return {
    bureau: opened,
    receiver: createEnquiryService({ ...shared, vault: keys, bureau: opened }),
  };
}

afterAll(async () => {
  await bureau.close();
  await emulator.close();
  await pool.end();
  await lanePool.end();
  await database.drop();
});

function question(change: Partial<BureauQuestion> = {}): BureauQuestion {
  references += 1;
  return {
    vendor: { vendorId: 7, name: 'A lender', sector: 'bank', enquiryPolicy: 'open' },
    operation: 'generic-score',
    requestReference: `Upstream${references}`,
    reportReason: 2,
    reportSector: 2,
    dateOfBirth: '',
    documents: [{ type: 'nationalID', number: '31555000' }],
    names: ['Zawadi', 'Kariuki'],
    ...change,
  };
}

async function ask(
  asked: BureauQuestion,
  { at = receiver, content = { nationalID: 'x' } }: { at?: EnquiryService; content?: Params } = {},
): Promise<string> {
  return await at.ask(
    {
      ...asked,
      content,
      keyId: 'k',
      consentReference: null,
      consentDate: null,
    },
    (finding, source) => ({
      source,
      crn: finding.crn,
      score: finding.score?.score ?? null,
      here: finding.computedHere,
    }),
  );
}

test('headers are signed over the exact body, to the microsecond', () => {
  const headers = signedHeaders(
    '{"report_type":1}',
    METROPOL_KEYS,
    new Date('2026-11-21T05:06:07.089Z'),
  );
  expect(headers['x-metropol-rest-api-timestamp']).toBe('20261121050607089000');
});

describe('Metropol as the bureau', () => {
  test('answers from identity, credit information and score, and says what was computed here', async () => {
    const answer = await bureau.ask(question());
    expect(answer).toMatchObject({
      kind: 'found',
      upstreamId: 'TRX1',
      finding: {
        profile: {
          name: { surname: 'KARIUKI', forenames: ['ZAWADI', 'NJERI'] },
          dateOfBirth: '1988-04-02',
          gender: 'F',
        },
        score: { score: '567', grade: expect.stringMatching(/^[A-J]{2}$/) },
        computedHere: expect.arrayContaining(['summary', 'score.probability']),
      },
    });
    if (answer.kind !== 'found') return;
    expect(
      answer.finding.file.accounts.map((one) => [
        one.sector,
        one.current.status,
        one.current.riskClass,
      ]),
    ).toEqual([
      ['bank', 'F', 'A'],
      ['other', 'F', 'D'],
      ['other', 'A', 'A'],
    ]);
    expect(emulator.billed.map(({ path }) => path)).toEqual([
      '/identity/verify',
      '/report/credit_info',
      '/score/consumer',
    ]);
  });

  test('asks for the mobile products, and maps the reason', async () => {
    const answer = await bureau.ask(question({ operation: 'mobile-loan-score', reportReason: 4 }));
    expect(answer).toMatchObject({ finding: { score: { score: '612' } } });
    expect(emulator.billed[1]).toMatchObject({
      path: '/report/creditinfo/mobile',
      body: { report_type: 11, report_reason: 3 },
    });
  });

  test('Metropol is not asked further when the names disagree or nobody is known', async () => {
    expect(await bureau.ask(question({ names: ['Juma', 'Otieno'] }))).toMatchObject({
      kind: 'mismatch',
    });
    expect(emulator.billed).toHaveLength(1);
    const nobody = question({ documents: [{ type: 'nationalID', number: '1' }] });
    expect(await bureau.ask(nobody)).toMatchObject({ kind: 'not_found' });
    const taxpayer = question({ documents: [{ type: 'taxID', number: 'A123456789B' }] });
    expect(await bureau.ask(taxpayer)).toMatchObject({ kind: 'not_found' });
    expect(emulator.billed).toHaveLength(1);
  });

  test.each<Fault>(['cut', 'garbage', 'silence', 'incomplete', 'duplicate', 'refused'])(
    'after a %s the outcome is unknown; the repeat asks only for the missing parts',
    async (fault) => {
      const asked = question();
      emulator.fault('/report/credit_info', fault);
      if (fault === 'silence') await useVault(vault, { timeoutMs: 500 });
      await expect(ask(asked)).rejects.toMatchObject({ code: 'bureau_outcome_unknown' });
      expect(await outcomes(asked)).toEqual(['unknown']);
      await useVault(vault);
      const answer = JSON.parse(await ask(asked)) as { source: string };
      expect(answer).toMatchObject({ source: 'metropol', score: '567' });
      expect(await outcomes(asked)).toEqual(['unknown', 'answered']);
      const identities = emulator.billed.filter(({ path }) => path === '/identity/verify');
      expect(identities).toHaveLength(1);
      expect(JSON.parse(await ask(asked))).toEqual(answer);
    },
  );

  test('a reference of unknown outcome can be repeated only with the same question', async () => {
    const asked = question();
    emulator.fault('/score/consumer', 'cut');
    await expect(ask(asked)).rejects.toMatchObject({ code: 'bureau_outcome_unknown' });
    const content = { nationalID: 'y' };
    await expect(ask(asked, { content })).rejects.toMatchObject({ code: 'reference_reused' });
    expect(emulator.billed).toHaveLength(3);
    // For another operation it is another enquiry, with its own calls.
    const other = { ...asked, operation: 'mobile-loan-score' } as const;
    expect(JSON.parse(await ask(other))).toMatchObject({ score: '612' });
    expect(emulator.billed).toHaveLength(6);
    expect(JSON.parse(await ask(asked))).toMatchObject({ score: '567' });
    expect(emulator.billed).toHaveLength(7);
  });

  test('Metropol is called and bills once, even if a vendor repeats its request', async () => {
    const asked = question();
    const answers = await Promise.all(Array.from({ length: 5 }, async () => await ask(asked)));
    expect(new Set(answers).size).toBe(1);
    expect(emulator.billed).toHaveLength(3);
    expect(await outcomes(asked)).toEqual(['answered']);

    const again = question();
    const first = ask(again);
    const content = { nationalID: 'y' };
    await expect(ask(again, { content })).rejects.toMatchObject({ code: 'reference_reused' });
    expect(JSON.parse(await first)).toMatchObject({ score: '567' });
  });

  test('one process at a time calls Metropol', async () => {
    await useVault(vault, { timeoutMs: 2_000 });
    const elsewhere = open(vault, { timeoutMs: 2_000 });
    const asked = question();
    emulator.fault('/identity/verify', 'silence');
    const both = [ask(asked), ask(asked, { at: elsewhere.receiver })];
    const ended = await Promise.allSettled(both);
    await elsewhere.bureau.close();
    const codes = ended.map((one) => (one as { reason?: { code: string } }).reason?.code);
    expect(new Set(codes)).toEqual(new Set(['bureau_outcome_unknown', 'bureau_unavailable']));
    expect(emulator.billed).toHaveLength(1);
  });

  test('Metropol is called again after the caller was killed, once that call can no longer be answered', async () => {
    const asked = question();
    const { vendorId } = asked.vendor;
    const call = {
      ...{ vendorId, requestReference: asked.requestReference, operation: asked.operation },
      ...{ bureau: 'metropol', part: 'identity', asked: 'the same' },
    };
    const at = new Date(Date.now() - 60_000);
    await beginCall(pool, call, { at, lostBefore: at });
    expect(JSON.parse(await ask(asked))).toMatchObject({ score: '567' });
    const calls = await pool.query<{ outcome: string }>(
      'select outcome from upstream_calls where request_reference = $1 order by started_at limit 2',
      [asked.requestReference],
    );
    expect(calls.rows.map(({ outcome }) => outcome)).toEqual(['unknown', 'answered']);
  });

  test('finds answers from before the rotation of the index key', async () => {
    const asked = question();
    emulator.fault('/report/credit_info', 'cut');
    await expect(ask(asked)).rejects.toMatchObject({ code: 'bureau_outcome_unknown' });
    const index = { current: randomBytes(32), previous: INDEX.current };
    await useVault(createVault({ master: MASTER, index }));
    expect(JSON.parse(await ask(asked))).toMatchObject({ score: '567' });
    expect(emulator.billed.filter(({ path }) => path === '/identity/verify')).toHaveLength(1);
    await useVault(vault);
  });

  test('keeps answers through a rotation of the key, until retention erases them', async () => {
    const asked = question();
    emulator.fault('/report/credit_info', 'cut');
    await expect(ask(asked)).rejects.toMatchObject({ code: 'bureau_outcome_unknown' });
    const rotated = { current: randomBytes(32), previous: MASTER.current };
    const owner = createPool({ url: database.ownerUrl, max: 1, name: 'test' });
    const done = await rotateKeys(owner, createVault({ master: rotated, index: INDEX }));
    expect(done.answers).toBeGreaterThan(0);
    const sealed = { current: rotated.current, previous: undefined };
    await useVault(createVault({ master: sealed, index: INDEX }));
    expect(JSON.parse(await ask(asked))).toMatchObject({ score: '567' });
    expect(emulator.billed.filter(({ path }) => path === '/identity/verify')).toHaveLength(1);

    await erasePayloads(owner, new Date());
    await owner.end();
    const left = await pool.query('select from upstream_calls where sealed_answer is not null');
    expect(left.rowCount).toBe(0);
    await useVault(vault);
  });

  test('no enquiry is billed that Metropol refuses or cannot be asked', async () => {
    const asked = question();
    emulator.fault('/identity/verify', 'refused');
    await expect(ask(asked)).rejects.toMatchObject({ code: 'bureau_unavailable' });
    await emulator.close();
    await expect(ask(asked)).rejects.toMatchObject({ code: 'bureau_unavailable' });
    expect(await outcomes(asked)).toEqual([]);
    const calls = await pool.query<{ outcome: string }>(
      'select outcome from upstream_calls where request_reference = $1',
      [asked.requestReference],
    );
    expect(calls.rows.map(({ outcome }) => outcome)).toEqual(['not_sent', 'not_sent']);
    emulator = await startMetropolEmulator();
  });

  test('Metropol is not called when its name resolves to a private network, unless that is allowed', async () => {
    const names = vi.spyOn(dns.promises.Resolver.prototype, 'resolve4');
    names.mockResolvedValue(['127.0.0.1'] as never);
    try {
      const url = emulator.url.replace('127.0.0.1', 'bureau.example');
      await useVault(vault, { url });
      await expect(ask(question())).rejects.toMatchObject({ code: 'bureau_unavailable' });
      expect(emulator.billed).toEqual([]);
      await useVault(vault, { url, allowsPrivateAddresses: true });
      expect(JSON.parse(await ask(question()))).toMatchObject({ score: '567' });
    } finally {
      names.mockRestore();
    }
  });

  test('never answers one person’s enquiry with another’s parts', async () => {
    const asked = question();
    emulator.fault('/report/credit_info', 'cut');
    await expect(ask(asked)).rejects.toMatchObject({ code: 'bureau_outcome_unknown' });
    const other = { ...asked, documents: [{ type: 'nationalID', number: '2' }] as const };
    expect(await bureau.ask(other)).toMatchObject({ kind: 'not_found' });
  });
});

async function outcomes(asked: BureauQuestion): Promise<string[]> {
  const read = await pool.query<{ outcome: string }>(
    'select outcome from enquiries where request_reference = $1 order by sequence',
    [asked.requestReference],
  );
  return read.rows.map(({ outcome }) => outcome);
}
