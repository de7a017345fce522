import { permissionsOf } from '../parties/people/permissions.ts';
import type { Permission } from '../parties/people/permissions.ts';
import type { SessionRow } from '../parties/people/read-sessions.ts';
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

/** Somebody who has signed in, with a browser or for a token. */
export interface SignedIn extends Viewer {
  readonly personId: string;
  readonly role: Role;
  readonly name: string;
  /** False: another administrator has not confirmed the person yet, who sees and changes nothing until then. */
  readonly isConfirmed: boolean;
}

export function signedIn({
  personId,
  login,
  name,
  role,
  vendorId,
  vid,
  isConfirmed,
}: Pick<
  SessionRow,
  'vendorId' | 'vid' | 'isConfirmed' | 'personId' | 'login' | 'name' | 'role'
>): SignedIn {
  return {
    ...{ personId, login, name, role, isConfirmed, token: null },
    vendor: vendorId === null || vid === null ? undefined : { vendorId, vid },
    permissions: new Set(isConfirmed ? permissionsOf(role) : []),
    actor: { personId, name: login },
  };
}

/** True: in the console alone, and perhaps for whoever runs commands: it needs a browser, or no member of staff may. */
export const isForPages = ({
  kind,
  onPages,
  permission,
}: {
  readonly kind: string;
  readonly onPages?: true;
  readonly permission: Permission;
}): boolean => kind === 'stream' || onPages === true || !ALL_OF_STAFF.has(permission);

/** Everything that any member of staff may. A vendor’s people may do more only in the console. */
export const ALL_OF_STAFF: ReadonlySet<Permission> = new Set(
  STAFF_ROLES.flatMap((role) => permissionsOf(role)),
);
