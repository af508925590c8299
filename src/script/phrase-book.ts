// Chooses among the phrases for a place in a script: each place has a shuffled list that is used up before it is shuffled anew,
// never the same phrase twice in a row. The shuffle is a function of seed and place, so a seed gives the same script again.

import { seededNumbers } from '../base/seeded-numbers.ts';
import { type PhraseTable, PLACES, type Place, type Slot } from './script-language.ts';

export type Slots = Partial<Readonly<Record<Slot, string | undefined>>>;

export type PhraseBook = {
  /** Undefined: this language has no phrase for the place. */
  say(place: Place, slots?: Slots): string | undefined;
  /** Whether there is anything to say at a place; nothing is drawn. */
  has(place: Place): boolean;
};

const SLOT = /\{(\w+)\}/g;

const slotsIn = (phrase: string): string[] => [...phrase.matchAll(SLOT)].map((match) => match[1]!);

function shuffled(phrases: readonly string[], random: () => number): string[] {
  const pack = [...phrases];
  for (let at = pack.length - 1; at > 0; at -= 1) {
    const other = Math.min(at, Math.floor(random() * (at + 1)));
    [pack[at], pack[other]] = [pack[other]!, pack[at]!];
  }
  return pack;
}

const fill = (phrase: string, slots: Slots): string => {
  const text = phrase.replace(SLOT, (_, name: Slot) => slots[name] ?? '');
  // A heading that is a question brings its own mark; the phrase's stop after it would be a second one.
  return text.replace(/([?？؟!！])(["”“»«』」’]?)[.。!?？؟।]+/gu, '$1$2');
};

/** `always` holds for every place (title and names); `table` undefined: a book without phrases. */
export function createPhraseBook(table: PhraseTable | undefined, seed: number, always: Slots): PhraseBook {
  const packs = new Map<string, { random: () => number; pack: string[]; last: string | undefined }>();

  function deal(key: string, phrases: readonly string[], placeNumber: number): string {
    const held = packs.get(key) ?? { random: seededNumbers(seed, placeNumber), pack: [], last: undefined };
    packs.set(key, held);
    if (held.pack.length === 0) held.pack = shuffled(phrases, held.random);
    // The first of the new order may be the last of the old one; then it moves to the end.
    if (held.pack.length > 1 && held.pack[0] === held.last) held.pack.push(held.pack.shift()!);
    held.last = held.pack.shift()!;
    return held.last;
  }

  return {
    has: (place) => (table?.[place] ?? []).length > 0,
    say(place, slots = {}) {
      const given = { ...always, ...slots };
      const fillable = (table?.[place] ?? []).filter((phrase) =>
        slotsIn(phrase).every((slot) => given[slot as Slot] !== undefined),
      );
      // Names and the title are worth saying where they are known.
      const most = Math.max(0, ...fillable.map((phrase) => slotsIn(phrase).length));
      const fullest = fillable.filter((phrase) => slotsIn(phrase).length === most);
      if (fullest.length === 0) return undefined;
      const placeNumber = Object.keys(PLACES).indexOf(place) * 8 + most;
      return fill(deal(`${place} ${most}`, fullest, placeNumber), given);
    },
  };
}
