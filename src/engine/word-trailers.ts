// When the words of a reply are spoken, sent after its body in trailer fields (RFC 9110, 6.5): an extension of the
// service interface that a request asks for by a header, so that other clients never see it.

import type { OnWord } from './speech-stream.ts';

export type WordTrailers = {
  readonly onWord: OnWord;
  /** Their names, for the reply's `Trailer` field. */
  readonly announced: readonly string[];
  /** The fields behind the body, as of the words told so far. */
  fields(): Record<string, string>;
};

const WORDS = 'X-Voxgate-Words';
const REST = 'X-Voxgate-Words-Rest';
/** Clients refuse more than 16 KiB of trailers altogether (Node's and undici's default), the names included. */
const MAX_CHARACTERS = 12 * 1024;

/** `header` is what the request has as `X-Voxgate-Timings`. */
export const asksForWords = (header: string | string[] | undefined): boolean =>
  typeof header === 'string' && header.trim().toLowerCase() === 'words';

/** The words that fit are a beginning of them all: after the first that does not, the others are only counted. */
export function createWordTrailers(): WordTrailers {
  const rows: string[] = [];
  let characters = '[]'.length;
  let rest = 0;
  return {
    onWord({ startMs, charStart, charEnd }) {
      const row = `[${startMs},${charStart},${charEnd}]`;
      if (rest > 0 || characters + row.length + 1 > MAX_CHARACTERS) {
        rest += 1;
        return;
      }
      rows.push(row);
      characters += row.length + 1;
    },
    announced: [WORDS, REST],
    fields: () => ({ [WORDS]: `[${rows.join()}]`, [REST]: String(rest) }),
  };
}
