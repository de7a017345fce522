import { writeFile } from 'node:fs/promises';
import { transformerStyleToClass } from '@shikijs/transformers';
import type { MarkdownRenderer } from 'vitepress';

/** Classes in place of `style` attributes, which the Content-Security-Policy does not allow. */
export function classesForStyles(): {
  readonly transformer: ReturnType<typeof transformerStyleToClass>;
  addTo(markdown: MarkdownRenderer): void;
  write(file: string): Promise<void>;
} {
  const transformer = transformerStyleToClass({ classPrefix: 'code-' });
  return {
    transformer,
    addTo(markdown) {
      markdown.core.ruler.push('malipo_alignment', ({ tokens }) => {
        for (const token of tokens) {
          const align = /^text-align:(\w+)$/.exec(token.attrGet('style') ?? '')?.[1];
          if (align === undefined) continue;
          token.attrs = token.attrs?.filter(([name]) => name !== 'style') ?? null;
          token.attrJoin('class', `align-${align}`);
        }
      });
    },
    async write(file) {
      await writeFile(file, transformer.getCSS());
    },
  };
}
