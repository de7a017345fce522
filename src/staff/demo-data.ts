import { Type } from 'typebox';
import type { DemoData } from '../demo-data.ts';
import { action, view } from './definition.ts';
import type { Noun } from './definition.ts';
import { inputOf, money, NOTHING, reasonWith, text, time, timeOrNull, titled } from './fields.ts';
import { wireOf } from './wire.ts';

const core = async () => await import('../demo-data.ts');

const names = (title: string) =>
  Type.Array(Type.String(), { title, text: (all: readonly string[]) => all.join(', ') || 'none' });

const found = Type.Object({
  signers: names('Vendors and collectors'),
  public_keys: names('Public keys'),
  people: names('People with the public password'),
  operators: names('Operators at a simulator'),
  billers: names('Their billers'),
  sources: names('Emulated sources of receipts'),
  ended_at: timeOrNull({ title: 'Ended at', nullText: 'not yet' }),
  /** What the demo collector credited to other vendors. */
  credited: Type.Array(
    Type.Object({
      vid: text({ title: 'Vendor' }),
      count: Type.Integer({ title: 'Times', unit: 'count' }),
      amount: money({ title: 'Credited' }),
      first_at: time({ title: 'First' }),
      last_at: time({ title: 'Last' }),
    }),
    { title: 'Credited by the demo collector' },
  ),
  ...titled({ to_do: (options) => Type.Array(Type.String(), options) }),
});

function viewOf(of: DemoData, { stepsLeft }: Awaited<ReturnType<typeof core>>) {
  const credited = of.credited.map(({ vid, count, cents: amountCents, firstAt, lastAt }) =>
    wireOf({ vid, count: Number(count), amountCents, firstAt, lastAt }),
  );
  return { ...wireOf(of), credited, to_do: stepsLeft(of) };
}

const kept = ({ signers, publicKeys, people, billers }: DemoData) =>
  wireOf({ signers, publicKeys, people, billers });

/** Cleans a production database on which `npm start` was run by mistake, before the sandbox refused that. */
export const DEMO_DATA: Noun = {
  command: 'demo-data',
  summary: 'What a sandbox of an earlier version put into production’s database by mistake.',
  definitions: [
    view(core, {
      name: 'demo-data.list',
      summary: 'Show it, and what to do about it.',
      onMachine: true,
      permission: 'system.read',
      input: NOTHING,
      output: found,
      handle: async ({ core: loaded, deps }) =>
        viewOf(await loaded.readDemoData(deps.pool, await deps.masterKeys()), loaded),
    }),
    action(core, {
      name: 'demo-data.end',
      summary:
        'End the public keys, suspend the demo vendors and the demo collector, disable people with the public password, and take billers OFFLINE that the simulators would answer for. What the demo collector credited stays until people correct it.',
      onMachine: true,
      permission: 'system.act',
      input: inputOf({ reason: reasonWith({ option: 'reason' }) }),
      output: found,
      handle: async ({ core: loaded, deps: { pool, clock, ...deps } }) => {
        const keys = { masterKeys: await deps.masterKeys(), ledgerMac: await deps.ledgerMac() };
        const before = await loaded.readDemoData(pool, keys.masterKeys);
        const left = await loaded.endDemoData({ pool, ...keys }, clock.now());
        return { result: viewOf(left, loaded), audit: { before: kept(before), after: kept(left) } };
      },
    }),
  ],
};
