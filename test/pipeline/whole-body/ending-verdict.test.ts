import { describe, expect, it } from 'vitest';
import type { HeardEnding } from '../../../src/captions/alignment/heard-ending.ts';
import {
  type CleanEnd,
  fitOf,
  type Verdict,
  verdictOf,
} from '../../../src/pipeline/whole-body/ending-verdict.ts';

const NOTHING_AGAINST: CleanEnd = {
  cutFrameBytes: 0,
  missingMs: 0,
  longestMs: 30_000,
  told: undefined,
  heard: undefined,
  sound: () => undefined,
  believed: () => false,
  reference: 'none',
  voice: 'unknown',
  service: 'unknown',
  audioMs: 4000,
  letters: 60,
  lettersPerSecond: 15,
};
const heard = (more: Partial<HeardEnding> = {}): HeardEnding => ({
  missingCost: 0,
  mismatch: 0.8,
  spokenMs: 3000,
  lengthRatio: 1,
  silentMs: 200,
  kind: 'speech-like',
  words: { startsMs: [], endsMs: [], reached: 0, withinMs: 20 },
  ...more,
});
const told = (verdict: Verdict) => (verdict.kind === 'whole' ? verdict.by : verdict.doubt);
const verdict = (more: Partial<CleanEnd>) => told(verdictOf({ ...NOTHING_AGAINST, ...more }));
const byWords = (more: Partial<HeardEnding>, known: Partial<CleanEnd> = {}) =>
  verdict({ heard: heard(more), ...known });
const FITTED = { voice: 'fitted-before' } as const;
const TRUSTED = { service: 'says-its-texts' } as const;

describe('the verdict on an ending', () => {
  it('believes what the service says of its own bytes, whatever else is known', () => {
    const cut = { heard: heard({ missingCost: 500 }), cutFrameBytes: 9 };
    expect(verdict({ ...cut, told: 'all' })).toBe('told');
    expect(verdictOf({ ...NOTHING_AGAINST, heard: heard(), told: 'another-length' })).toEqual({
      kind: 'doubt',
      doubt: 'bytes-missing',
      certainty: 'sure',
      habit: 'impossible',
    });
    expect(verdictOf({ ...NOTHING_AGAINST, told: 'not-this-time' })).toMatchObject({
      doubt: 'bytes-missing',
      certainty: 'sure',
    });
  });

  it('doubts half a frame, and frames that were promised as far as the text can take them', () => {
    expect(verdict({})).toBe('nothing');
    expect(verdict({ cutFrameBytes: 1 })).toBe('cut-frame');
    expect(verdict({ missingMs: 48 })).toBe('frames-missing');
    expect(verdict({ missingMs: 26_000 })).toBe('frames-missing');
    expect(verdict({ missingMs: 26_001 })).toBe('nothing');
  });

  it('takes words for missing when the end of the text is far dearer, sooner where the sound does not end in silence', () => {
    expect(byWords({ missingCost: 45 })).toBe('heard');
    expect(byWords({ missingCost: 46 })).toBe('words-missing');
    expect(byWords({ missingCost: 15, silentMs: 80 })).toBe('heard');
    expect(byWords({ missingCost: 16, silentMs: 80 })).toBe('words-missing');
    expect(byWords({ missingCost: Number.POSITIVE_INFINITY })).toBe('words-missing');
  });

  it('takes no end in the middle of a word for a habit of the voice', () => {
    const habit = (silentMs: number) =>
      verdictOf({ ...NOTHING_AGAINST, heard: heard({ missingCost: 90, silentMs }) });
    expect(habit(0)).toMatchObject({ certainty: 'sure', habit: 'impossible' });
    expect(habit(100)).toMatchObject({ certainty: 'sure', habit: 'possible' });
  });

  it('asks nothing of a reference that the speech does not fit, and the less of it was heard the better it must fit', () => {
    const missing = { missingCost: 90, silentMs: 60 };
    expect(byWords({ ...missing, mismatch: 0.89 })).toBe('words-missing');
    expect(byWords({ ...missing, mismatch: 0.9 })).toBe('nothing');
    expect(byWords({ ...missing, mismatch: 0.85, spokenMs: 1000 })).toBe('nothing');
    expect(byWords({ ...missing, mismatch: 0.83, spokenMs: 1000 })).toBe('words-missing');
    // Of a service that says its texts.
    expect(byWords({ ...missing, mismatch: 0.94 }, TRUSTED)).toBe('words-missing');
    expect(byWords({ ...missing, mismatch: 0.95 }, TRUSTED)).toBe('nothing');
    expect(byWords({ ...missing, mismatch: 0.9, spokenMs: 1000 }, TRUSTED)).toBe('nothing');
    // A voice that has fitted before.
    expect(byWords({ ...missing, mismatch: 0.96, spokenMs: 1000 }, FITTED)).toBe('words-missing');
    expect(byWords({ ...missing, mismatch: 0.98, spokenMs: 1000 }, FITTED)).toBe('nothing');
    expect(byWords({ mismatch: undefined }, FITTED)).toBe('heard');
  });

  it('is more lenient with what breaks off in the midst of a sound, of a service that says its texts, but not with a tone', () => {
    const broken = { missingCost: 90, silentMs: 0, mismatch: 0.99 };
    expect([byWords(broken, TRUSTED), byWords(broken, FITTED), byWords(broken)]).toEqual([
      'words-missing',
      'words-missing',
      'nothing',
    ]);
    expect(byWords({ ...broken, mismatch: 1.01 }, TRUSTED)).toBe('nothing');
    expect(byWords({ ...broken, silentMs: 60 }, TRUSTED)).toBe('nothing');
    expect(byWords({ ...broken, missingCost: 40 }, TRUSTED)).toBe('nothing');
    expect(byWords({ ...broken, kind: 'steady' }, TRUSTED)).toBe('nothing');
  });

  it('asks nothing of the reference where the service mostly says other texts, but for a voice that does not', () => {
    const missing = { missingCost: 90, mismatch: 0.8 };
    expect(byWords(missing, { service: 'says-others' })).toBe('nothing');
    expect(byWords(missing, { service: 'says-others', ...FITTED })).toBe('words-missing');
    const broken = () => ({ silentMs: 0, dropNats: 1, kind: 'speech-like' }) as const;
    expect(verdict({ sound: broken, service: 'says-others' })).toBe('nothing');
  });

  it('tells whether a speech says its text where enough of it was heard, whole or cut', () => {
    const cut = { missingCost: 90, silentMs: 0 };
    expect(fitOf(heard({ ...cut, mismatch: 0.89 }))).toBe('fits');
    expect(fitOf(heard({ ...cut, mismatch: 0.9 }))).toBe('unclear');
    expect(fitOf(heard({ ...cut, mismatch: 0.98 }))).toBe('misfits');
    expect(fitOf(heard({ ...cut, mismatch: 0.8, spokenMs: 999 }))).toBe('unclear');
    expect(fitOf(heard({ mismatch: undefined }))).toBe('unclear');
  });

  it('doubts what is far shorter than the reference, whatever it says', () => {
    expect(byWords({ mismatch: 1, lengthRatio: 0.29 })).toBe('too-short');
    expect(byWords({ mismatch: 1, lengthRatio: 0.31 })).toBe('nothing');
    // A short text may be answered with a chime by a service that was never heard to say one.
    expect(byWords({ mismatch: 1, lengthRatio: 0.29 }, { letters: 19 })).toBe('nothing');
    expect(byWords({ mismatch: 1, lengthRatio: 0.29 }, { letters: 19, service: 'says-its-texts' })).toBe(
      'too-short',
    );
    expect(byWords({ mismatch: 1, lengthRatio: 0.29 }, { letters: 7, service: 'says-its-texts' })).toBe(
      'nothing',
    );
  });

  it('goes by the level where there is no reference, and not at all by the level of a tone', () => {
    const sound = { silentMs: 0, dropNats: 2, kind: 'speech-like' } as const;
    const by = (more: Partial<NonNullable<CleanEnd['sound']>>) =>
      verdictOf({ ...NOTHING_AGAINST, sound: () => ({ ...sound, ...more }) });
    expect(by({})).toMatchObject({ doubt: 'breaks-off', certainty: 'sure' });
    expect(by({ dropNats: 4 })).toMatchObject({ doubt: 'breaks-off', certainty: 'likely' });
    expect(told(by({ dropNats: 6 }))).toBe('nothing');
    expect(told(by({ kind: 'steady' }))).toBe('nothing');
    // Where there should have been a reference, it is not worth a request.
    expect(verdict({ sound: () => sound, reference: 'late' })).toBe('nothing');
    expect(verdict({ sound: () => sound, heard: heard() })).toBe('heard');
  });

  it('passes over what is believed of a voice, and over nothing else', () => {
    const end = { cutFrameBytes: 3, heard: heard({ missingCost: 400 }) };
    expect(verdict(end)).toBe('cut-frame');
    expect(verdict({ ...end, believed: (doubt) => doubt === 'cut-frame' })).toBe('words-missing');
    expect(verdict({ cutFrameBytes: 3, heard: heard(), believed: (doubt) => doubt === 'cut-frame' })).toBe(
      'heard',
    );
  });

  it('doubts half the time that the text takes, but not of a short text', () => {
    expect(verdict({ audioMs: 1999 })).toBe('too-short');
    expect(verdict({ letters: 19, audioMs: 24 })).toBe('nothing');
    expect(verdict({ audioMs: 1999, heard: heard() })).toBe('heard');
  });
});
