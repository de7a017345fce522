import { beforeAll, expect, test } from 'vitest';
import type { EnquiryList } from '../../src/staff/credit-enquiries.ts';
import type { EnquiryReport } from '../../src/staff/credit-report-schema.ts';
import { changeVendor } from '../../src/parties/administer.ts';
import { listAudit } from '../../src/parties/people/read-audit.ts';
import { signInAll } from '../support/console-client.ts';
import type { ConsoleAnswer, SignedIn } from '../support/console-client.ts';
import { useService } from '../support/use-service.ts';
import { until } from '../support/until.ts';

const running = useService();
let as: SignedIn;

beforeAll(async () => {
  as = await signInAll(running.origin, ['admin', 'support', 'risk', 'demo-admin']);
});

const CUSTOMER = { nationalID: '900000001', name1: 'Amani', name2: 'Wanjiru' };
const CONSENT = { consentReference: 'FORM-17', consentDate: '2026-01-05' };
let references = 0;

async function ask(
  operation: string,
  fields: Readonly<Record<string, string>>,
  login = 'risk',
): Promise<ConsoleAnswer & { readonly reference: string }> {
  const reference = `CONSOLE${(references += 1)}`;
  const sector = operation === 'id-decision' ? {} : { reportSector: '2' };
  const given = { requestReference: reference, reportReason: '2', ...sector, ...fields };
  const body = { vid: 'demo', operation, fields: given, reason: 'applied at the branch' };
  return { ...(await as(login).send('POST', '/credit/enquiries', body)), reference };
}
const reportOf = async (operation: string, reference: string): Promise<EnquiryReport> =>
  await as('risk').read<EnquiryReport>(`/credit/enquiries/demo/${operation}/${reference}`);

test('a person asks with purpose and consent, and sees the answer of the API', async () => {
  const asked = await ask('generic-score', { ...CUSTOMER, ...CONSENT });
  expect(asked.text).toContain(asked.reference);
  const shown = await reportOf('generic-score', asked.reference);
  expect(shown).toMatchObject({
    vid: 'demo',
    person: 'risk',
    report_reason: 2,
    consent_reference: 'FORM-17',
    consent_date: '2026-01-05',
    report: { documents: [{ type: 'nationalID', number: '900000001' }], credit_active: null },
  });
  const answer = await running.demo().call('genericScore', {
    requestReference: 'APISAME',
    reportReason: '2',
    reportSector: '2',
    ...CUSTOMER,
  });
  const body = answer.body as unknown as {
    readonly score: Record<string, string>;
    readonly account_list: readonly unknown[];
  };
  const { score } = body;
  expect(shown.report?.score).toMatchObject({
    score: score['positiveScore'],
    grade: score['grade'],
    probability: score['probability'],
  });
  expect(shown.report?.score?.reasons.en[0]).toBe(score['reasonCodeAARC1']);
  expect(shown.report?.score?.reasons.sw).toHaveLength(
    shown.report?.score?.reasons.en.length ?? -1,
  );
  expect(shown.report?.accounts).toHaveLength(body.account_list.length);
});

test('each product has its report', async () => {
  const identity = await ask('id-decision', { ...CUSTOMER, ...CONSENT });
  expect((await reportOf('id-decision', identity.reference)).report).toMatchObject({
    credit_active: expect.any(Boolean),
    score: null,
    accounts: [],
  });
  const mobile = await ask('mobile-loan-score', { ...CUSTOMER, ...CONSENT });
  const { report } = await reportOf('mobile-loan-score', mobile.reference);
  expect(Number(report?.score?.score)).toBeGreaterThan(0);
});

test('nothing is asked without consent, purpose, reason, or the permission', async () => {
  const { consentDate, consentReference } = CONSENT;
  expect((await ask('generic-score', { ...CUSTOMER, consentDate })).field).toBe('consentReference');
  expect((await ask('generic-score', { ...CUSTOMER, consentReference })).field).toBe('consentDate');
  const later = { ...CUSTOMER, consentReference, consentDate: '2999-01-01' };
  expect((await ask('generic-score', later)).field).toBe('consentDate');
  const aimless = { ...CUSTOMER, ...CONSENT, reportReason: '13' };
  expect((await ask('generic-score', aimless)).field).toBe('reportReason');
  for (const login of ['admin', 'support', 'demo-admin']) {
    expect((await ask('generic-score', { ...CUSTOMER, ...CONSENT }, login)).code).toBe(
      'not_permitted',
    );
  }
  const nobody = await ask('generic-score', { ...CUSTOMER, ...CONSENT, nationalID: '1' });
  expect(nobody.code).toBe('subject_not_found');
});

test('the list has no personal data, and each look at a report is noted', async () => {
  const asked = await ask('generic-score', { ...CUSTOMER, ...CONSENT });
  const list = await as('admin').get('/credit/enquiries?vid=demo&outcome=answered');
  const { enquiries } = list.body as unknown as EnquiryList;
  expect(enquiries[0]).toMatchObject({ reference: asked.reference, person: 'risk' });
  expect(enquiries[0]?.customer).toMatch(/^\d{1,3}$/);
  expect(list.text).not.toMatch(/Amani|900000001/);
  expect((await as('support').get('/credit/enquiries?vid=demo')).code).toBe('not_permitted');

  const path = `/credit/enquiries/demo/generic-score/${asked.reference}`;
  expect((await as('admin').get(path)).code).toBe('not_permitted');
  const before = (
    await listAudit(running.service.pool, { action: 'credit-enquiry.show', limit: 50 })
  ).length;
  await reportOf('generic-score', asked.reference);
  await as('risk').get('/credit/enquiries/demo2/generic-score/NOSUCH');
  const looks = await listAudit(running.service.pool, { action: 'credit-enquiry.show', limit: 50 });
  expect(looks.slice(0, looks.length - before)).toMatchObject([
    { target: 'demo2 generic-score NOSUCH', result: 'refused' },
    { login: 'risk', target: `demo generic-score ${asked.reference}`, result: 'done' },
  ]);
  const log = await listAudit(running.service.pool, { action: 'credit-enquiry.ask', limit: 50 });
  expect(JSON.stringify(log)).not.toMatch(/Amani|900000001/);
  expect(log[0]).toMatchObject({ reason: 'applied at the branch', after: { purpose: '2' } });
});

test('nothing is asked for a suspended vendor', async () => {
  const { pool } = running.service;
  await changeVendor(pool, 'demo2', { status: 'suspended' });
  const path = '/credit/enquiries';
  const fields = { ...CUSTOMER, ...CONSENT, requestReference: 'SUSPENDED', reportReason: '2' };
  const body = { vid: 'demo2', operation: 'id-decision', fields, reason: 'applied' };
  await until('the service knows of it', async () => {
    const { code } = await as('risk').send('POST', path, body);
    return code === 'vendor_suspended';
  });
});

test('a person who tries one number after another is stopped, even if nobody is found', async () => {
  const { pool } = running.service;
  const nobody = (): Promise<ConsoleAnswer> =>
    ask('id-decision', { ...CUSTOMER, ...CONSENT, nationalID: '1' });
  expect((await nobody()).code).toBe('subject_not_found');
  const [noted] = await listAudit(pool, { action: 'credit-enquiry.ask', limit: 1 });
  expect(noted?.result).toBe('done');
  const codes = new Set<string | undefined>();
  for (let count = 0; count < 60; count += 1) codes.add((await nobody()).code);
  expect([...codes]).toEqual(['subject_not_found', 'too_many_requests']);
});
