// The level of a turn across its services (docs/decisions/0098): who goes on where another one was heard is brought to the active level of
// that one. A voice that was heard before has a level; of another one the first speech in hand is measured before it is joined.

import type { LevelTally } from '../audio/dsp/active-level.ts';
import type { RequestText } from '../text/request-text.ts';
import type { ServedLink } from './speech-services.ts';

/** Less active speech than this tells no level, ms. */
const MIN_HEARD_MS = 250;
/** From so much on, what was heard in the turn alone tells how loud it is; and what is known of a voice is enough. */
const ENOUGH_MS = 1_000;
/** A new voice is joined when so much of it was measured; where nothing else is in hand, so much. */
const [FIRST_MS, HURRIED_MS] = [600, 200] as const;
/** It is measured once more whenever twice as much has come, up to so much. */
const LAST_MS = 4_000;
/** Two services are not further apart; a whisper, or noise in place of speech, is. */
const MAX_GAIN_DB = 12;
/** A smaller correction is not heard. */
const LEAST_STEP_DB = 0.5;

const inBounds = (db: number) => Math.max(-MAX_GAIN_DB, Math.min(MAX_GAIN_DB, db));

/** What brings the speech of one request to the level of its turn. */
export class LevelMatch {
  private readonly targetDb: number;
  private nextMs: number = FIRST_MS;
  private db: number | undefined;

  /** `ownDb`: the level of the voice; undefined: it has to be measured. */
  constructor(targetDb: number, ownDb: number | undefined) {
    this.targetDb = targetDb;
    if (ownDb === undefined) return;
    this.db = inBounds(targetDb - ownDb);
    this.nextMs = Number.POSITIVE_INFINITY;
  }

  /** dB; undefined while it is not known. */
  gainDb(): number | undefined {
    return this.db;
  }
  /** There is no time to measure more than the least. */
  hurry(): void {
    if (this.db === undefined) this.nextMs = HURRIED_MS;
  }
  /** It wants more to be measured. */
  isMeasuring(): boolean {
    return this.nextMs <= LAST_MS;
  }
  /** All of the speech so far; `changed`: from here on with another gain. */
  measured(tally: LevelTally): 'changed' | 'as-before' {
    const speech = tally.active();
    if (speech === undefined || speech.activeMs < this.nextMs) return 'as-before';
    this.nextMs = 2 * Math.max(speech.activeMs, FIRST_MS / 2);
    const db = inBounds(this.targetDb - speech.levelDb);
    if (this.db !== undefined && Math.abs(db - this.db) < LEAST_STEP_DB) return 'as-before';
    this.db = db;
    return 'changed';
  }
}

/** One for each turn that several services may say. */
export class TurnLevel {
  private readonly voicesOf: (link: ServedLink, text: RequestText) => string;
  /** The one that spoke first: all others are brought to its level. */
  private first: ServedLink | undefined;
  /** What it has said, by its voices. */
  private readonly heard = new Map<string, LevelTally>();

  /** `voicesOf`: by which voices of a service a text is said. */
  constructor(voicesOf: (link: ServedLink, text: RequestText) => string) {
    this.voicesOf = voicesOf;
  }

  /** `link` speaks `text` from now on; undefined: as it comes. */
  matchFor(link: ServedLink, text: RequestText): LevelMatch | undefined {
    this.first ??= link;
    if (this.first === link) return undefined;
    const target = this.targetFor(this.first, text);
    if (target === undefined) return undefined;
    const own = link.watch?.levelOf(this.voicesOf(link, text))?.active();
    return new LevelMatch(target, own !== undefined && own.activeMs >= ENOUGH_MS ? own.levelDb : undefined);
  }
  /** `link` has said of `text` what `tally` was measured of; undefined: no speech. */
  said(link: ServedLink, text: RequestText, tally: LevelTally | undefined): void {
    if (tally === undefined || link.apology !== undefined) return;
    const voices = this.voicesOf(link, text);
    link.watch?.learnLevel(voices, tally);
    if (link !== this.first) return;
    const heard = this.heard.get(voices);
    if (heard === undefined) this.heard.set(voices, tally.copy());
    else heard.add(tally);
  }

  private targetFor(first: ServedLink, text: RequestText): number | undefined {
    const voices = this.voicesOf(first, text);
    const heard = this.heard.get(voices)?.active();
    if (heard !== undefined && heard.activeMs >= ENOUGH_MS) return heard.levelDb;
    const known = first.watch?.levelOf(voices)?.active();
    const others = () => [...this.heard.values()].map((tally) => tally.active());
    return [known, heard, ...others()].find((each) => each !== undefined && each.activeMs >= MIN_HEARD_MS)
      ?.levelDb;
  }
}
