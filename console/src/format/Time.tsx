import { useLingui } from '@lingui/react';
import { useSession } from '../app/session.ts';

const SHORT: Intl.DateTimeFormatOptions = {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
};

/** The day before the month, as in Kenya. */
function localeOf(language: string): string {
  return language === 'en' ? 'en-GB' : language;
}

/** An instant in the service's time zone. The full form is in the tooltip. */
export function Time({
  at,
  show = 'short',
}: {
  /** ISO 8601. */
  readonly at: string;
  /** `exact`: to the millisecond, for timelines. */
  readonly show?: 'short' | 'exact';
}) {
  const { i18n } = useLingui();
  const { timeZone } = useSession();
  const date = new Date(at);
  const options: Intl.DateTimeFormatOptions =
    show === 'exact' ? { ...SHORT, fractionalSecondDigits: 3 } : SHORT;
  const full: Intl.DateTimeFormatOptions = { dateStyle: 'full', timeStyle: 'long' };
  const text = (format: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat(localeOf(i18n.locale), {
      ...format,
      timeZone,
      hourCycle: 'h23',
    }).format(date);
  return (
    <time dateTime={at} title={text(full)}>
      {text(options)}
    </time>
  );
}
