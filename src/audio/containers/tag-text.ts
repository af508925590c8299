// What a caller's title may be before it goes into a file: one line of whole characters, and no longer than any
// container and player can take.

const MAX_CODE_POINTS = 250;
const NOT_A_CHARACTER = '\u{fffd}';

/** Line breaks and control characters become spaces, lone halves of pairs the replacement character; '' stays ''. */
export function tagText(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return Array.from(line)
    .slice(0, MAX_CODE_POINTS)
    .map((character) => (/^[\ud800-\udfff]$/.test(character) ? NOT_A_CHARACTER : character))
    .join('');
}

/** What a finished file says about itself. */
export type FileTags = { readonly title: string; readonly artist: string | undefined };

/** The tags that have something to say, as they are written. */
export function cleanTags({ title, artist }: FileTags): FileTags {
  const [cleanTitle, cleanArtist] = [tagText(title), tagText(artist ?? '')];
  return { title: cleanTitle, artist: cleanArtist === '' ? undefined : cleanArtist };
}
