/** Roles of the operating company's staff. They see every vendor. */
export const STAFF_ROLES = ['support', 'operations', 'finance', 'risk', 'administrator'] as const;

/** Roles of a vendor's own people. They see their vendor alone. */
export const VENDOR_ROLES = ['vendor_viewer', 'vendor_cashier', 'vendor_administrator'] as const;

export type StaffRole = (typeof STAFF_ROLES)[number];
export type VendorRole = (typeof VENDOR_ROLES)[number];
export type Role = StaffRole | VendorRole;

export const ROLES: readonly Role[] = [...STAFF_ROLES, ...VENDOR_ROLES];

export function isVendorRole(role: Role): role is VendorRole {
  return (VENDOR_ROLES as readonly string[]).includes(role);
}
