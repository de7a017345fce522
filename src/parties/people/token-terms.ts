import type { Clock, WireTime } from '../../platform/base/clock.ts';
import { DAY_MS } from '../../platform/base/days.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { readMoment } from '../../platform/base/times.ts';
import type { PersonRow } from './read-people.ts';

/** Somebody has to look at each token at least once a year. */
const MAX_DAYS = 366;
/** Whoever runs commands without a name. */
const COMMAND_LINE = 'command line';

const isAdministrator = ({ role, status }: PersonRow): boolean =>
  role === 'administrator' && status === 'active';

/**
 * On the machine of the service, the person who is named, or the only administrator.
 * Throws: `PlainError` (field `by`).
 */
export function ownerOf(login: string, people: readonly PersonRow[]): string {
  const [owner, ...others] =
    login === COMMAND_LINE
      ? people.filter(isAdministrator)
      : people.filter((person) => person.login === login && person.vendorId === null);
  if (owner !== undefined && others.length === 0) return owner.personId;
  throw new PlainError('Name the login of the administrator who owns it.', { field: 'by' });
}

/** When a token ends: after `90d`, or at a time. Throws: `invalid_field`. */
export function endOf(
  expires: string,
  { clock, wireTime }: { readonly clock: Clock; readonly wireTime: WireTime },
): Date {
  const now = clock.now();
  const [, days] = /^(\d{1,3})d$/.exec(expires) ?? [];
  const at =
    days === undefined
      ? readMoment(expires, 'expires', wireTime)
      : new Date(now.getTime() + Number(days) * DAY_MS);
  if (at > now && at.getTime() <= now.getTime() + MAX_DAYS * DAY_MS) return at;
  const says = `expires must be in the future, and within ${MAX_DAYS} days`;
  throw new Refusal('invalid_field', { field: 'expires', text: says });
}
