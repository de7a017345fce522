import { useLingui } from '@lingui/react/macro';

export interface Figures {
  readonly count: (value: number) => string;
  /** A part of one, such as `99.62 %`. */
  readonly percent: (value: number | null) => string;
  /** A length of time in its two largest units, such as `2 h 4 min`. */
  readonly duration: (seconds: number | null) => string;
}

const NOTHING = '–';

/** Figures as people of the chosen language read them. */
export function useFigures(): Figures {
  const { t, i18n } = useLingui();
  const count = (value: number): string => new Intl.NumberFormat(i18n.locale).format(value);
  const units = (seconds: number): string => {
    const minutes = Math.floor(seconds / 60);
    const hours = Math.floor(minutes / 60);
    const days = Math.floor(hours / 24);
    if (days > 0) return hours % 24 === 0 ? t`${days} d` : t`${days} d ${hours % 24} h`;
    if (hours > 0) return minutes % 60 === 0 ? t`${hours} h` : t`${hours} h ${minutes % 60} min`;
    if (minutes > 0) return t`${minutes} min`;
    const milliseconds = Math.ceil(seconds * 1000);
    if (seconds > 0 && seconds < 0.1) return t`${milliseconds} ms`;
    return t`${seconds < 10 ? Number(seconds.toPrecision(2)) : Math.round(seconds)} s`;
  };
  return {
    count,
    percent: (value) =>
      value === null ? NOTHING : `${(value * 100).toFixed(value === 1 ? 0 : 2)}\u00A0%`,
    duration: (seconds) => (seconds === null ? NOTHING : units(seconds)),
  };
}
