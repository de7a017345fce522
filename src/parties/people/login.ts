/**
 * A login is an e-mail address or a short name, in lower case. Those that a vendor's administrator
 * chooses begin with the vendor's id and a colon. So they never meet those of staff or of another
 * vendor: nobody learns from a refusal that such a login exists, and nobody takes it from a later
 * colleague.
 */
const OF_A_VENDOR = '([a-z0-9._-]{1,64}:)?';
const NAME = '[a-z0-9][a-z0-9._%+@-]{1,126}';

/** As people type it: in any case, with spaces around it. */
export const TYPED_LOGIN = String.raw`^\s*${OF_A_VENDOR}${NAME}\s*$`.replaceAll('a-z', 'A-Za-z');
/** More than every login has. */
export const MAX_LOGIN_LENGTH = 200;

/** As it is stored. */
export function loginFrom(typed: string): string {
  return typed.trim().toLowerCase();
}

/** The login of a person whom the vendor's own administrator adds. */
export function ownLogin(vid: string, typed: string): string {
  const login = loginFrom(typed);
  return vendorOf(login) === undefined ? `${vid.toLowerCase()}:${login}` : login;
}

/** The vendor that the login names, in lower case. */
export function vendorOf(login: string): string | undefined {
  const end = login.indexOf(':');
  return end < 0 ? undefined : login.slice(0, end);
}
