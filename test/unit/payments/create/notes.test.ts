import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { FinalReport } from '../../../../src/payments/create/payment.ts';
import { PaymentNotes } from '../../../../src/payments/create/notes.ts';
import { Refusal } from '../../../../src/platform/base/errors.ts';
import { newId } from '../../../../src/platform/base/ids.ts';
import { encodeReference } from '../../../../src/parties/reference.ts';

const of = { vendorId: 7, billerCode: 'tokens' };
const paymentId = newId();
const reference = encodeReference(7, paymentId);
const created = { reference, createdAt: new Date(), feeCents: 0n, replayed: false };
const report: FinalReport = {
  ...of,
  paymentId,
  outcome: 'failed',
  paidCents: null,
  billerReference: null,
  message: 'Wrong meter of Jane Doe',
  details: { phone: '254700000000' },
  failureCode: 'invalid_account',
  source: 'callback',
  operatorCode: 'kplc',
};

function makeNotes(level = 'info') {
  const lines: Record<string, unknown>[] = [];
  const destination = {
    write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  };
  const log = pino({ base: null, timestamp: false, level }, destination);
  const notes = new PaymentNotes({ log, vidOf: (id) => (id === 7 ? 'shop' : undefined) });
  return { notes, lines };
}

const INFO = 30;
const WARN = 40;
const durationMs = expect.any(Number) as number;

test('each payment that is accepted, refused, left unanswered or settled has one line', async () => {
  const { notes, lines } = makeNotes();
  await notes.create(of, Promise.resolve(created));
  await notes.create(of, Promise.resolve({ ...created, replayed: true }));
  for (const code of ['insufficient_float', 'outcome_unknown'] as const) {
    const refusal = new Refusal(code);
    await expect(notes.create(of, Promise.reject(refusal))).rejects.toBe(refusal);
  }
  notes.unanswered({
    ...of,
    paymentId,
    operatorCode: 'kplc',
    durationMs: 1000.4,
    reason: 'HTTP 401',
  });
  notes.settled(report);
  const about = { reference, vid: 'shop', biller: 'tokens' };
  const refused = { vid: 'shop', biller: 'tokens', durationMs };
  expect(lines).toEqual([
    { level: INFO, ...about, durationMs, msg: 'payment accepted' },
    { level: INFO, ...refused, code: 'insufficient_float', msg: 'payment refused' },
    { level: INFO, ...refused, code: 'outcome_unknown', msg: 'payment unconfirmed' },
    {
      ...about,
      level: WARN,
      operator: 'kplc',
      reason: 'HTTP 401',
      durationMs: 1000,
      msg: 'payment unanswered: its operator will be asked about it',
    },
    {
      ...about,
      level: INFO,
      operator: 'kplc',
      outcome: 'failed',
      code: 'invalid_account',
      source: 'callback',
      durationMs,
      msg: 'payment settled',
    },
  ]);
});

test('a file has one line, with the numbers of refused rows by error code', () => {
  const { notes, lines } = makeNotes();
  const refusals = { invalid_field: 2, insufficient_float: 1 };
  notes.fileDecided({ vendorId: 7, batchId: 'b', rowCount: 10, refusals });
  const counts = { rows: 10, accepted: 7, refused: 3, refusals };
  expect(lines).toEqual([
    { level: INFO, vid: 'shop', batch_id: 'b', ...counts, msg: 'payment file decided' },
  ]);
});

test('they are counted by biller and outcome, whatever the log level is', async () => {
  const { notes, lines } = makeNotes('error');
  await notes.create(of, Promise.resolve(created));
  notes.allAccepted([{ ...of, paymentId }] as never);
  const refusal = new Refusal('unknown_biller');
  const stranger = { vendorId: 7, billerCode: undefined };
  await expect(notes.create(stranger, Promise.reject(refusal))).rejects.toBe(refusal);
  notes.settled({ ...report, outcome: 'success', failureCode: null });
  expect([...notes.outcomes.sums()]).toEqual([
    { labels: { biller: 'tokens', outcome: 'accepted' }, sum: 2 },
    { labels: { biller: 'unknown', outcome: 'refused' }, sum: 1 },
    { labels: { biller: 'tokens', outcome: 'success' }, sum: 1 },
  ]);
  expect([...notes.refusals.sums()]).toEqual([
    { labels: { biller: 'unknown', code: 'unknown_biller' }, sum: 1 },
  ]);
  expect(lines).toEqual([]);
});
