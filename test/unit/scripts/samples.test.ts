import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { guidesWithSamples, withCurrentSamples } from '../../../scripts/samples.ts';

const SAMPLES = path.resolve(import.meta.dirname, '../../../docs/guide/samples');

async function tasks(): Promise<string[]> {
  const entries = await readdir(SAMPLES, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

describe('the samples in the guides', () => {
  test('there is each task in each language', async () => {
    const all = await tasks();
    expect(all).toContain('pay');
    const extensions = await Promise.all(
      all.map(async (task) =>
        (await readdir(path.join(SAMPLES, task))).map((file) => path.extname(file)).toSorted(),
      ),
    );
    expect(extensions).toEqual(all.map(() => ['.java', '.mts', '.php', '.py', '.sh']));
  });

  test('a guide shows each task in all languages', async () => {
    const text = (await guidesWithSamples()).map((guide) => guide.text).join('\n');
    const shown = (await tasks()).filter((task) => text.includes(`<!-- samples: ${task} -->`));
    expect(shown).toEqual(await tasks());
  });
});

describe('between the markers', () => {
  const marked = (name: string, inside = ''): string =>
    `Before.\n\n<!-- samples: ${name} -->\n${inside}<!-- /samples -->\n\nAfter.\n`;

  test('a task has its languages in order, each after its label', async () => {
    const page = await withCurrentSamples(marked('balance', '\nsomething old\n\n'));
    expect(page.match(/^\w+:$/gm)).toEqual(['curl:', 'PHP:', 'TypeScript:', 'Python:', 'Java:']);
    expect(page.match(/^```\w+$/gm)).toEqual([
      '```bash',
      '```php',
      '```ts',
      '```python',
      '```java',
    ]);
    expect(page).toMatch(/^Before\.\n\n<!-- samples: balance -->\n\ncurl:\n\n```bash\n/);
    expect(page).toMatch(/\n```\n\n<!-- \/samples -->\n\nAfter\.\n$/);
    expect(page).not.toContain('old');
    expect(await withCurrentSamples(page)).toBe(page);
  });

  test('a file has no label', async () => {
    const page = await withCurrentSamples(marked('balance/balance.php'));
    expect(page).toMatch(/<!-- samples: balance\/balance\.php -->\n\n```php\n<\?php\n/);
    expect(page).not.toContain('PHP:');
  });

  test('a name that names nothing is an error', async () => {
    await expect(withCurrentSamples(marked('nothing'))).rejects.toThrow('nothing');
  });
});
