import { randomInt, randomUUID } from 'node:crypto';
import { DEMO_PASSWORD } from '../../../sandbox/data.ts';
import { madeBy, newDevice } from '../../support/device.ts';
import { statementText } from '../../support/reconciliation-fixture.ts';
import { CREDIT_SAMPLES } from './credit-samples.ts';
import type { CreditFixtures } from './credit-samples.ts';
import { guideSample } from './fixtures.ts';
import type { Fixtures } from './fixtures.ts';

/** What the samples need of a running service. */
export interface World extends Fixtures {
  /** Performs an action as a person of the sandbox, over the staff API. Returns its answer. */
  readonly act: (login: string, path: string, body: object) => Promise<Record<string, unknown>>;
  /** Creates a payment of the sandbox's vendor. Returns its reference. */
  readonly pay: () => Promise<string>;
  /** The same in the console. */
  readonly page: World['act'];
  /** Submits a file of payments as a person of the sandbox’s vendor. */
  readonly upload: (query: Readonly<Record<string, string>>, file: string) => Promise<void>;
  /** Reports a payment that no vendor's account number names. Returns the number of the receipt. */
  readonly receipt: () => Promise<string>;
  /** Keeps a confirmation of a source that cannot be read. Returns its id. */
  readonly message: (source: string) => Promise<string>;
  /** The code of what a person sees of a proposal that waits. */
  readonly seen: (proposal: string) => Promise<string>;
  readonly credit: CreditFixtures;
  /** Makes an enquiry of the sandbox's vendor. Returns its reference. */
  readonly enquire: () => Promise<string>;
  /** Rejects what waits of a kind. */
  readonly clear: (kind: string) => Promise<void>;
  /** Approves a proposal as a person of the sandbox. */
  readonly approve: (login: string, proposal: string) => Promise<void>;
}

export interface Sample {
  /** Who does it. Default: `finance`. */
  readonly by?: string;
  /** Properties of the answer that change by themselves from one second to the next. */
  readonly moves?: readonly string[];
  /** The whole input with which it is carried out. Made anew for each call, because few actions can be repeated. */
  readonly input: (world: World) => Promise<Readonly<Record<string, unknown>>>;
  /** The file that comes with it. */
  readonly file?: () => string;
}

const nothing: Sample = { input: async () => ({}) };
const some = (): string => randomUUID().slice(0, 8);

const payout = () => ({
  ...{ vid: 'demo', amount: '10.00', bank_account: `KCB ${some()}` },
  ...{ evidence: 'mail', reason: 'asked for' },
});

/** A case about a payment whose instruction nobody has confirmed. */
const openedCase = async ({ act, pay }: World): Promise<string> => {
  const opened = await act('support', '/cases', { reference: await pay(), reason: 'no answer' });
  return String(opened['case']);
};

/** A payment whose result nobody knows. */
const sent = async ({ pay, sendPayments }: World): Promise<string> => {
  const reference = await pay();
  await sendPayments(reference);
  return reference;
};

/** A payment that failed, of which the vendor’s webhook was told. */
const ended = async (world: World): Promise<string> => {
  await world.addWebhook('paying');
  const reference = await sent(world);
  await world.endPayment(reference);
  return reference;
};

const proposedPayout = async ({ act }: World): Promise<string> => {
  const { payout: id } = await act('finance', '/payouts', payout());
  return String(id);
};

const approvedPayout = async (world: World): Promise<string> => {
  const id = await proposedPayout(world);
  await world.approve('admin', id);
  return id;
};

const disbursed = () => ({
  ...{ amount: `${randomInt(10, 100)}.${randomInt(10, 100)}` },
  ...{ evidence: 'mail', reason: 'asked for' },
});

/** A payout to a phone that two people set. */
const phonePayout = async ({ addDisbursements, act, approve }: World) => {
  await addDisbursements();
  const phone = { phone: mobile(), reason: 'asked for' };
  const { proposal } = await act('admin', '/vendors/paying/payout-phone', phone);
  await approve('admin2', String(proposal));
  return { vid: 'paying', ...disbursed() };
};

/** One that the sandbox has. */
const collectorOf = (given: object) => async () => ({ collector: 'demo-collector', ...given });

/** A source with a provider. */
const keptMessage = async ({ addTill, message }: World): Promise<string> =>
  await message((await addTill('demo')).source);

const tillOf = async ({ addTill }: World) => ({ source: (await addTill('demo')).source });

/** One that no prompt was sent to. */
const mobile = (): string => `2547${String(randomInt(1e8)).padStart(8, '0')}`;

const newVendor = () => ({ vid: `v-${some()}`, name: 'Shop', sector: 'retail' });

/** Something about a vendor that was just added, because few steps can be proposed twice. */
const vendorOf =
  (given: object = {}, prepare?: (world: World, vid: string) => Promise<object | void>) =>
  async (world: World) => {
    const vendor = newVendor();
    await world.act('admin', '/vendors', vendor);
    return { vid: vendor.vid, ...given, ...(await prepare?.(world, vendor.vid)) };
  };
const byAdmin = (...given: Parameters<typeof vendorOf>): Sample => ({
  ...{ by: 'admin', input: vendorOf(...given) },
});
const withWebhook = (given: object = {}): Sample =>
  byAdmin(given, async ({ addWebhook }, vid) => await addWebhook(vid));

/** A key that another one has replaced. */
const retired = (of: 'vendor' | 'webhook'): Sample =>
  byAdmin({}, async ({ addWebhook, replaceKey }, vid) => {
    await addWebhook(vid);
    return { key_id: await replaceKey(of, vid) };
  });
const withRule = (kind: 'fund' | 'push'): Sample => ({
  input: vendorOf({}, async ({ addRule }, vid) => await addRule(vid, kind)),
});

/** Days are closed one after the other. */
let closes = 0;
const nextDay = (): string => {
  closes += 1;
  return new Date(Date.UTC(2026, 0, closes)).toISOString().slice(0, 10);
};

const newPerson = () => ({
  ...{ login: `p-${some()}`, name: 'Pendo', role: 'support', reason: 'new here' },
});
const addedPerson = async ({ act }: World) => {
  const { login } = newPerson();
  await act('admin', '/people', { ...newPerson(), login });
  return { login, reason: 'asked for' };
};

/** Each time another one, because the same step is not proposed twice. */
const BILLERS = ['kplc_prepaid', 'airtel', 'telkom', 'jtl', 'zuku', 'startimes'];
let turns = 0;
const nextBiller = (): string => BILLERS[(turns += 1) % BILLERS.length] ?? '';
const routeOf = (given: object): Sample => ({
  by: 'operations',
  input: async ({ addRoute }) => {
    const biller = nextBiller();
    await addRoute(biller, 'safaricom');
    return { biller, operator: 'safaricom', ...given };
  },
});

/** A fee of a vendor that was just added. */
const feeOf = (given: object): Sample => ({
  input: vendorOf({ biller: 'kplc_prepaid', ...given }),
});

const byOperations = (given: object, prepare?: (world: World) => Promise<object>): Sample => ({
  by: 'operations',
  input: async (world) => ({ ...given, ...(await prepare?.(world)) }),
});

/** An hour that is over. */
const HOUR = { from: new Date('2026-01-05T10:00:00Z'), to: new Date('2026-01-05T11:00:00Z') };
const hour = { from: HOUR.from.toISOString(), to: HOUR.to.toISOString() };

/** An operator that was just added. */
const operatorOf = (given: object): Sample =>
  byOperations(given, async ({ addOperator }) => ({ operator: await addOperator() }));

const quarantined = async (world: World): Promise<object> => {
  await world.enterQuarantine();
  return {};
};

/** Something to pay. */
const bill = () => ({
  biller_name: 'dstv',
  account: `15${randomInt(1e6)}`.padEnd(8, '0'),
  phone: '0722000001',
});

/** Nothing is paid by it, so nothing moves while later samples are tried. */
const refusedFile = (): string => `biller_name,account,amount\nnobody,${some()},50\n`;

const movedFile = (vid = `moved-${some()}`): string =>
  `vid,name,sector,key,collected,float,references\n${vid},Shop,retail,key of ${some()},1.00,2.00,yes\n`;
const usedFile = (): string => `vid,reference,status\nmoved,${some()},SUCCESS\n`;

const withMoved = new WeakMap<World, Promise<void>>();
/** The vendor of these references, once. */
async function bringMoved(world: World): Promise<void> {
  const bring = async (): Promise<void> => {
    const to = '/vendor-imports?at=2026-10-31&reason=move';
    const made = await world.act('admin', to, Buffer.from(movedFile('moved')));
    await world.approve('admin2', (made['proposal'] as { readonly proposal: string }).proposal);
  };
  const brought = withMoved.get(world) ?? bring();
  withMoved.set(world, brought);
  await brought;
}

/** A file that was submitted in the console. */
const uploaded = async ({ upload }: World) => {
  const reference = `F-${some()}`;
  await upload({ reference, total: '0.00' }, refusedFile());
  return { reference };
};

/** An input for every definition, but for views that need none and that finance may see. */
export const SAMPLES: Readonly<Record<string, Sample>> = {
  'pay.check': { input: async () => ({ ...bill(), amount: '50' }) },
  'pay.look-up': {
    input: async ({ addKnowing }) => ({ biller_name: await addKnowing(), account: '12345678' }),
  },
  'payment.create': { input: async () => ({ ...bill(), amount: '50', fee: '0.00' }) },
  'bulk.check': {
    input: async () => ({}),
    file: () => `${refusedFile()}dstv,1500000001,50\ndstv,1500000001,50\n`,
  },
  'bulk.upload': {
    input: async () => ({ reference: `F-${some()}`, total: '0.00' }),
    file: refusedFile,
  },
  'vendor.try-import': { by: 'admin', input: async () => ({}), file: () => movedFile() },
  'vendor.import': {
    by: 'admin',
    input: async () => ({ at: '2026-10-31', reason: 'they come to us' }),
    file: () => movedFile(),
  },
  'vendor.try-references': {
    by: 'admin',
    input: async (world) => {
      await bringMoved(world);
      return {};
    },
    file: usedFile,
  },
  'vendor.propose-references': {
    by: 'admin',
    input: async (world) => {
      await bringMoved(world);
      return { reason: 'they come to us' };
    },
    file: usedFile,
  },
  'bulk.show': { input: uploaded },
  'bulk.results': { input: uploaded },
  'payment.list': { input: async () => ({ status: 'FAILED' }) },
  'payment.owed-details': nothing,
  'payment.find': { input: async (world) => ({ search: await ended(world) }) },
  'payment.choices': nothing,
  'payment.show': { input: async (world) => ({ reference: await ended(world) }) },
  'payment.verify': {
    by: 'support',
    input: async (world) => ({ reference: await sent(world), reason: 'urgent' }),
  },
  'payment.resend': {
    by: 'support',
    input: async (world) => ({ reference: await ended(world), reason: 'their log was lost' }),
  },
  ...CREDIT_SAMPLES,
  'disbursement.list': nothing,
  'disbursement.pay-out': { input: phonePayout },
  'disbursement.refund': {
    input: async (world) => {
      await world.addDisbursements();
      const reference = await sent(world);
      await world.payPayment(reference);
      return { ...disbursed(), reference, phone: mobile(), amount: '10.00' };
    },
  },
  'disbursement.cancel': {
    input: async (world) => {
      const asked = await phonePayout(world);
      const { disbursement } = await world.act('finance', '/disbursements/payouts', asked);
      await world.approve('admin', String(disbursement));
      return { disbursement };
    },
  },
  'disbursement.set-phone': byAdmin({ phone: '0712345678', reason: 'asked for' }),
  'summary-journal.list': nothing,
  'summary-journal.show': { input: async ({ addSummary }) => ({ number: await addSummary() }) },
  'summary-journal.file': {
    input: async ({ addSummary }) => ({ number: await addSummary(), format: 'hledger' }),
  },
  'summary-journal.mark-exported': {
    input: async ({ addSummary }) => ({ number: await addSummary(), reference: `JE-${some()}` }),
  },
  'summary-journal.settings': nothing,
  'summary-journal.set-terms': {
    input: async ({ addSummary, clear }) => {
      await addSummary();
      await clear('accounting_setting');
      return { per: 'day', by: 'vendor,operator', reason: 'as agreed' };
    },
  },
  'summary-journal.set-codes': {
    input: async ({ clear }) => {
      await clear('accounting_setting');
      return { codes: [{ account: 'fees', code: String(randomInt(9_999)) }], reason: 'as agreed' };
    },
  },
  'invoice.list': nothing,
  'invoice.show': { input: async ({ addInvoice }) => ({ invoice: await addInvoice() }) },
  'invoice.file': {
    input: async ({ addInvoice }) => ({ invoice: await addInvoice(), format: 'csv' }),
  },
  'invoice.set-control': {
    input: async ({ addInvoice }) => ({
      ...{ invoice: await addInvoice(), control_number: 'KRACU1/1', qr_code: 'https://q.example' },
    }),
  },
  'invoice.settings': nothing,
  'invoice.set-company': {
    input: async ({ addInvoice, clear }) => {
      await addInvoice();
      await clear('invoice_setting');
      return { address: `P.O. Box ${nextBiller()}` };
    },
  },
  'invoice.set-vendor': {
    input: async ({ clear }) => {
      await clear('invoice_setting');
      return { vid: 'demo', legal_name: 'Duka Ltd', address: `P.O. Box ${nextBiller()}` };
    },
  },
  'payout.list': nothing,
  'payout.propose': { input: async () => payout() },
  'payout.paid': {
    input: async (world) => ({ payout: await approvedPayout(world), reference: `FT-${some()}` }),
  },
  'payout.return': {
    input: async (world) => ({ payout: await approvedPayout(world), reason: 'not made' }),
  },
  'person.list': { by: 'admin', input: async () => ({}) },
  'person.add': { by: 'admin', input: async () => newPerson() },
  'person.link': { by: 'admin', input: addedPerson },
  'person.set': {
    by: 'admin',
    input: async (world) => ({ ...(await addedPerson(world)), role: 'risk' }),
  },
  'person.disable': { by: 'admin', input: addedPerson },
  'person.enable': { by: 'admin', input: addedPerson },
  // The entries that the look itself makes are others.
  'audit.list': { by: 'admin', input: async () => ({ action: 'biller.offline' }) },
  'job.list': { by: 'admin', input: async () => ({}) },
  'job.show': {
    by: 'admin',
    moves: ['state', 'progress', 'ended_at', 'result'],
    input: async ({ act }) => {
      const { job } = await act('admin', '/ledger/chain', {});
      return { job };
    },
  },
  'ledger.check': { by: 'operations', input: async () => ({ heads: ['0'.repeat(64)] }) },
  'credit.verify-chain': { by: 'risk', input: async () => ({ heads: ['0'.repeat(64)] }) },
  'ledger.chain': { by: 'operations', input: async () => ({}) },
  'quarantine.status': byOperations({}, quarantined),
  'quarantine.enter': {
    input: async () => ({ since: '2026-01-05', until: '2026-01-06', reason: 'restored' }),
  },
  'quarantine.release': byOperations({ reason: 'they came' }, async (world) => {
    await quarantined(world);
    await world.coverQuarantine();
    return {};
  }),
  'quarantine.propose': byOperations({ reason: 'it closed down' }, quarantined),
  'quarantine.confirm': byOperations({ reason: 'switched over' }, async (world) => {
    await world.enterQuarantine(true);
    return {};
  }),
  'passkey.list': nothing,
  'passkey.begin': { input: async () => ({ password: DEMO_PASSWORD }) },
  'passkey.add': {
    input: async ({ page }) => {
      const begun = await page('finance', '/account/passkeys/begin', { password: DEMO_PASSWORD });
      const { challenge, rp } = begun['options'] as { challenge: string; rp: { id: string } };
      const response = madeBy(newDevice(), { challenge, id: rp.id, origin: `http://${rp.id}:9` });
      return { name: `Telephone ${some()}`, response };
    },
  },
  'passkey.remove': {
    input: async ({ addPasskey }) => ({ passkey: await addPasskey('finance') }),
  },
  'system.show': {
    ...{ by: 'operations', input: async () => ({}) },
    moves: ['checks', 'process', 'backup_age_seconds'],
  },
  'system.configuration': {
    ...{ by: 'operations', input: async () => ({}) },
    // A command has none.
    moves: ['variables'],
  },
  'overview.show': {
    ...nothing,
    moves: [
      'last_hour_since',
      'last_hour',
      'minutes',
      'queued',
      'unknown',
      'open_cases',
      'billers',
    ],
  },
  'overview.follow': nothing,
  'report.margin': { input: async () => ({ by: 'biller,day' }) },
  'house.account': { input: async () => ({ books: 'vendors', account: 'float', vid: 'demo' }) },
  'message.list': nothing,
  'message.show': { input: async (world) => ({ message: await keptMessage(world) }) },
  'message.propose': {
    input: async (world) => ({
      ...{ message: await keptMessage(world), receipt: 'UASAMPLE01', amount: '50.00' },
      ...{ account: 'NOBODY', paid_at: '2026-01-05 10:15:30', reason: 'the portal shows it' },
    }),
  },
  'receipt.list': nothing,
  'receipt.show': { input: async ({ receipt }) => ({ receipt: await receipt() }) },
  'receipt.propose': {
    input: async ({ receipt }) => ({
      ...{ receipt: await receipt(), vid: 'demo', reason: 'the depositor called' },
    }),
  },
  'receipt.reversed': {
    input: async ({ receipt }) => ({ receipt: await receipt(), reason: 'their list' }),
  },
  'receipt.preview': {
    input: async ({ addBank }) => ({ source: await addBank() }),
    file: () => guideSample('bank-statement.csv'),
  },
  'receipt.import': {
    input: async ({ addBank }) => ({ source: await addBank() }),
    file: () =>
      `${guideSample('bank-statement.csv')}06/01/2026,${some()},Q${some()},1.00,,"1,514.00"\n`,
  },
  'receipt.push': {
    input: vendorOf({ amount: '50' }, async ({ addTill }, vid) => {
      const { source } = await addTill(vid);
      return { source, phone: mobile() };
    }),
  },
  'receipt.push-status': {
    input: async (world) => {
      const { vid } = await vendorOf()(world);
      const { source } = await world.addTill(vid);
      const prompt = { vid, phone: mobile(), amount: '50' };
      const { push } = await world.act('finance', `/receipt-sources/${source}/pushes`, prompt);
      return { source, push };
    },
  },
  'receipt-source.list': nothing,
  'receipt-source.set': {
    input: async () => ({
      ...{ source: `s${some()}`, name: 'Pay bill', kind: 'statement', collector: 'demo-collector' },
      settings: Object.entries(JSON.parse(guideSample('bank-csv.json')) as object).map(
        ([name, value]) => ({ name, value: value as unknown }),
      ),
    }),
  },
  'receipt-source.set-key': {
    input: async (world) => ({
      ...(await tillOf(world)),
      key: JSON.stringify({ consumer_key: some(), consumer_secret: some() }),
    }),
  },
  'receipt-source.urls': { input: tillOf },
  'receipt-source.register': { input: tillOf },
  'receipt-account.list': { input: async ({ addBank }) => ({ source: await addBank() }) },
  'receipt-account.add': {
    input: async ({ addBank }) => ({
      ...{ source: await addBank(), account: `A${some()}`, vid: 'demo' },
    }),
  },
  'receipt-account.remove': { input: async ({ addTill }) => await addTill('demo') },
  // Others of the same kinds that the person may decide, and has not proposed.
  'proposal.list': { by: 'admin', input: async () => ({ kind: 'house_journal' }) },
  'proposal.show': {
    by: 'admin',
    input: async (world) => ({ proposal: await proposedPayout(world) }),
  },
  'proposal.approve': {
    by: 'admin',
    input: async (world) => {
      const proposal = await proposedPayout(world);
      return { proposal, seen: await world.seen(proposal) };
    },
  },
  'proposal.reject': {
    by: 'admin',
    input: async (world) => ({ proposal: await proposedPayout(world), reason: 'not asked for' }),
  },
  'proposal.withdraw': {
    input: async (world) => ({ proposal: await proposedPayout(world), reason: 'a mistake' }),
  },
  'case.list': nothing,
  'case.show': { input: async (world) => ({ case: await openedCase(world) }) },
  'case.open': {
    input: async ({ pay }) => ({ reference: await pay(), reason: 'the customer was not paid' }),
  },
  'case.propose': {
    input: async (world) => ({
      ...{ case: await openedCase(world), resolution: 'keep_books', reason: 'their list' },
    }),
  },
  'statement.import': {
    input: async () => ({ operator: 'kplc', ...hour }),
    file: () => statementText([{ amountCents: 5_000n }], HOUR),
  },
  'statement.preview': {
    input: async () => ({ operator: 'kplc', ...hour }),
    file: () => statementText([{ amountCents: 5_000n }], HOUR),
  },
  'statement.show': { input: async ({ addStatement }) => ({ statement: await addStatement() }) },
  'statement.pull': {
    input: async ({ addPulled }) => ({ operator: await addPulled(), ...hour }),
  },
  'statement.pulls': nothing,
  'statement.set-pull': { input: async () => ({ operator: 'kplc', every: '6h', from: hour.from }) },
  'account-statement.vendor': {
    input: async () => ({ vid: 'demo', from: '2026-01-05', to: '2026-01-06' }),
  },
  'account-statement.operator': {
    input: async () => ({ operator: 'kplc', from: '2026-01-05', to: '2026-01-06' }),
  },
  'account-statement.settlement': {
    input: async () => ({ operator: 'kplc', from: '2026-01-05', to: '2026-01-06' }),
  },
  'account-statement.document': {
    input: async () => ({ vid: 'demo', month: '2026-01', format: 'text' }),
  },
  'day.show': { input: async () => ({ day: '2026-01-05' }) },
  'day.totals': { input: async () => ({ day: '2026-01-05' }) },
  'day.close': { input: async () => ({ day: nextDay(), reason: 'nothing is missing' }) },
  'entry.list': nothing,
  'entry.propose': {
    input: async () => ({ operator: 'kplc', amount: '50', reference: `E-${some()}` }),
  },
  'journal.list': nothing,
  'journal.propose': {
    input: async () => ({
      lines: [
        { account: 'suspense', side: 'debit', amount: '3.00' },
        { account: 'income:other', side: 'credit', amount: '3' },
      ],
      ...{ reference: `J-${some()}`, evidence: 'mail', reason: 'the bank told us' },
    }),
  },
  'journal.open': {
    input: async () => ({
      ...{ reference: `O-${some()}`, evidence: 'their file', reason: 'we move in' },
      at: '2026-01-05 00:00:00',
    }),
    file: () => 'account,debit,credit\nasset:deposits,5.00,\nopening,,5\n',
  },
  'report.bank': { input: async () => ({ bank: 'main' }) },
  'report.bank-days': { input: async () => ({ bank: 'main' }) },
  'chart.list': nothing,
  'chart.propose': {
    input: async () => ({
      ...{
        account: `liability:l${some().toLowerCase()}`,
        title: `Landlord ${some()}`,
        reason: 'a new office',
      },
    }),
  },
  'vendor.list': nothing,
  'vendor.floats': nothing,
  'vendor.show': { input: vendorOf() },
  'vendor.add': { by: 'admin', input: async () => newVendor() },
  'vendor.propose': {
    by: 'admin',
    input: async () => ({
      ...newVendor(),
      prices: [{ biller: 'DSTV', flat: '10', vat_percent: '16' }],
      people: [{ login: `p-${some()}`, name: 'Amani', role: 'vendor_administrator' }],
      reason: 'as in the contract',
    }),
  },
  'vendor.set': byAdmin({ sector: 'sacco' }),
  'vendor.suspend': byAdmin(),
  'vendor.resume': byAdmin(),
  'vendor.set-float': byAdmin({ low: '100.00' }),
  'vendor.keys': byAdmin(),
  'vendor.rotate-key': byAdmin({ overlap: '1h' }),
  'vendor.retire-key': retired('vendor'),
  'income.collect': {
    input: async () => ({
      ...{ collector: 'demo-collector', vid: 'demo', reference: `I-${some()}`, amount: '70' },
      reason: 'their link was down',
    }),
  },
  'income.fund': { input: vendorOf() },
  'request.list': byAdmin(),
  'signature.compare': byAdmin({ request: 'vid=demo&amount=100', signed: 'amount=100' }),
  'top-up.list': nothing,
  'top-up.show': { input: vendorOf() },
  'top-up.fund': { input: vendorOf({ below: '100' }) },
  'top-up.push': {
    input: vendorOf(
      {
        ...{ below: '100', target: '500', max_amount: '300', max_per_day: '900', pause: '1h' },
        ...{ source: 'paybill', phone: '254712345678' },
      },
      async ({ addRule, addSource }, vid) => {
        await addRule(vid, 'fund');
        await addSource(vid);
      },
    ),
  },
  'top-up.fund-off': withRule('fund'),
  'top-up.push-off': withRule('push'),
  'webhook.list': { ...nothing, by: 'admin' },
  'webhook.show': byAdmin(),
  'webhook.set': byAdmin({ url: 'https://shop.example/hook' }),
  'webhook.types': withWebhook({ off: ['float.low'] }),
  'webhook.test': withWebhook(),
  'webhook.rotate-secret': withWebhook(),
  'webhook.retire-secret': retired('webhook'),
  'webhook.events': byAdmin(),
  'webhook.replay': withWebhook({ state: 'given_up' }),
  'webhook.replay-event': byAdmin({}, async ({ addWebhook, addEvent }, vid) => {
    await addWebhook(vid);
    return { event_id: await addEvent(vid) };
  }),
  'webhook.enable': withWebhook(),
  'webhook.disable': withWebhook(),
  'webhook.remove': withWebhook(),
  'route.try': { input: async () => ({ biller: 'kplc_prepaid', amount: '100' }) },
  'route.list': { input: async () => ({ biller: 'kplc_prepaid' }) },
  'route.set': routeOf({ daily_limit: '5000' }),
  'route.remove': routeOf({}),
  'operator.list': nothing,
  'operator.show': { input: async () => ({ operator: 'kplc' }) },
  'operator.set': operatorOf({
    max_per_second: null,
    settings: [{ name: 'pay_timeout_ms', value: 20_000 }],
  }),
  'operator.set-key': operatorOf({ overlap: '1h' }),
  'operator.floats': nothing,
  'operator.set-float': operatorOf({ low: '2000', stop: '1000', resume: '1500' }),
  'operator.protocols': nothing,
  'operator.protocol': { input: async () => ({ protocol: 'daraja-b2b' }) },
  'operator.test': operatorOf({ biller: 'kplc_prepaid', account: '14234567' }),
  'operator.products': byOperations({}, async ({ addSeller }) => ({ operator: await addSeller() })),
  'biller.list': nothing,
  'biller.show': { input: async () => ({ biller: 'kplc_prepaid' }) },
  'biller.set': byOperations({}, async () => ({ biller: nextBiller(), position: turns })),
  'biller.set-status': byOperations({ biller: 'gotv', status: 'ONLINE' }),
  'biller.products': { input: async () => ({ biller: 'dstv' }) },
  'biller.refresh-products': byOperations({ biller: 'dstv' }),
  'price.list': nothing,
  'price.operators': nothing,
  'price.show': { input: async () => ({ biller: 'kplc_prepaid', amount: '100', vid: 'demo' }) },
  'price.set': feeOf({ percent: '1.5', tiers: [{ from: '1000', flat: '10' }], vat_percent: '16' }),
  'price.remove': feeOf({}),
  'price.set-operator': {
    input: async () => ({ biller: nextBiller(), operator: 'kplc', cost: '2' }),
  },
  'prefix.list': nothing,
  'prefix.set': byOperations({ prefix: '203', biller: 'airtel' }),
  'prefix.remove': byOperations({}, async ({ act }) => {
    const prefix = `2${(turns += 1) % 10}9`;
    await act('operations', `/prefixes/${prefix}`, { biller: 'airtel' });
    return { prefix };
  }),
  'prefix.load-kenya': byOperations({}),
  'collector.add': {
    by: 'admin',
    input: async () => ({ collector: `c-${some()}`, name: 'Till', all_vendors: true }),
  },
  'collector.list': { ...nothing, by: 'admin' },
  'collector.set': { by: 'admin', input: collectorOf({ vendors: ['demo'] }) },
  'collector.rotate-key': { by: 'admin', input: collectorOf({ overlap: '1h' }) },
  'collector.suspend': { by: 'admin', input: collectorOf({}) },
  'collector.resume': { by: 'admin', input: collectorOf({}) },
  'token.list': { ...nothing, by: 'admin' },
  'token.add': { by: 'admin', input: async () => ({ name: `t-${some()}`, role: 'support' }) },
  'token.revoke': {
    by: 'admin',
    input: async ({ act }) => {
      const { name } = await act('admin', '/tokens', { name: `t-${some()}`, role: 'support' });
      return { name };
    },
  },
};
