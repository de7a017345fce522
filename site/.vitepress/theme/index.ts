import { inBrowser, onContentUpdated } from 'vitepress';
import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { followLanguage, showLanguage } from './language.ts';
import './style.css';

const theme: Theme = {
  extends: DefaultTheme,
  setup() {
    if (inBrowser) followLanguage();
    onContentUpdated(showLanguage);
  },
};
export default theme;
