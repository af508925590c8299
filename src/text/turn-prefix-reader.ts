// Finds a caller's own turn prefixes in text that arrives in any split, and assigns the text between them to speakers. A prefix
// counts at the start of the text, of a line, after white space or after another prefix (anywhere if it begins
// with white space itself), and where no word goes on behind it: "A" is not found in "Apple".

import { isSpace, isWordCharacter } from './character-class.ts';
import { characterAt, characterBefore, codePointLength } from './code-points.ts';
import type { Speaker } from './segment.ts';
import type { Ending } from './sentences/skip.ts';

export type TurnPrefixes = {
  readonly turnPrefix: string | undefined;
  readonly turnPrefix2: string | undefined;
};

export type TurnPrefixReader = {
  /** `text` adjoins what was pushed before, `start` is its first code point; it parts no surrogate pair. */
  push(text: string, start: number): void;
  /** What may still be the beginning of a prefix is text after all. */
  flush(): void;
  heldCharacters(): number;
};

/**
 * Text before the first prefix is told without a speaker: at the start of a turn it is speaker 1's. Of two prefixes that begin
 * alike the longer one counts when it is there; of two equal ones the first. Prefixes are not handed on, but they do count in
 * positions.
 */
export function createTurnPrefixReader(
  prefixes: TurnPrefixes,
  sink: { onSpeaker(speaker: Speaker): void; onText(text: string, start: number): void },
): TurnPrefixReader {
  const markers = (
    [
      [prefixes.turnPrefix, 1],
      [prefixes.turnPrefix2, 2],
    ] as const
  )
    .flatMap(([text, speaker]) => (text === undefined || text === '' ? [] : [{ text, speaker }]))
    .sort((a, b) => b.text.length - a.text.length);
  let held = '';
  let position = 0;
  let before = '';
  let afterPrefix = false;

  type Marker = (typeof markers)[number];

  function stands(marker: Marker, at: number, ending: Ending): boolean | 'wait' {
    const previous = at === 0 ? before : characterBefore(held, at);
    const free = previous === '' || isSpace(previous) || (at === 0 && afterPrefix);
    if (!free && !isSpace(marker.text[0]!)) return false;
    const there = held.slice(at, at + marker.text.length);
    if (there.length < marker.text.length)
      return ending === 'open' && marker.text.startsWith(there) && 'wait';
    if (there !== marker.text) return false;
    if (!isWordCharacter(characterBefore(there, there.length))) return true;
    const next = characterAt(held, at + there.length);
    return next === '' && ending === 'open' ? 'wait' : !isWordCharacter(next);
  }

  function find(at: number, ending: Ending): Marker | 'wait' | undefined {
    for (const marker of markers) {
      const answer = stands(marker, at, ending);
      if (answer === 'wait') return 'wait';
      if (answer) return marker;
    }
    return undefined;
  }

  function take(length: number): string {
    const text = held.slice(0, length);
    held = held.slice(length);
    position += codePointLength(text);
    before = characterBefore(text, text.length) || before;
    return text;
  }

  function say(length: number) {
    if (length === 0) return;
    afterPrefix = false;
    const start = position;
    sink.onText(take(length), start);
  }

  function advance(ending: Ending) {
    let at = markers.length === 0 ? held.length : 0;
    while (at < held.length) {
      const found = find(at, ending);
      if (found === 'wait') break;
      if (found === undefined) {
        at += characterAt(held, at).length;
        continue;
      }
      say(at);
      take(found.text.length);
      afterPrefix = true;
      sink.onSpeaker(found.speaker);
      at = 0;
    }
    say(at);
  }

  return {
    push(text, start) {
      if (held === '') position = start;
      held += text;
      advance('open');
    },
    flush() {
      advance('closed');
    },
    heldCharacters: () => held.length,
  };
}
