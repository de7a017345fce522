import { STAFF_ROLES, VENDOR_ROLES } from './roles.ts';
import type { Role } from './roles.ts';

/**
 * The permissions of each role. Routes, the navigation, proposals and the tests are derived from this table.
 */

const EVERYONE: readonly Role[] = [...STAFF_ROLES, ...VENDOR_ROLES];
const STAFF: readonly Role[] = STAFF_ROLES;

/** Who has each permission. A permission that only vendors' roles have concerns their own vendor. */
export const PERMISSIONS = {
  /** Figures of the home page. */
  'home.read': EVERYONE,
  /** The own passkeys. */
  'passkeys.read': EVERYONE,
  'passkeys.act': EVERYONE,
  /** Payments; a vendor's people see those of their vendor. */
  'payments.read': EVERYONE,
  /** Ask the operator now, send a webhook again. */
  'payments.act': ['support', 'operations', 'administrator'],
  /** Pay a bill, upload a file of payments. */
  'payments.create': ['vendor_cashier', 'vendor_administrator'],
  'billers.read': STAFF,
  /** Take a biller or an operator offline and back, change routes. */
  'billers.act': ['operations', 'administrator'],
  'cases.read': STAFF,
  /** Propose or approve the resolution of a case; never both for one case. */
  'cases.act': ['support', 'operations', 'finance', 'administrator'],
  /** Lists proposals that wait for a second person and that the role may decide. */
  'approvals.read': STAFF,
  /** Proposals that the person may make or decide: each kind asks for a permission of its own. */
  'proposals.read': EVERYONE,
  'proposals.act': EVERYONE,
  'reconciliation.read': ['operations', 'finance', 'administrator'],
  /** Import a statement, close a day. */
  'reconciliation.act': ['finance', 'administrator'],
  'finance.read': ['finance', 'administrator'],
  /** Propose or approve payouts, manual journals and top-ups. */
  'finance.act': ['finance', 'administrator'],
  'receipts.read': ['support', 'operations', 'finance', 'administrator'],
  /** Propose or approve to whom an unmatched receipt belongs. */
  'receipts.act': ['operations', 'finance', 'administrator'],
  'vendors.read': STAFF,
  /** One vendor: float, settings and prices; a vendor's people see their own. */
  'vendor.read': EVERYONE,
  /** Add, suspend and configure vendors. */
  'vendors.act': ['administrator'],
  /** The pages that only a vendor's people have: the own account, and its integration. */
  'account.read': VENDOR_ROLES,
  'account.integrate': ['vendor_administrator'],
  /** A vendor's own statement and balance. */
  'statement.read': ['finance', 'support', 'administrator', ...VENDOR_ROLES],
  /** Keys, webhooks, request log and settings of the own vendor. */
  'integration.read': ['support', 'administrator', 'vendor_administrator'],
  'integration.act': ['administrator', 'vendor_administrator'],
  /** The search of past enquiries, without personal data. */
  'enquiries.read': ['risk', 'administrator'],
  /** Shows the answer about a person; each look is in the audit log. */
  'credit.reports': ['risk'],
  'credit.read': ['risk', 'administrator'],
  /** Enquire about a person, import a file, decide cases, change scorecards. */
  'credit.act': ['risk'],
  /** The own vendor's people, or the staff. */
  'people.read': ['administrator', 'vendor_administrator'],
  'people.act': ['administrator', 'vendor_administrator'],
  /** Make a link on the command line for a colleague, whom an administrator then confirms. */
  'people.propose': STAFF,
  /** Tokens of programs. */
  'tokens.read': ['administrator'],
  /** Make one, which acts with at most the own rights, and revoke any. */
  'tokens.act': ['administrator'],
  'audit.read': ['administrator'],
  'system.read': ['operations', 'administrator'],
  /** Propose, or confirm, that a quarantine ends without statements. */
  'system.act': ['operations', 'administrator'],
} as const satisfies Readonly<Record<string, readonly Role[]>>;

export type Permission = keyof typeof PERMISSIONS;

export function isAllowed(role: Role, permission: Permission): boolean {
  const roles: readonly Role[] = PERMISSIONS[permission];
  return roles.includes(role);
}

/** Everything that a role may do. */
export function permissionsOf(role: Role): Permission[] {
  return (Object.keys(PERMISSIONS) as Permission[]).filter((each) => isAllowed(role, each));
}
