/**
 * A time zone in which it is about noon. What a test calls today or yesterday then stays so while it runs,
 * whenever that is.
 */
export function zoneAtNoon(now = new Date()): string {
  const hours = 12 - now.getUTCHours();
  // The names of these zones have the sign that is usual in POSIX: Etc/GMT-3 is three hours ahead.
  if (hours === 0) return 'Etc/GMT';
  return `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`;
}
