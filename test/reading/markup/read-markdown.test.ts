import { describe, expect, it } from 'vitest';
import { readText, textOf } from '../read-fixture.ts';

const said = async (text: string, name: string) => (await readText(text, name)).blocks.map(textOf);

describe('a Markdown file', () => {
  it.each([
    ['---\ntitle: The tide\nlang: en\n---\n\nIt comes twice a day.'],
    ['+++\ntitle = "The tide"\ndraft = false\n+++\n\nIt comes twice a day.'],
  ])('has its title from its front matter, which is not read: %j', async (text) => {
    const document = await readText(text, 'tide.md');
    expect(document.title).toBe('The tide');
    expect(document.blocks.map(textOf)).toEqual(['It comes twice a day.']);
  });

  it('may begin with a rule', async () => {
    expect(await said('---\n\nIt comes twice a day.\n\n---\n\nOnce at night.', 'a.md')).toEqual([
      'It comes twice a day.',
      'Once at night.',
    ]);
  });

  it('has neither notes nor definitions nor the pipes of tables read', async () => {
    const text =
      'See[^1] [it][a].\n\n[^1]: A note.\n[a]: https://x.y "T"\n\nName | Age\n--- | ---\nAnn | 5\n';
    const all = (await said(text, 'a.md')).join(' ');
    expect(all).toMatch(/^See it\./);
    expect(all).toContain('Ann');
    expect(all).not.toMatch(/note|x\.y|\||\^/);
  });
});

describe('a document that is no Markdown', () => {
  it('keeps the signs in its text', async () => {
    const page =
      '<!doctype html><html lang="en"><body><p>Press &lt;Enter&gt; to go on, then type &lt;your name&gt; here. The file is called *draft* and costs 5 * 3 euros. Use the list [a](b) of the manual.</p><p># is called a hash by most people.</p></body></html>';
    expect(await said(page, 'a.html')).toEqual([
      'Press <Enter> to go on, then type <your name> here. The file is called *draft* and costs 5 * 3 euros. Use the list [a](b) of the manual.',
      '# is called a hash by most people.',
    ]);
  });
});
