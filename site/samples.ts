import type { MarkdownRenderer } from 'vitepress';

type Token = ReturnType<MarkdownRenderer['parse']>[number];

/** A sample’s label in a source, and the language of its tab. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ['curl', 'curl'],
  ['PHP', 'PHP'],
  ['TypeScript', 'TypeScript'],
  ['JavaScript', 'TypeScript'],
  ['Python', 'Python'],
  ['Java', 'Java'],
]);

/**
 * In a source, the same sample in several languages is a list of labels (`PHP:`), each followed by its
 * code. Two or more of them in a row become one group with tabs.
 */
export function groupSamples(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('malipo_samples', (state) => {
    const result: Token[] = [];
    for (let at = 0; at < state.tokens.length;) {
      const samples = samplesFrom(state.tokens, at);
      if (samples.length < 2) {
        result.push(state.tokens[at] as Token);
        at += 1;
        continue;
      }
      const open = new state.Token('container_code-group_open', 'div', 1);
      const close = new state.Token('container_code-group_close', 'div', -1);
      result.push(open, ...samples, close);
      at += samples.length * TOKENS_OF_A_SAMPLE;
    }
    state.tokens = result;
  });
}

/** A paragraph’s start, text and end, and the code. */
const TOKENS_OF_A_SAMPLE = 4;

function samplesFrom(tokens: readonly Token[], first: number): Token[] {
  const samples: Token[] = [];
  for (let at = first; ; at += TOKENS_OF_A_SAMPLE) {
    const [open, label, , code] = tokens.slice(at, at + TOKENS_OF_A_SAMPLE);
    if (open?.type !== 'paragraph_open' || open.level !== 0 || code?.type !== 'fence')
      return samples;
    const language = LABELS.get(/^(\w+)[^:\n]*:$/.exec(label?.content ?? '')?.[1] ?? '');
    if (language === undefined) return samples;
    code.info = `${code.info} [${language}]`;
    samples.push(code);
  }
}
