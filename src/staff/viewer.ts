import { permissionsOf } from '../parties/people/permissions.ts';
import type { Permission } from '../parties/people/permissions.ts';
import { STAFF_ROLES } from '../parties/people/roles.ts';
import type { Role } from '../parties/people/roles.ts';
import type { Actor } from '../proposals/kind.ts';

/** Who sees or does something: a person, a program with a person's token, or whoever runs commands. */
export interface Viewer {
  /** The person; of a program, the owner of its token. Null: a name on the command line. */
  readonly personId: string | null;
  /** The login, or that name. */
  readonly login: string;
  /** Null: not known, as on the machine of the service. */
  readonly role: Role | null;
  /** The vendor whose people the person belongs to; undefined for staff. */
  readonly vendor: { readonly vendorId: number; readonly vid: string } | undefined;
  /** What it may now: of a token, never more than its owner. */
  readonly permissions: ReadonlySet<Permission>;
  /** The name of the program's token; null: a person acts. */
  readonly token: string | null;
  /** Whoever acts, as proposals and decisions name people. */
  readonly actor: Actor;
}

/** True: no member of staff may, but a vendor’s people in the console, and perhaps whoever runs commands. */
export const isVendorsOnly = ({ permission }: { readonly permission: Permission }): boolean =>
  !ALL_OF_STAFF.has(permission);

/** Everything that any member of staff may. A vendor’s people may do more only in the console. */
export const ALL_OF_STAFF: ReadonlySet<Permission> = new Set(
  STAFF_ROLES.flatMap((role) => permissionsOf(role)),
);
