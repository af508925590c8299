// What a language brings to a script: the phrases of people who talk about a text, and the words by which a text shows
// what a sentence is. All of it is data (languages/phrases/), so that a speaker
// of the language can edit it without changing code.

/**
 * Every place in a script where something is said that is not in the source, and the slots that always can be filled
 * there. `title`, `name1` and `name2` may be missing anywhere, so each place has a phrase that does without.
 */
export const PLACES = {
  // Podcast: 1 asks, 2 explains. What ends in Solo is said when there is one voice.
  hello: [],
  helloSolo: [],
  thanks: [],
  /** Who "I" is, where the text says it. */
  inFirstPerson: [],
  topicFirst: ['topic'],
  topicNext: ['topic'],
  topicLast: ['topic'],
  begin: [],
  ask: ['term'],
  askOn: [],
  askReason: [],
  askExample: [],
  askContrast: [],
  react: [],
  sumUp: [],
  bye: [],
  byeSolo: [],
  byeGuest: [],
  // Executive briefing.
  briefOpen: [],
  details: [],
  onTopic: ['topic'],
  further: [],
  concludes: [],
  briefClose: [],
  // Children's story: 1 tells, 2 is a curious child. Without a second voice the listener is asked.
  storyOpen: [],
  childHello: [],
  storyPart: ['topic'],
  storyOn: [],
  childAsk: ['term'],
  childWonder: [],
  toChild: [],
  toChildTerm: ['term'],
  childAnswer: [],
  storyEnd: [],
  childBye: [],
  // Debate.
  debateOpen: [],
  debateOpenSolo: [],
  sideFor: [],
  sideAgainst: [],
  sidesSolo: [],
  common: [],
  claim: [],
  reply: ['term'],
  replyOn: [],
  soloFor: [],
  soloAgainst: [],
  lastWord: [],
  lastWordOther: [],
  lastWordsSolo: [],
  debateEnd: [],
  debateEndSolo: [],
  // Titles of chapters that no heading names.
  titleOpening: [],
  titleKeyPoints: [],
  titleSummary: [],
  titleClosing: [],
} as const satisfies Record<string, readonly Slot[]>;

export type Slot = 'title' | 'name1' | 'name2' | 'topic' | 'term';
export type Place = keyof typeof PLACES;
export type PhraseTable = Readonly<Record<Place, readonly string[]>>;

/**
 * Where a language shows that a word may be named as a subject of its own:
 * `after`: after these words (articles, prepositions); `before`: before these (postpositions); `suffix`: with one of
 * these endings, which is taken off; `capital`: capitalised within a sentence; `opening`: at the beginning of sentences,
 * where it has no case ending; `characters`: in runs of kanji or katakana; `dictionary`: words of two or more
 * characters, as Intl.Segmenter finds them.
 */
export type TermRule =
  | { readonly found: 'after'; readonly words: string; readonly adjectives: 'before' | 'behind' }
  | { readonly found: 'before' | 'suffix'; readonly words: string }
  | { readonly found: 'capital' | 'opening' | 'characters' | 'dictionary' };

/**
 * Lists parted by commas, in lower case. A `*` stands for any further letters on that side; "such (as|that)" is no cue
 * where one of the words in parentheses follows.
 */
export type Cues = {
  /** Dropped from the beginning of a sentence where a comma follows. */
  readonly connectives: string;
  /** A sentence that begins so needs the one before (leaning.ts). */
  readonly leaning: string;
  /** One that has this anywhere does: demonstratives, "instead". */
  readonly leaningWithin: string;
  /** Pronouns that need it where they come early, with no noun before them. */
  readonly leaningEarly: string;
  /** Pronouns for persons only, that need it unless a name comes before them; empty where they stand for things as well. */
  readonly leaningUnnamed: string;
  /** What a noun is known by in front of such a pronoun: articles, "every", "nobody". */
  readonly articles: string;
  /** A sentence that begins so says what the whole text is about ("this paper"); near its beginning it needs nothing before it. */
  readonly aboutItself: string;
  /** Words that have a capital within a sentence only where a line of verse begins with them. */
  readonly lineOpenings: string;
  /** What a definite noun begins with ("the"); empty where the language has no such word. */
  readonly definite: string;
  /** What says more of a noun where it comes right behind it: prepositions, relative pronouns ("the wheel *of* the mill"). */
  readonly complements: string;
  /** Adjectives and numerals that stand before a noun, and behind it. Nouns with capital letters need neither list. */
  readonly adjectives: string;
  readonly adjectivesBehind: string;
  /** What is a verb, or an adverb, as the second word behind an article; empty: only adjectives stand between a noun and its complement. */
  readonly verbs: string;
  /** A sentence that ends so needs the one before: "too", "as well". */
  readonly leaningAtEnd: string;
  readonly benefit: string;
  readonly concern: string;
  /** Who speaks for the matter, and against it, or what: where a paragraph begins with one, all of it is of that side. */
  readonly inFavour: string;
  readonly against: string;
  readonly contrast: string;
  readonly reason: string;
  readonly example: string;
  /** A sentence that begins so takes back what the one before says, which is not told without it. */
  readonly turns: string;
  /** The numbers from two on, in order; then words for "several"; and nouns that, with one of them, announce what follows ("three kinds"). */
  readonly counts: string;
  readonly amounts: string;
  readonly kinds: string;
  /** A sentence that begins so is the first of several that belong together ("first", "on the one hand"). */
  readonly opensList: string;
  /** Comparative forms, and the words that name what they compare with ("than"): without one the sentence leans. */
  readonly comparing: string;
  readonly compared: string;
  /** "I", "my": words of whoever wrote the text. */
  readonly firstPerson: string;
  /** Names of what only a reader sees; a sign of it before a number ("figure 3"). */
  readonly seenNumbered: string;
  /** What only a reader can follow, wherever it stands ("see above"). */
  readonly seen: string;
  /** Words that need another behind them: a citation mark there ("as shown in [4]") is a part of the sentence. */
  readonly binding: string;
  /** A sentence that begins so tells the reader to do something and states nothing. */
  readonly commands: string;
  /** A sentence that begins so lacks its subject; empty where the language leaves subjects out anyway. */
  readonly subjectless: string;
  /** What persons do in a story: "she", "said". A text that has one in most of its sentences tells of somebody. */
  readonly narrating: string;
  /** Words of texts for specialists and machines: no matter for a children's story. */
  readonly technical: string;
  /** Words of four letters and more that are no subject to talk about. */
  readonly common: string;
};

export type ScriptLanguage = {
  readonly phrases: PhraseTable;
  readonly terms: TermRule;
  readonly cues: Cues;
};
