// Hidden text of a Word document (WordprocessingML `w:vanish`, ISO/IEC 29500-1, 17.3.2.41): it is on no screen and on no
// paper, so it is not spoken either. The library that reads the document does not know of it.

/** An element's attributes are no longer than this; a longer tag is none that is looked for. */
const MARK = /<(\/?)w:(p|r|pPr|rPr|vanish|rStyle|pStyle|style)(?=[\s/>])([^<>]{0,2000}?)(\/?)>/g;
const VALUE = /\bw:val\s*=\s*"([^"]{0,200})"/;
const ID = /\bw:styleId\s*=\s*"([^"]{0,200})"/;

const valueIn = (attributes: string): string | undefined => VALUE.exec(attributes)?.[1];
/** A property without a value is on (17.17.4). */
const isOn = (attributes: string): boolean => !/^(?:0|false|off)$/.test(valueIn(attributes) ?? 'true');

/** The ids of the styles in `styles.xml` whose letters are hidden. */
function hiddenStyles(styles: string): ReadonlySet<string> {
  const hidden = new Set<string>();
  let id: string | undefined;
  for (const [, closes, name, attributes = ''] of styles.matchAll(MARK)) {
    if (name === 'style') id = closes === '' ? ID.exec(attributes)?.[1] : undefined;
    else if (name === 'vanish' && id !== undefined && isOn(attributes)) hidden.add(id);
  }
  return hidden;
}

type Run = { readonly start: number; hidden: boolean };

/** `document` without its hidden runs; the same string when it has none. Linear. */
export function withoutHiddenWords(document: string, styles: string): string {
  const hidden = hiddenStyles(styles);
  if (hidden.size === 0 && !document.includes('<w:vanish')) return document;
  /** Runs in runs are those of text boxes. */
  const runs: Run[] = [];
  /** For each open paragraph, whether its style hides it. */
  const paragraphs: boolean[] = [];
  let inParagraphProperties = 0;
  let inRunProperties = 0;
  const kept: string[] = [];
  let from = 0;
  const cut = (start: number, end: number) => {
    if (end <= from) return;
    kept.push(document.slice(from, Math.max(from, start)));
    from = end;
  };
  for (const { 0: tag, 1: closes, 2: name, 3: attributes = '', 4: isEmpty, index } of document.matchAll(
    MARK,
  )) {
    const run = runs.at(-1);
    if (name === 'vanish' || name === 'rStyle') {
      if (run === undefined || inRunProperties === 0 || inParagraphProperties > 0) continue;
      if (name === 'vanish') run.hidden = isOn(attributes);
      else if (hidden.has(valueIn(attributes) ?? '')) run.hidden = true;
    } else if (name === 'pStyle') {
      if (paragraphs.length > 0) paragraphs[paragraphs.length - 1] = hidden.has(valueIn(attributes) ?? '');
    } else if (isEmpty !== '') continue;
    else if (name === 'pPr') inParagraphProperties += closes === '' ? 1 : -1;
    else if (name === 'rPr') inRunProperties += closes === '' ? 1 : -1;
    else if (name === 'p') {
      if (closes === '') paragraphs.push(false);
      else paragraphs.pop();
    } else if (name === 'r') {
      if (closes === '') runs.push({ start: index, hidden: paragraphs.at(-1) ?? false });
      else if (runs.pop()?.hidden === true) cut(run!.start, index + tag.length);
    }
  }
  kept.push(document.slice(from));
  return kept.join('');
}
