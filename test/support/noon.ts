/**
 * A time zone in which it is about noon. What a test calls today or yesterday then stays so while it runs,
 * whenever that is.
 */
export function zoneAtNoon(now = new Date()): string {
  const hours = 12 - now.getUTCHours();
  // A browser writes UTC where it is given Etc/GMT.
  if (hours === 0) return 'UTC';
  // The names of these zones have the sign that is usual in POSIX: Etc/GMT-3 is three hours ahead.
  return `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`;
}
