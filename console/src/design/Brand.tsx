import styles from './Brand.module.css';

/** The product's name and sign. */
export function Brand() {
  return (
    <div className={styles['brand']}>
      <svg viewBox="0 0 16 16" width="22" height="22" aria-hidden="true">
        <rect width="16" height="16" rx="4" fill="currentColor" />
        <path d="M3.5 12V4.5L8 9l4.5-4.5V12" className={styles['letter']} />
      </svg>
      Malipo
    </div>
  );
}
