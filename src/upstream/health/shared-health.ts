// What processes and instances tell each other of speech services: what each has found itself, which of them tries a service that is
// out, and which of them announces a change. All of it is one exchange, once a second and when there is news; nothing in a turn waits
// for it. While there is no answer each goes by what it finds itself.

import type { Clock } from '../../base/clock.ts';
import { isJsonObject } from '../../base/json.ts';

/** A service, or one voice of it. `service`: the same wherever the same service is asked with the same keys; `voice` null: all of it. */
export type HealthSubject = { readonly service: string; readonly voice: string | null };

/** What was found itself, never what was heard. Durations, because clocks of machines differ. */
export type HealthWord = HealthSubject & {
  readonly phase: 'out' | 'proving' | 'proven';
  /** Since when. */
  readonly forMs: number;
  /** When it is tried next; below 0: it is due. */
  readonly tryInMs: number;
};
/** `leftMs`: how long it holds without being said again. */
export type HeardWord = HealthWord & { readonly leftMs: number };

export type HealthNews = { readonly service: string; readonly state: 'out' | 'healthy' };

export type HealthAsk = {
  /** Of the process. */
  readonly from: string;
  /** Those that it wants to hear of. */
  readonly services: readonly string[];
  /** All that it says; what it has said before and says no more is taken back. */
  readonly words: readonly HealthWord[];
  /** What it wants to try, or goes on trying. */
  readonly tries: readonly HealthSubject[];
  /** Changes that one of all is to announce. */
  readonly news: readonly HealthNews[];
};
export type HealthAnswer = {
  readonly words: readonly HeardWord[];
  /** It alone may try these for TRY_MS. */
  readonly tries: readonly HealthSubject[];
  /** Nobody has announced these yet. */
  readonly news: readonly HealthNews[];
};

/** Settles within some 200 ms; rejects when others cannot be reached. */
export type HealthExchange = (ask: HealthAsk) => Promise<HealthAnswer>;

/** The part of a watch that is told and hears. */
export type SharedWatch = {
  words(): readonly Omit<HealthWord, 'service'>[];
  hear(words: readonly Omit<HeardWord, 'service'>[]): void;
  wantsToTry(): readonly (string | null)[];
  mayTry(voice: string | null, untilMs: number): void;
  /** `free`: nobody else could try it at the same time, or nobody can be asked. */
  tryAs(how: 'free' | 'leased'): void;
  /** Others could not be asked: what they have said ends by and by. */
  lapse(): void;
  /** Called when there is something to say or to ask. */
  onNews(listener: () => void): void;
};

const BEAT_MS = 1_000;
/** Of what happens at the same moment, one exchange; and so long after the one before. */
const SOON_MS = 50;
const MIN_PAUSE_MS = 250;
export const TRY_MS = 5_000;
/** Said by a process that has been killed: until its own next try, at least three beats, at most the longest time between two tries. */
const MIN_STAY_MS = 3.5 * BEAT_MS;
const MAX_STAY_MS = 60_000;
const MAX_VOICE = 256;
/** Of one process about one service: its voices and the service itself. */
export const MAX_WORDS = 65;

export const stayMs = ({ tryInMs }: Pick<HealthWord, 'tryInMs'>): number =>
  Math.max(MIN_STAY_MS, Math.min(MAX_STAY_MS, tryInMs));

/** A word as it is `ageMs` after it was said; undefined when it holds no more. */
export function agedWord(word: HealthWord, ageMs: number): HeardWord | undefined {
  const leftMs = stayMs(word) - ageMs;
  return leftMs > 0
    ? { ...word, forMs: word.forMs + ageMs, tryInMs: word.tryInMs - ageMs, leftMs }
    : undefined;
}

/** What others have written about `service`; what is none of it is left out. */
export function readWords(service: string, written: unknown): readonly HealthWord[] {
  if (!Array.isArray(written)) return [];
  return written.slice(0, MAX_WORDS).flatMap((each: unknown): HealthWord[] => {
    if (!isJsonObject(each)) return [];
    const { voice, phase, forMs, tryInMs } = each;
    const isVoice = voice === null || (typeof voice === 'string' && voice.length <= MAX_VOICE);
    const isPhase = phase === 'out' || phase === 'proving' || phase === 'proven';
    if (!isVoice || !isPhase || !isDuration(forMs) || !isDuration(tryInMs)) return [];
    return [{ service, voice, phase, forMs: Math.max(0, forMs), tryInMs }];
  });
}
const isDuration = (value: unknown): value is number => Number.isFinite(value);

const nameOf = ({ service, voice }: HealthSubject): string => JSON.stringify([service, voice]);

/** For the processes of one gateway. */
export function createHealthBoard(clock: Pick<Clock, 'now'>): HealthExchange {
  const asked = new Map<string, { readonly atMs: number; readonly words: readonly HealthWord[] }>();
  const tried = new Map<string, { readonly from: string; readonly untilMs: number }>();
  const announced = new Map<string, HealthNews['state']>();

  return async ({ from, services, words, tries, news }) => {
    const nowMs = clock.now();
    for (const [who, { atMs }] of asked) if (nowMs - atMs > MAX_STAY_MS) asked.delete(who);
    for (const [name, { untilMs }] of tried) if (untilMs <= nowMs) tried.delete(name);
    asked.set(from, { atMs: nowMs, words });
    const granted = tries.filter((subject) => {
      const name = nameOf(subject);
      if ((tried.get(name)?.from ?? from) !== from) return false;
      tried.set(name, { from, untilMs: nowMs + TRY_MS });
      return true;
    });
    const own = news.filter(({ service, state }) => announced.get(service) !== state);
    for (const { service, state } of own) announced.set(service, state);
    const heard = [...asked].flatMap(([who, said]) =>
      who === from
        ? []
        : said.words
            .filter(({ service }) => services.includes(service))
            .flatMap((word) => agedWord(word, nowMs - said.atMs) ?? []),
    );
    return { words: heard, tries: granted, news: own };
  };
}

export type HealthSharing = {
  /** `tell` is called when no other process announces it. */
  announce(news: HealthNews, tell: () => void): void;
  close(): void;
};

export type HealthSharingOptions = {
  readonly clock: Clock;
  /** Of this process. */
  readonly from: string;
  readonly exchange: HealthExchange;
  /** By what its service is called among all. */
  readonly watches: ReadonlyMap<string, SharedWatch>;
};

/** Begins at once. */
export function createHealthSharing({ clock, from, exchange, watches }: HealthSharingOptions): HealthSharing {
  let news: { readonly it: HealthNews; readonly tell: () => void }[] = [];
  let phase: 'resting' | 'asking' | 'closed' = 'resting';
  let dueAtMs = 0;
  let askedAtMs = 0;
  let isWanted = false;
  let disarm = () => {};

  const inMs = (ms: number) => {
    disarm();
    dueAtMs = clock.now() + ms;
    disarm = clock.after(ms, () => void ask());
  };
  const soon = () => {
    if (phase === 'asking') isWanted = true;
    if (phase !== 'resting') return;
    const ms = Math.max(SOON_MS, askedAtMs + MIN_PAUSE_MS - clock.now());
    if (dueAtMs - clock.now() > ms) inMs(ms);
  };
  const heard = (answer: HealthAnswer, announcing: typeof news) => {
    for (const [service, watch] of watches) {
      watch.tryAs('leased');
      watch.hear(answer.words.filter((word) => word.service === service));
      for (const { service: of, voice } of answer.tries)
        if (of === service) watch.mayTry(voice, askedAtMs + TRY_MS);
    }
    for (const { it, tell } of announcing)
      if (answer.news.some(({ service, state }) => service === it.service && state === it.state)) tell();
  };
  const ask = async () => {
    phase = 'asking';
    isWanted = false;
    askedAtMs = clock.now();
    const announcing = news;
    news = [];
    const each = [...watches];
    try {
      const answer = await exchange({
        from,
        services: [...watches.keys()],
        words: each.flatMap(([service, watch]) =>
          watch
            .words()
            .filter(({ voice }) => voice === null || voice.length <= MAX_VOICE)
            .map((word) => ({ ...word, service })),
        ),
        tries: each.flatMap(([service, watch]) => watch.wantsToTry().map((voice) => ({ service, voice }))),
        news: announcing.map(({ it }) => it),
      });
      if (isClosed()) return;
      heard(answer, announcing);
    } catch {
      if (isClosed()) return;
      // Alone: twice is better than not at all.
      for (const { tell } of announcing) tell();
      for (const [, watch] of each) {
        watch.tryAs('free');
        watch.lapse();
      }
    }
    phase = 'resting';
    inMs(isWanted ? MIN_PAUSE_MS : BEAT_MS);
  };
  const isClosed = () => phase === 'closed';
  for (const watch of watches.values()) watch.onNews(soon);
  void ask();

  return {
    announce(it, tell) {
      news = [...news.filter((other) => other.it.service !== it.service), { it, tell }];
      soon();
    },
    close() {
      phase = 'closed';
      disarm();
    },
  };
}
