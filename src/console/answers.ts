import type { Role } from '../parties/people/roles.ts';
import type { Permission } from '../parties/people/permissions.ts';

/**
 * The types of the API's answers. The web console imports them, so that both sides always agree.
 * Money is decimal text in KES, such as `1450.00`; times are ISO 8601 in UTC.
 */

/** `GET /session`: the person who is signed in. */
export interface SessionAnswer {
  readonly person: {
    readonly login: string;
    readonly name: string;
    readonly role: Role;
    /** The vendor whose people the person belongs to; null for staff. */
    readonly vid: string | null;
    /** False: the person sees and changes nothing until another administrator has confirmed the person. */
    readonly isConfirmed: boolean;
  };
  readonly permissions: readonly Permission[];
  readonly environment: 'sandbox' | 'production';
  /** True: the console changes nothing. */
  readonly readOnly: boolean;
  /** IANA name, such as `Africa/Nairobi`. */
  readonly timeZone: string;
  readonly version: string;
}

/** `POST /links/read`: whom a one-time link is for, and a new secret for one-time codes. */
export interface LinkAnswer {
  readonly login: string;
  readonly name: string;
  readonly codesRequired: boolean;
  /** Base 32. */
  readonly secret: string;
  /** Content of a QR code: `otpauth://…`. */
  readonly secretUri: string;
}
