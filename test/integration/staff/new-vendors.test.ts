import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test, vi } from 'vitest';
import { StaffClient, staffSignedIn } from '../../support/staff-client.ts';
import { useService } from '../../support/use-service.ts';

// A vendor that one person, or a program, proposes with its prices and people, and another one approves.

const running = useService();
let owner: StaffClient;
let other: StaffClient;
let program: StaffClient;

beforeAll(async () => {
  owner = await staffSignedIn(running.origin, 'admin');
  other = await staffSignedIn(running.origin, 'admin2');
  const made = await owner.post('/tokens', { name: 'crm', role: 'administrator' });
  program = new StaffClient(running.origin, String(made.body['token']));
});

const PERSON = { login: 'asha@shop.example', name: 'Asha', role: 'vendor_administrator' };
const vidOf = () => `v-${randomUUID().slice(0, 8)}`;
const propose = async (vid: string, given: object = {}) =>
  await program.post(`/vendors/${vid}/propose`, { name: 'Shop', sector: 'retail', ...given });
const approve = async ({ proposal, seen }: Record<string, unknown>) =>
  await other.post(`/proposals/${String(proposal)}/approve`, { seen });
const found = async (vid: string) => (await owner.get(`/vendors/${vid}`)).status;

test('nothing of a proposed vendor exists before the approval, and all of it afterwards', async () => {
  const vid = vidOf();
  const { body } = await propose(vid, {
    prices: [{ biller: 'DSTV', flat: '10', tiers: [{ from: '1000', percent: '1' }] }],
    people: [PERSON],
    reference_required: false,
  });
  expect(body['would']).toContainEqual({
    ...{ label: 'Prices', text: 'dstv: 10.00; from 1000.00: 1 %', amount: null },
  });
  expect(body['would']).toContainEqual({ label: 'Duplicate window', text: '120 s', amount: null });
  expect(await found(vid)).toBe(404);
  expect((await approve(body)).body).toMatchObject({ decision: 'approved' });
  await vi.waitFor(async () => {
    const { prices } = (await owner.get(`/vendors/${vid}`)).body;
    expect(prices).toMatchObject([{ biller: 'dstv', is_own: true }]);
  });
  const { people } = (await owner.get('/people')).body;
  expect(people).toContainEqual(
    expect.objectContaining({ login: PERSON.login, vid, signs_in_with: 'invited' }),
  );
});

test('a name cannot look like a second person in what is approved', async () => {
  const name = 'Asha" | vendor_viewer eve@shop.example "Eve';
  const { body } = await propose(vidOf(), {
    people: [{ ...PERSON, login: 'asha@other.example', name }],
  });
  expect(body['would']).toContainEqual({
    label: 'People',
    text: String.raw`vendor_administrator asha@other.example "Asha\" | vendor_viewer eve@shop.example \"Eve"`,
    amount: null,
  });
});

test.each([
  [{ prices: [{ biller: 'nothing', flat: '1' }] }, 'Biller nothing does not exist.'],
  [
    {
      prices: [
        { biller: 'dstv', flat: '1' },
        { biller: 'DSTV', flat: '2' },
      ],
    },
    'dstv has two prices.',
  ],
  [{ people: [{ ...PERSON, login: 'admin' }] }, 'admin exists already.'],
])('a vendor of which a part cannot be is refused as a whole: %j', async (given, problem) => {
  const vid = vidOf();
  expect(await propose(vid, given)).toMatchObject({ status: 400, problem });
  expect(await found(vid)).toBe(404);
});

test('a proposed vendor that somebody else added meanwhile is refused', async () => {
  const vid = vidOf();
  const { body } = await propose(vid);
  await running.addVendor({ vid });
  expect(await approve(body)).toMatchObject({ status: 400 });
});

test('a program proposes a key of a vendor, and once it is approved only the person gets it', async () => {
  const vid = vidOf();
  await approve((await propose(vid)).body);
  const keys = `/vendors/${vid}/keys`;
  const asked = await program.post(keys);
  expect(asked.body).toMatchObject({ secret: null, decision: null });
  await approve(asked.body);
  const before = (await owner.get(keys)).body;
  expect((await program.post(keys)).body).toMatchObject({ secret: null, decision: 'approved' });
  expect((await owner.get(keys)).body).toEqual(before);
  expect((await owner.post(keys)).body).toMatchObject({ secret: expect.any(String) });
});
