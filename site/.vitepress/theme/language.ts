/** The programming language that the reader chose, on every page and at the next visit. */
const KEY = 'malipo-language';

export function followLanguage(): void {
  addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.closest('.vp-code-group') === null) return;
    const language = titleOf(target);
    if (language === null) return;
    localStorage.setItem(KEY, language);
    const before = target.getBoundingClientRect().top;
    showLanguage();
    // Groups above may have become longer or shorter.
    scrollBy(0, target.getBoundingClientRect().top - before);
  });
}

/** Selects the chosen language wherever it is offered. */
export function showLanguage(): void {
  const language = localStorage.getItem(KEY);
  if (language === null) return;
  for (const input of document.querySelectorAll<HTMLInputElement>('.vp-code-group input')) {
    if (!input.checked && titleOf(input) === language) input.click();
  }
}

function titleOf({ labels }: HTMLInputElement): string | null {
  return labels?.[0]?.getAttribute('data-title') ?? null;
}
