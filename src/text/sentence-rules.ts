// What ends a sentence, per language, as data: the segmenter holds no language's words. A language without an
// entry gets the rules that hold for every script (Unicode Sentence_Terminal, initials, numbers, addresses).

import type { Language } from '../speech/language.ts';

export type SentenceRules = {
  /** Followed by a dot, never the last word of a sentence. Lower case stands for both cases of the first letter. */
  readonly never: ReadonlySet<string>;
  /** Abbreviations that end a sentence only before a word of `starters`: a name or a number often follows them. */
  readonly sometimes: ReadonlySet<string>;
  /** Abbreviations that end a sentence whenever the next word begins with a capital. */
  readonly usually: ReadonlySet<string>;
  /** Abbreviations before a number, and ordinary words before anything else. */
  readonly beforeNumber: ReadonlySet<string>;
  /** Capitalised words that seldom follow an abbreviation within a sentence. Empty: any capital counts. */
  readonly starters: ReadonlySet<string>;
  /** Terminals beyond Sentence_Terminal (UAX #29) and the ellipsis. They need white space after them. */
  readonly moreTerminals: string;
  /** `dotted`: a short number with a dot is an ordinal ("3. Mai") unless a starter follows. */
  readonly ordinals: 'plain' | 'dotted';
  /** `clause`: the language sets spaces between phrases, not words (Thai). */
  readonly spaces: 'word' | 'clause';
  /** Characters that continue a sentence right after a terminal and a closing quote (Japanese particles). */
  readonly afterQuote: string;
};

const words = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/).filter((word) => word !== ''));
const NONE: ReadonlySet<string> = new Set();

const EVERY_LANGUAGE: SentenceRules = {
  never: NONE,
  sometimes: NONE,
  usually: NONE,
  beforeNumber: NONE,
  starters: NONE,
  moreTerminals: '',
  ordinals: 'plain',
  spaces: 'word',
  afterQuote: '',
};

const english: SentenceRules = {
  ...EVERY_LANGUAGE,
  never: words(`
    Mr Mrs Ms Mx Messrs Mmes Dr Drs Prof Rev Hon Fr Gen Lt Col Cpt Capt Cmdr Maj Sgt Cpl Pvt Adm Gov Sen Rep Pres
    Supt Amb Mgr Msgr Mt Ft
    e.g i.e eg ie vs v cf viz approx resp esp incl excl ca aka a.k.a w.r.t`),
  sometimes: words(`
    St Ave Blvd Rd Hwy Jr Sr Esq Inc Ltd Co Corp Bros LLC Assn Dept Univ Ph.D M.D B.A M.A B.Sc M.Sc Ed.D D.D.S
    Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun`),
  usually: words('etc al'),
  beforeNumber: words(`
    no nos n° fig figs p pp vol ch sec art eq par para ver rm apt ste pt min max avg tel ext ft lb lbs oz yd hr hrs est`),
  starters: words(`
    A About After All Also Although An And Another Any Are As At Be Because Before Both But By Can Could Did Do Does
    Each Even Every Everyone First For From Go Had Has Have He Hello Her Here Hers Hi His How However I If In Instead
    Is It Its Just Last Later Let Maybe Meanwhile Moreover Most My Next No None Nor Nothing Now Of Oh Okay On Once One
    Only Or Other Our Perhaps Please She Should Since So Some Somebody Someone Sometimes Soon Still Such Sure Thank
    Thanks That The Their Then There Therefore These They This Those Though Through Thus To Today Together Tomorrow
    Under Unless Until Was We Well Were What When Where Whether Which While Who Whose Why Will With Without Would Yes
    Yesterday Yet You Your I'm I've I'll I'd It's He's She's That's There's They're We're We've We'll You're You've
    Don't Didn't Can't Let's What's Who's`),
};

const RULES: Partial<Record<Language, SentenceRules>> = {
  english,
  german: { ...EVERY_LANGUAGE, ordinals: 'dotted' },
  greek: { ...EVERY_LANGUAGE, moreTerminals: ';\u037e' },
  japanese: { ...EVERY_LANGUAGE, afterQuote: 'とっなのがはをにも' },
  thai: { ...EVERY_LANGUAGE, spaces: 'clause' },
};

/** English when the caller names no language. */
export const sentenceRulesOf = (language: Language | undefined): SentenceRules =>
  RULES[language ?? 'english'] ?? EVERY_LANGUAGE;

/** True when `word` (written without its last dot) is in `list`, or is a capitalised entry of it. */
export const isListed = (list: ReadonlySet<string>, word: string): boolean =>
  list.has(word) || list.has(word.slice(0, 1).toLowerCase() + word.slice(1));
