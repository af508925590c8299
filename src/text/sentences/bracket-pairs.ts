// Which bracket closes which, in text that comes bit by bit. Each character is looked at once, however many brackets are
// open: a search of its own for each opening bracket would read the same characters again and again.

/** `later`: it may still be closed by text that has not come. `never`: a line break comes first, or it is too far. */
export type Partner = number | 'later' | 'never';

export type BracketPairs = {
  /**
   * The place of the bracket that closes the one at `at`, both from the start of all text and within `furthest` units.
   * `held` is the text from place `heldAt` on.
   */
  partnerOf(at: number, furthest: number, held: string, heldAt: number): Partner;
  /** Nothing before `place` will be asked for any more. */
  forgetBefore(place: number): void;
  /** Characters looked at so far; what tests count. */
  visited(): number;
};

/** Entries that are kept before old ones are looked for. */
const ENOUGH = 256;

export function createBracketPairs(open: string, close: string, longest: number): BracketPairs {
  const [openCode, closeCode] = [open.charCodeAt(0), close.charCodeAt(0)];
  let scannedTo = 0;
  /** The place behind the last line break: no bracket before it will be closed. */
  let lineAt = 0;
  let stack: number[] = [];
  const partners = new Map<number, number>();
  let roomFor = ENOUGH;
  let visits = 0;

  function read(code: number, place: number) {
    if (code === 10) {
      lineAt = place + 1;
      stack.length = 0;
    } else if (code === openCode) {
      stack.push(place);
      // One that is too far back to be closed is of no use.
      if (stack.length > 2 * longest) stack = stack.slice(-longest);
    } else if (code === closeCode && stack.length > 0) partners.set(stack.pop()!, place);
  }

  function scan(to: number, held: string, heldAt: number) {
    if (scannedTo < heldAt) scannedTo = heldAt;
    const end = Math.min(to, heldAt + held.length);
    for (; scannedTo < end; scannedTo += 1) {
      visits += 1;
      read(held.charCodeAt(scannedTo - heldAt), scannedTo);
    }
  }

  return {
    partnerOf(at, furthest, held, heldAt) {
      if (at >= scannedTo) scan(at + 1, held, heldAt);
      let known = partners.get(at);
      // As far as the bracket may reach, and no further: what is behind it may never be asked for.
      for (
        let step = scannedTo;
        known === undefined && at >= lineAt && step < at + furthest;
        step = scannedTo
      ) {
        scan(step + 16, held, heldAt);
        if (scannedTo === step) return 'later';
        known = partners.get(at);
      }
      return known !== undefined && known < at + furthest ? known : 'never';
    },
    forgetBefore(place) {
      if (partners.size < roomFor) return;
      for (const at of partners.keys()) if (at < place) partners.delete(at);
      roomFor = 2 * partners.size + ENOUGH;
    },
    visited: () => visits,
  };
}
