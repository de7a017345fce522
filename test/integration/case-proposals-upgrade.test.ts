import { expect, test } from 'vitest';
import { migrate } from '../../src/platform/db/migrate.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import { SCHEMA } from '../../src/schema.ts';
import { createTestDatabase } from '../support/cluster.ts';

const OPEN = '01900000-0000-7000-8000-000000000001';
const RESOLVED = '01900000-0000-7000-8000-000000000002';

test('what waited for a case before cases had proposals expires, and the history of the case says so', async () => {
  const database = await createTestDatabase({ migrated: false });
  const pool = createPool({ url: database.ownerUrl, max: 2, name: 'test' });
  try {
    const before = SCHEMA.migrations.filter(({ name }) => !name.includes('0046_case_proposals'));
    await migrate(pool, { ...SCHEMA, migrations: before });
    await pool.query(
      `insert into cases (bucket, vendor_id, case_id, kind, facts, opened_at, evidence_id, proposal, proposal_id,
         proposed_by, proposed_at, resolution, resolved_by, resolved_at)
       values
         (bucket_of(0), 0, $1, 'duplicate', '{}', now(), $1, '{"resolution": "house_bears"}', $1, 'Asha', now(),
           null, null, null),
         (bucket_of(0), 0, $2, 'duplicate', '{}', now(), $2, '{"resolution": "keep_books"}', $2, 'Asha', now(),
           'keep_books', 'Baraka', now())`,
      [OPEN, RESOLVED],
    );
    await migrate(pool, SCHEMA);
    const cases = await pool.query(
      `select case_id, proposed_by, resolution, resolved_by from cases order by case_id`,
    );
    expect(cases.rows).toEqual([
      { case_id: OPEN, proposed_by: null, resolution: null, resolved_by: null },
      { case_id: RESOLVED, proposed_by: 'Asha', resolution: 'keep_books', resolved_by: 'Baraka' },
    ]);
    const events = await pool.query('select case_id, action, actor, detail from case_events');
    expect(events.rows).toMatchObject([
      {
        ...{ case_id: OPEN, action: 'expired', actor: 'malipo' },
        detail: {
          ...{ resolution: 'house_bears', proposed_by: 'Asha' },
          note: 'It waited while Malipo was upgraded, and has to be proposed again.',
        },
      },
    ]);
  } finally {
    await pool.end();
    await database.drop();
  }
});
