import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { SeenAccounts } from '../../../../src/credit/importing/seen-accounts.ts';
import { createValidator } from '../../../../src/credit/importing/validate.ts';
import { indexAccount } from '../../../../src/credit/importing/write.ts';
import { createVault } from '../../../../src/credit/registry/vault.ts';
import { rightLine, valuesOf, placesOf } from '../../../support/credit-files.ts';

/** Hashes of identities are on file: if the hashed text changed, every account would look changed. */
test('an identity is hashed without its dates, as it always was', () => {
  const index = { current: randomBytes(32), previous: undefined };
  const vault = createVault({ master: { current: randomBytes(32), previous: undefined }, index });
  const key = Buffer.from(hkdfSync('sha256', index.current, '', 'malipo credit index', 32));
  const text =
    '[{"name":{"surname":"Baraka","forenames":["Amani","Wanjiru"]},"salutation":"","alsoKnownAs":[],' +
    '"dateOfBirth":"1985-03-14","gender":"F","nationality":"KE",' +
    '"documents":[{"type":"nationalID","number":"910000001"}]},[["254700000001","MOBILE"]],[]]';
  const mac = createHmac('sha256', key).update(`identity|${text}`).digest().subarray(0, 16);
  for (const asOf of ['2026-10-31', '2026-11-30']) {
    const { account } = createValidator(placesOf('mobile'), asOf).validate(
      2,
      valuesOf(rightLine(1)),
    );
    if (account === undefined) throw new Error('The line is not right');
    const { identityHash } = indexAccount(account, { vault, lender: 'LENDER' }, new SeenAccounts());
    expect(identityHash.slice(4)).toBe(mac.toString('latin1'));
  }
});
