// The two turn prefixes of a request: a caller's own when they are safe, otherwise made so that the text holds
// neither. Upstream takes every occurrence for a change of voice, so a wrong one speaks in the wrong voice.

import type { TurnPrefixes } from './turn-prefix-reader.ts';

export type PrefixPair = { readonly turnPrefix: string; readonly turnPrefix2: string };

/** One spelling for all cases of a letter, the long s and the Kelvin sign among them. */
const fold = (text: string) => text.toUpperCase().toLowerCase();

/** An end of `a`, with the space that follows it in a request, is a beginning of `b`: text could complete it. */
function runsInto(a: string, b: string): boolean {
  for (let length = 1; length < a.length; length += 1) if (b.startsWith(`${a.slice(-length)} `)) return true;
  return false;
}

/** A caller's own prefix as it can be used: on one line, not in the text, not running into itself. */
function usable(own: string | undefined, body: string): string | undefined {
  const prefix = own?.trim() ?? '';
  const folded = fold(prefix);
  const safe = prefix !== '' && !/[\n\r]/.test(prefix) && !body.includes(folded) && !runsInto(folded, folded);
  return safe ? prefix : undefined;
}

const apart = (a: string, b: string) =>
  !a.includes(b) && !b.includes(a) && !runsInto(a, b) && !runsInto(b, a);

/**
 * Prefixes that occur nowhere in `spoken`, whatever the case of letters; neither holds the other.
 * The same text always gives the same pair.
 */
export function choosePrefixes(spoken: string, own: Partial<TurnPrefixes>): PrefixPair {
  const body = fold(spoken);
  const taken = new Set([...body.matchAll(/speaker (\d+):/g)].map((match) => Number(match[1])));
  let first = 1;
  while (taken.has(first) || taken.has(first + 1)) first += 2;
  const made = { turnPrefix: `Speaker ${first}:`, turnPrefix2: `Speaker ${first + 1}:` };
  const wanted = {
    turnPrefix: usable(own.turnPrefix, body) ?? made.turnPrefix,
    turnPrefix2: usable(own.turnPrefix2, body) ?? made.turnPrefix2,
  };
  return apart(fold(wanted.turnPrefix), fold(wanted.turnPrefix2)) ? wanted : made;
}
