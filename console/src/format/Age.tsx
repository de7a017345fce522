import { useLingui } from '@lingui/react';

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** How long something has lasted, in its largest unit, such as `3 hours`. */
export function Age({ seconds }: { readonly seconds: number }) {
  const { i18n } = useLingui();
  const [unit, length] = UNITS.find(([, each]) => seconds >= each) ?? (['second', 1] as const);
  const format = new Intl.NumberFormat(i18n.locale, { style: 'unit', unit, unitDisplay: 'long' });
  return <span>{format.format(Math.floor(seconds / length))}</span>;
}

export function secondsSince(instant: string): number {
  return Math.max(0, (Date.now() - Date.parse(instant)) / 1000);
}
