import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes } from 'react';
import styles from './Button.module.css';

/** A link that looks like a button: a download, or a page of another service. */
export function ButtonLink(props: AnchorHTMLAttributes<HTMLAnchorElement>) {
  return <a {...props} className={styles['button']} />;
}

/** The same for a page of the console. */
export const PageButtonLink = createLink(ButtonLink);
