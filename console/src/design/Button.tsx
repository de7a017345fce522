import type { ButtonHTMLAttributes } from 'react';
import styles from './Button.module.css';

/** `primary`: the one action that a page or a dialog is about. */
export function Button({
  kind = 'plain',
  type = 'button',
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & { readonly kind?: 'plain' | 'primary' | 'danger' }) {
  return <button {...rest} type={type} className={styles['button']} data-kind={kind} />;
}
