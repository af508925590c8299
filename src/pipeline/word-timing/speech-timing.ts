// Times one speech: decodes what its spool gets, request by request, and finds the words of each in it. Runs off the playing
// thread; knows neither the process that it runs in nor the program that speaks the reference.

import { SoundToPcm } from '../../audio/bodies/sound-to-pcm.ts';
import type { Mp3Decoders } from '../../audio/mp3/mp3-decoder.ts';
import { streamLead } from '../../audio/mp3/mp3-to-pcm.ts';
import type { PcmBlock } from '../../audio/stage.ts';
import type { TranscoderItem } from '../../audio/transcoder.ts';
import type { LogEvent } from '../../base/log-events.ts';
import type { HeardEnding } from '../../captions/alignment/heard-ending.ts';
import {
  createFeatureExtractor,
  type FeatureExtractor,
  HEARD_HZ,
} from '../../captions/alignment/speech-features.ts';
import { shifted, type WordEstimate } from '../../captions/alignment/word-estimate.ts';
import { createWordFinder, type KnownVoice, type WordFinder } from '../../captions/alignment/word-finder.ts';
import { GUESS_MS_PER_WEIGHT } from '../../captions/word-timeline.ts';
import type { Language } from '../../speech/language.ts';
import type { AlignedText } from '../../text/aligned-text.ts';
import { type ReferenceSpeaker, tempoAt } from './reference-speaker.ts';

/** What a voice sounds like on the whole, learned from speech to speech. */
export type LearnedVoice = { known: KnownVoice };

export type SpeechTiming = {
  /** Requests from here on are spoken by this voice. */
  spokenBy(voice: LearnedVoice): void;
  /** The audio that follows is that of request `index` of the speech. */
  request(index: number, text: AlignedText): void;
  /** `leadIsHeard`: the encoder's delay of these frames is played, because they go out undecoded. */
  items(items: readonly TranscoderItem[], leadIsHeard: boolean): void;
  /** The last `frames` frames were withdrawn. */
  takeBack(frames: number): void;
  /**
   * How the audio of the last request ends, if what has come is all of it; more may come nevertheless. Resolves with
   * undefined where that cannot be told: without a reference, or when the speech is closed.
   */
  ending(likeness: 'asked' | 'on-suspicion'): Promise<HeardEnding | undefined>;
  /** Resolves when the final word times of all requests whose audio has ended were reported. */
  settled(): Promise<void>;
  close(): void;
};

export type SpeechTimingOptions = {
  readonly language: Language;
  readonly speed: number;
  readonly decoders: Mp3Decoders;
  /** Undefined: no local engine. */
  readonly speaker: ReferenceSpeaker | undefined;
  readonly voice: LearnedVoice;
  /** Not called where only endings are wanted. */
  readonly onEstimate: (index: number, estimate: WordEstimate) => void;
  /** `endings`: word times are not wanted, only how each request ends. */
  readonly wants: 'words' | 'endings';
  readonly onFault: (event: LogEvent, cause: unknown) => void;
};

type Request = {
  readonly index: number;
  readonly text: AlignedText;
  readonly voice: LearnedVoice;
  finder: WordFinder;
  sound: Sound;
  /** Its items so far, in case some are withdrawn; empty once it has ended. */
  items: TranscoderItem[];
  leadIsHeard: boolean;
  reference: { readonly hold: (finder: WordFinder) => void } | undefined;
  /** `heard`: what has come was compared with the reference as if it were all, which it may not be. */
  state: 'arriving' | 'heard' | 'ended' | 'told' | 'lost';
  /** Questions about its ending that wait for the reference. */
  readonly asking: (() => void)[];
};

/** A body on its way to features. */
type Sound = {
  push(item: TranscoderItem): void;
  /** Flushes the decoder; only the end may be pushed after it. */
  finish(): void;
  leadMs(): number;
  close(): void;
};

function openSound(decoders: Mp3Decoders, finder: WordFinder): Sound {
  let extractor: FeatureExtractor | undefined;
  let rate = 0;
  let tag: Parameters<typeof streamLead>[0];
  /** A crossfade may have a wider band than what is decoded here; it lasts some hundredths of a second and does no harm. */
  const hear = ({ samples, sampleRate, band }: PcmBlock) => {
    if (sampleRate !== rate) {
      extractor?.flush();
      const belowHz = band === 'whole' ? undefined : decoders.belowHz(HEARD_HZ, sampleRate);
      extractor = createFeatureExtractor(sampleRate, finder.push, belowHz);
      rate = sampleRate;
    }
    extractor!.push(samples);
  };
  const decoder = new SoundToPcm(decoders, hear, HEARD_HZ);
  let isFinished = false;
  const finish = () => {
    if (isFinished) return;
    isFinished = true;
    decoder.endStream();
    extractor?.flush();
  };
  return {
    finish,
    push(item) {
      if (item.kind === 'frame') decoder.push(item.frame);
      else if (item.kind === 'tag') {
        tag ??= item.tag;
        decoder.tag(item.tag);
      } else if (item.kind === 'begin') {
        // Another synthesis run replaces one of which nothing was heard.
        tag = undefined;
        decoder.beginStream();
      } else if (item.kind === 'bridge') {
        const { next } = item.bridge;
        hear(item.bridge);
        if (next === undefined) decoder.endStream();
        else decoder.joinStream(next);
      } else {
        finish();
        finder.end();
      }
    },
    leadMs: () => (rate === 0 ? 0 : (streamLead(tag) * 1000) / rate),
    close: () => decoder.close(),
  };
}

const MAX_TEMPO = 2;

export function createSpeechTiming(options: SpeechTimingOptions): SpeechTiming {
  const { language, speed, decoders, wants, onEstimate, onFault } = options;
  let { voice } = options;
  const tempo = tempoAt(speed);
  /** A speech that is much faster or slower than any reference cannot be compared with it. */
  const speaker = tempo >= 1 / MAX_TEMPO && tempo <= MAX_TEMPO ? options.speaker : undefined;
  const closed = new AbortController();
  /** Requests without final word times; told ones are dropped: a turn may last for hours. */
  const open = new Set<Request>();
  let last: Request | undefined;
  const waiting: (() => void)[] = [];

  const createFinder = ({ weights, pauses }: AlignedText, { known }: LearnedVoice) =>
    createWordFinder(
      weights.map((weight, w) => ({ weight, pause: pauses[w]! })),
      GUESS_MS_PER_WEIGHT / speed,
      known,
      tempo,
    );

  const wakeSettled = () => {
    if ([...open].some(({ state }) => state === 'ended')) return;
    for (const wake of waiting.splice(0)) wake();
  };

  const inHeardTime = (request: Request, estimate: WordEstimate) =>
    shifted(estimate, request.leadIsHeard ? request.sound.leadMs() : 0);
  const answerAsking = (request: Request) => {
    for (const answer of request.asking.splice(0)) answer();
  };
  const tell = (request: Request) => {
    if (closed.signal.aborted || request.state === 'told' || request.state === 'lost') return;
    const { finder, voice: its } = request;
    const estimate = wants === 'words' ? finder.estimate() : undefined;
    if (estimate !== undefined) onEstimate(request.index, inHeardTime(request, estimate));
    if (!finder.isFinal()) return;
    const { mean = its.known.mean, onsetMs = its.known.onsetMs } = finder.learned();
    its.known = { mean, onsetMs };
    leave(request, 'told');
  };

  const leave = (request: Request, state: 'told' | 'lost') => {
    request.state = state;
    request.sound.close();
    request.items = [];
    open.delete(request);
    answerAsking(request);
    wakeSettled();
  };

  /** A speech that cannot be decoded is not timed; playback plays it all the same, or fails there. */
  const guard = (request: Request, work: () => void) => {
    try {
      work();
    } catch (fault) {
      onFault('word_timing_failed', fault);
      if (request.state !== 'told') leave(request, 'lost');
    }
  };

  /** Decodes a request from its beginning, with these items. */
  const hearAnew = (request: Request, items: readonly TranscoderItem[]) => {
    request.sound.close();
    request.finder = createFinder(request.text, request.voice);
    request.sound = openSound(decoders, request.finder);
    request.items = [];
    request.state = 'arriving';
    take(request, items);
    request.reference?.hold(request.finder);
    answerAsking(request);
  };

  const take = (request: Request, items: readonly TranscoderItem[]) => {
    for (const item of items) {
      request.items.push(item);
      request.sound.push(item);
      if (item.kind === 'end') request.state = 'ended';
    }
    if (request.state === 'ended') request.items = [];
  };

  const speakReference = async (request: Request) => {
    const hold = (apply: (finder: WordFinder) => void) => {
      request.reference = { hold: apply };
      guard(request, () => {
        if (request.state === 'told' || request.state === 'lost') return;
        apply(request.finder);
        tell(request);
      });
      answerAsking(request);
    };
    const { wordAt } = request.text;
    try {
      if (speaker === undefined) throw new Error('there is no local engine');
      let told = 0;
      await speaker.speak(
        request.text,
        { language, speed },
        (reference, words) => {
          told = words;
          hold((finder) => finder.hold(reference, words === wordAt.length ? 'whole' : 'first-words'));
        },
        closed.signal,
      );
      if (told < wordAt.length) hold((finder) => finder.giveUpReference());
    } catch (fault) {
      if (closed.signal.aborted) return;
      if (speaker !== undefined) onFault('reference_speech_failed', fault);
      hold((finder) => finder.giveUpReference());
    }
  };

  return {
    spokenBy(next) {
      voice = next;
    },
    request(index, text) {
      const finder = createFinder(text, voice);
      const request: Request = {
        index,
        text,
        voice,
        finder,
        sound: openSound(decoders, finder),
        items: [],
        leadIsHeard: false,
        reference: undefined,
        state: 'arriving',
        asking: [],
      };
      last = request;
      open.add(request);
      if (text.wordAt.length > 0) void speakReference(request);
      else leave(request, 'told');
    },
    items(items, leadIsHeard) {
      const request = last;
      if (request === undefined || !open.has(request)) return;
      request.leadIsHeard = leadIsHeard;
      guard(request, () => {
        // It was not the end after all.
        if (request.state === 'heard' && items[0]?.kind !== 'end') hearAnew(request, request.items);
        take(request, items);
        tell(request);
      });
    },
    takeBack(frames) {
      const request = last;
      if (frames === 0 || (request?.state !== 'arriving' && request?.state !== 'heard')) return;
      guard(request, () => hearAnew(request, request.items.slice(0, request.items.length - frames)));
    },
    ending(likeness) {
      const request = last;
      if (request === undefined || !open.has(request)) return Promise.resolve(undefined);
      guard(request, () => {
        request.sound.finish();
        request.state = 'heard';
      });
      return new Promise((resolve) => {
        const answer = () => {
          if (request.state !== 'heard') return resolve(undefined);
          let ending: HeardEnding | undefined;
          guard(request, () => {
            ending = request.finder.ending(likeness);
          });
          if (ending !== undefined) return resolve({ ...ending, words: inHeardTime(request, ending.words) });
          if (request.finder.isGivenUp()) resolve(undefined);
          else request.asking.push(answer);
        };
        answer();
      });
    },
    settled: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        wakeSettled();
      }),
    close() {
      closed.abort(new Error('The speech is over.'));
      for (const request of open) request.sound.close();
      const left = [...open];
      open.clear();
      for (const request of left) {
        request.state = 'lost';
        answerAsking(request);
      }
      for (const wake of waiting.splice(0)) wake();
    },
  };
}
