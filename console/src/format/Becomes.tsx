import { useLingui } from '@lingui/react/macro';
import { ArrowRight } from 'lucide-react';
import { Fragment } from 'react';

const ARROW = ' → ';
const SIZE = 14;

/** A text in which an arrow says what becomes of something: drawn, because the font has none. */
export function Becomes({ text }: { readonly text: string }) {
  const { t } = useLingui();
  return text.split(ARROW).map((part, index) => (
    <Fragment key={index}>
      {index > 0 && (
        <>
          {' '}
          <ArrowRight size={SIZE} role="img" aria-label={t`becomes`} />{' '}
        </>
      )}
      {part}
    </Fragment>
  ));
}
