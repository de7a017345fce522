import { expect, test } from 'vitest';
import {
  PERMISSIONS,
  isAllowed,
  permissionsOf,
} from '../../../../src/parties/people/permissions.ts';
import type { Permission } from '../../../../src/parties/people/permissions.ts';
import { ROLES, VENDOR_ROLES } from '../../../../src/parties/people/roles.ts';

test('every role may see its home page and the payments it concerns', () => {
  for (const role of ROLES) {
    expect(permissionsOf(role)).toEqual(expect.arrayContaining(['home.read', 'payments.read']));
  }
});

test('a vendor’s people have no permission that concerns other vendors', () => {
  const own: ReadonlySet<Permission> = new Set([
    'home.read',
    'passkeys.read',
    'passkeys.act',
    'payments.read',
    'payments.create',
    // Each kind of proposal says whether people of the vendor that it concerns may act.
    'proposals.read',
    'proposals.act',
    'vendor.read',
    'account.read',
    'account.integrate',
    'statement.read',
    'integration.read',
    'integration.act',
    'people.read',
    'people.act',
  ]);
  for (const role of VENDOR_ROLES) {
    expect(permissionsOf(role).filter((each) => !own.has(each))).toEqual([]);
  }
});

test('fewer roles may change something than read it', () => {
  for (const permission of Object.keys(PERMISSIONS) as Permission[]) {
    const [area, verb] = permission.split('.');
    const reading = `${area}.read` as Permission;
    if (verb !== 'act' || !(reading in PERMISSIONS)) continue;
    for (const role of ROLES) {
      if (isAllowed(role, permission)) expect(isAllowed(role, reading)).toBe(true);
    }
  }
});
