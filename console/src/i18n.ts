import { i18n } from '@lingui/core';
import type { Messages } from '@lingui/core';

export const LANGUAGES = { en: 'English', sw: 'Kiswahili' } as const;
export type Language = keyof typeof LANGUAGES;

const STORED = 'malipo.language';

/** The person's choice on this device, otherwise the browser's first language that we have. */
export function preferredLanguage(): Language {
  const wanted = [localStorage.getItem(STORED), ...navigator.languages];
  for (const tag of wanted) {
    const language = tag?.split('-', 1)[0] ?? '';
    if (language in LANGUAGES) return language as Language;
  }
  return 'en';
}

/** With the words that the service says in English: titles of proposals, and labels of their rows. */
async function readSwahili(): Promise<Messages> {
  const [{ messages }, { default: words }] = await Promise.all([
    import('./locales/sw.po'),
    import('./locales/proposals.sw.json'),
  ]);
  const added = Object.entries(words).map(([english, swahili]) => [english, [swahili]]);
  return { ...messages, ...Object.fromEntries(added) };
}

/** Loads a language's texts and switches to it. */
export async function activateLanguage(language: Language): Promise<void> {
  const messages =
    language === 'sw' ? await readSwahili() : (await import('./locales/en.po')).messages;
  i18n.loadAndActivate({ locale: language, messages });
  document.documentElement.lang = language;
}

/** Switches to a language and remembers it on this device. */
export async function chooseLanguage(language: Language): Promise<void> {
  localStorage.setItem(STORED, language);
  await activateLanguage(language);
}
