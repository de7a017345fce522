import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ComparedDay } from '../../src/staff/days.ts';
import type { OfferedStatement } from '../../src/staff/statements.ts';
import { createWireTime, periodOfDay } from '../../src/platform/base/clock.ts';
import { DAY_MS } from '../../src/platform/base/days.ts';
import { signedIn } from '../support/console-client.ts';
import type { ConsoleAnswer, ConsoleClient } from '../support/console-client.ts';
import { createServiceDatabase, startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';
import { zoneAtNoon } from '../support/noon.ts';
import { statementText } from '../support/reconciliation-fixture.ts';

const timeZone = zoneAtNoon();
const wireTime = createWireTime(timeZone);
const yesterday = wireTime.format(new Date(Date.now() - DAY_MS)).slice(0, 10);
const period = periodOfDay(yesterday, wireTime) ?? { from: new Date(0), to: new Date(0) };
const noon = new Date(period.from.getTime() + DAY_MS / 2);

const text = statementText([{ operatorReference: 'A', at: noon, amountCents: 5_000n }], period);

let running: InProcessService;
let finance: ConsoleClient;

beforeAll(async () => {
  running = await startInProcess((await createServiceDatabase()).url, {
    environment: { TIME_ZONE: timeZone },
  });
  finance = await signedIn(running.origin, 'finance');
});
afterAll(async () => await running.stop());

const upload = async (
  given: Readonly<Record<string, string>>,
  content = text,
): Promise<ConsoleAnswer> => {
  const about = { operator: 'kplc', from: yesterday, to: yesterday, ...given };
  const query = new URLSearchParams({ ...about, file: 'day.csv' });
  return await finance.send('POST', `/statements?${query.toString()}`, Buffer.from(content));
};
const dayOf = async (): Promise<ComparedDay> =>
  await finance.read<ComparedDay>(`/days/${yesterday}`);

describe('an upload', () => {
  test.each([
    [{ operator: 'nobody' }, 'operator'],
    [{ from: 'yesterday' }, 'from'],
    [{ to: '2020-01-01' }, 'to'],
    [{ to: '2099-01-01' }, 'to'],
    [{ complete: 'yes' }, 'complete'],
  ])('an upload with %j is refused, naming %s', async (given, field) => {
    const answer = await upload(given);
    expect([answer.status, answer.field]).toEqual([400, field]);
  });

  test('uploads that cannot be read list their problems and import nothing', async () => {
    const { body } = await upload({}, 'type,when\r\n');
    expect(body).toMatchObject({ proposal: null, statement: null, problems: [{ line: 1 }] });
    expect((await dayOf()).statements).toEqual([]);
  });

  test('uploads of more than 8 MB are refused', async () => {
    const answer = await upload({}, 'x'.repeat(8 * 1024 * 1024 + 1));
    expect(answer.status).toBe(413);
  });

  test('waits for another person, is imported once, and shows what differs', async () => {
    const first = (await upload({})).body as unknown as OfferedStatement;
    const proposal = `/proposals/${first.proposal?.proposal}`;
    const approval = { seen: first.proposal?.seen };
    expect((await finance.send('POST', `${proposal}/approve`, approval)).problem).toContain(
      'another person has to approve it',
    );
    expect((await dayOf()).statements).toEqual([]);
    const admin = await signedIn(running.origin, 'admin');
    expect((await admin.send('POST', `${proposal}/approve`, approval)).status).toBe(200);
    const second = (await upload({})).body as unknown as OfferedStatement;
    expect(second).toMatchObject({ proposal: null, problems: [] });
    const day = await dayOf();
    expect(day).toMatchObject({
      day: yesterday,
      closed_at: null,
      open_cases: 1,
      missing: [],
      compared: [{ operator: 'kplc', ours: '0.00', theirs: '50.00', difference: '50.00' }],
      statements: [{ operator: 'kplc', complete: true, verdicts: { theirs_only: 1 } }],
    });
    expect(day.floats).toMatchObject([
      {
        operator: 'kplc',
        statement: { closing: '999950.00', booked: '1000000.00', difference: '-50.00' },
      },
    ]);
    const statement = await finance.get(`/statements/${second.statement}`);
    expect(statement.body['differences']).toMatchObject([
      {
        case: { kind: 'theirs_only', resolution: null },
        ...{ ours: null, theirs: '50.00', operator_reference: 'A', line: 3 },
      },
    ]);
  });
});

describe('a day', () => {
  test('stays open while something is missing, and is closed once, with what was accepted', async () => {
    const close = async (body: object) =>
      await finance.send('POST', `/days/${yesterday}/close`, body);
    expect((await close({ despite_open_cases: true })).problem).toContain('a note has to say why');
    const refused = await close({ reason: 'done' });
    expect([refused.status, refused.problem]).toEqual([
      400,
      expect.stringContaining('open cases: 1'),
    ]);
    const closed = await close({ reason: 'known', despite_open_cases: true });
    expect(closed).toMatchObject({ status: 200, body: { closed_by: 'finance' } });
    expect(await dayOf()).toMatchObject({
      closed_by: 'finance',
      exceptions: { open_cases: 1, note: 'known' },
    });
    const again = await close({ reason: 'again', despite_open_cases: true });
    expect(again.problem).toContain('already closed');
  });

  test('the close of a day that does not exist is refused', async () => {
    const answer = await finance.get('/days/2026-02-30');
    expect(answer.status).toBe(404);
  });
});
