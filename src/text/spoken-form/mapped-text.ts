// A text that was made from another one by edits, with the origin of each of its characters. Ranges
// are code points of the first text, however often it was edited since; they never fall from one character to the next.

import { codePointLength } from '../code-points.ts';

/** Code points of the first text; empty for a character that was put between two others. */
export type SourceRange = { readonly start: number; readonly end: number };

/** Units `from` to `to` (UTF-16) of a text give way to `text`. */
export type Edit = { readonly from: number; readonly to: number; readonly text: string };

export type MappedText = {
  readonly text: string;
  /** What the code point `codePoint` of `text` came from. Past the end: an empty range at the end of the source. */
  sourceOf(codePoint: number): SourceRange;
  /** `edits` in order, none over another. What an edit puts in comes as a whole from all that it takes out. */
  edit(edits: readonly Edit[]): MappedText;
};

/** One way of replacing what a global pattern without groups finds. */
export type Replacement = {
  readonly pattern: RegExp;
  readonly say: (found: string, at: number, text: string) => string;
};

/** `starts` and `ends` by unit of `text`; `length` code points has the source. */
function createMappedText(
  text: string,
  starts: readonly number[],
  ends: readonly number[],
  length: number,
): MappedText {
  let unitOf: number[] | undefined;
  /** The unit at which a code point begins. */
  const findUnit = (codePoint: number): number | undefined => {
    if (unitOf === undefined) {
      unitOf = [];
      let unit = 0;
      for (const character of text) {
        unitOf.push(unit);
        unit += character.length;
      }
    }
    return unitOf[codePoint];
  };

  function rangeOf(from: number, to: number): SourceRange {
    if (from < to) return { start: starts[from]!, end: ends[to - 1]! };
    // Between two characters: what was taken out there, or the piece that both belong to.
    const before = ends[from - 1] ?? 0;
    const behind = starts[from] ?? length;
    return { start: Math.min(before, behind), end: Math.max(before, behind) };
  }

  return {
    text,
    sourceOf(codePoint) {
      const unit = findUnit(codePoint);
      return unit === undefined ? { start: length, end: length } : rangeOf(unit, unit + 1);
    },
    edit(edits) {
      if (edits.length === 0) return this;
      let edited = '';
      const newStarts: number[] = [];
      const newEnds: number[] = [];
      let at = 0;
      const keep = (to: number) => {
        edited += text.slice(at, to);
        for (; at < to; at += 1) {
          newStarts.push(starts[at]!);
          newEnds.push(ends[at]!);
        }
      };
      for (const { from, to, text: said } of edits) {
        keep(from);
        const { start, end } = rangeOf(from, to);
        edited += said;
        for (let unit = 0; unit < said.length; unit += 1) {
          newStarts.push(start);
          newEnds.push(end);
        }
        at = to;
      }
      keep(text.length);
      return createMappedText(edited, newStarts, newEnds, length);
    },
  };
}

/** `text` as it is: every character comes from itself. */
export function mapText(text: string): MappedText {
  const starts: number[] = [];
  const ends: number[] = [];
  let codePoint = 0;
  for (const character of text) {
    // Both halves of a surrogate pair are the same code point.
    for (let unit = 0; unit < character.length; unit += 1) {
      starts.push(codePoint);
      ends.push(codePoint + 1);
    }
    codePoint += 1;
  }
  return createMappedText(text, starts, ends, codePointLength(text));
}

/** What `text.replace(pattern, say)` gives. */
export function replaceMapped(mapped: MappedText, { pattern, say }: Replacement): MappedText {
  const edits: Edit[] = [];
  mapped.text.replace(pattern, (found: string, at: number, text: string) => {
    edits.push({ from: at, to: at + found.length, text: say(found, at, text) });
    return found;
  });
  return mapped.edit(edits);
}
