import { describe, expect, it } from 'vitest';
import type { Doubt } from '../../../src/pipeline/whole-body/ending-verdict.ts';
import {
  countLetters,
  createVoiceRecords,
  type VoiceRecords,
} from '../../../src/pipeline/whole-body/voice-records.ts';

describe('the record of a voice', () => {
  const english = { voice: 'a', text: 'Some text.', speed: 1 };

  it('is the fastest that there is until it is known, then nears what was heard', () => {
    const voices = createVoiceRecords();
    expect([voices.fastest(english), voices.slowest(english)]).toEqual([25, 6]);
    for (let body = 0; body < 30; body += 1) voices.learn(english, 140, 10_000);
    expect(voices.fastest(english)).toBeCloseTo(14, 1);
    expect(voices.slowest(english)).toBe(6);
    for (const other of [
      { ...english, voice: 'b' },
      { ...english, text: '一些文字' },
    ])
      expect(voices.fastest(other)).not.toBeCloseTo(14, 1);
  });

  it('follows the speed that was asked for, and another kind of script', () => {
    const voices = createVoiceRecords();
    expect([voices.fastest({ ...english, speed: 2 }), voices.slowest({ ...english, speed: 0.5 })]).toEqual([
      50, 3,
    ]);
    expect(voices.fastest({ ...english, text: '今日は' })).toBeLessThan(25);
  });

  it('learns nothing from a few letters', () => {
    const voices = createVoiceRecords();
    voices.learn(english, 5, 60_000);
    expect(voices.fastest(english)).toBe(25);
  });

  it('forgets the voices that were not used for longest', () => {
    const voices = createVoiceRecords();
    for (let voice = 0; voice < 600; voice += 1) voices.learn({ ...english, voice: `${voice}` }, 100, 10_000);
    expect(voices.fastest({ ...english, voice: '0' })).toBe(25);
    expect(voices.fastest({ ...english, voice: '599' })).toBeLessThan(25);
  });

  const alike = (voices: VoiceRecords, doubt: Doubt, ...texts: readonly string[]) => {
    for (const text of texts) voices.endedAlike({ ...english, text }, doubt);
    return voices.isBelieved(english, doubt);
  };

  it('believes an end that three texts in a row had, and only for the voice that ends so', () => {
    const voices = createVoiceRecords();
    expect(alike(voices, 'cut-frame', 'One.', 'Two.')).toBe(false);
    expect(alike(voices, 'cut-frame', 'Three.')).toBe(true);
    expect(voices.isBelieved(english, 'too-short')).toBe(false);
    expect(voices.isBelieved({ ...english, voice: 'b' }, 'cut-frame')).toBe(false);
    expect(voices.isBelieved({ ...english, speed: 2 }, 'cut-frame')).toBe(false);
    expect(voices.isBelieved({ ...english, language: 'german' }, 'cut-frame')).toBe(false);
  });

  it('does not believe it for one text thrice, for ends of two kinds, nor when one was whole between', () => {
    expect(alike(createVoiceRecords(), 'too-short', 'One.', 'One.', 'One.')).toBe(false);
    const mixed = createVoiceRecords();
    alike(mixed, 'too-short', 'One.', 'Two.');
    expect(alike(mixed, 'cut-frame', 'Three.')).toBe(false);
    expect(alike(mixed, 'too-short', 'Four.', 'Five.')).toBe(false);
    const broken = createVoiceRecords();
    alike(broken, 'too-short', 'One.', 'Two.');
    broken.undoubted(english, 1000);
    expect(alike(broken, 'too-short', 'Three.', 'Four.')).toBe(false);
    expect(alike(broken, 'too-short', 'Five.')).toBe(true);
    broken.undoubted(english, 1000);
    expect(broken.isBelieved(english, 'too-short')).toBe(true);
  });

  it('always breaks off in a text that was given up five times with the same bytes, but not where nothing was longer', () => {
    const voices = createVoiceRecords();
    const giveUp = (body: string, times: number, everyMs = 20_000) => {
      for (let time = 0; time < times; time += 1) voices.brokeOff(english, body, time * everyMs);
    };
    giveUp('one', 5);
    giveUp('at once', 50, 10);
    giveUp('soon', 5, 1000);
    expect(voices.alwaysBreaksOff(english, 'one', 1000)).toBe(false);
    voices.undoubted({ ...english, text: 'Another text.' }, 1499);
    expect(voices.alwaysBreaksOff(english, 'one', 1000)).toBe(false);
    voices.undoubted({ ...english, text: 'Another text.' }, 1500);
    voices.undoubted({ ...english, text: 'A third.' }, 300);
    expect(voices.alwaysBreaksOff(english, 'one', 1000)).toBe(true);
    expect(voices.alwaysBreaksOff(english, 'at once', 1000)).toBe(false);
    expect(voices.alwaysBreaksOff(english, 'soon', 1000)).toBe(false);
    for (const other of [
      { ...english, text: 'Other.' },
      { ...english, voice: 'b' },
    ])
      expect(voices.alwaysBreaksOff(other, 'one', 1000)).toBe(false);
    giveUp('two', 4);
    expect(voices.alwaysBreaksOff(english, 'two', 1000)).toBe(false);
    for (let text = 0; text < 1024; text += 1) voices.brokeOff({ ...english, text: `${text}` }, 'three', 0);
    expect(voices.alwaysBreaksOff(english, 'one', 1000)).toBe(false);
  });

  it('is trusted when its speech has fitted its texts twice, while at most one in five does not', () => {
    const voices = createVoiceRecords();
    const fitOf = (...fits: readonly ('fits' | 'misfits' | 'unclear')[]) => {
      for (const fit of fits) voices.heardFit(english, fit);
      return voices.voiceFit(english);
    };
    expect(fitOf('fits', 'unclear')).toBe('unknown');
    expect(fitOf('fits')).toBe('fitted-before');
    expect(fitOf('misfits')).toBe('unknown');
    expect(fitOf('fits', 'fits')).toBe('fitted-before');
    // Only the last ones count.
    expect(fitOf(...Array<'misfits'>(16).fill('misfits'))).toBe('unknown');
    expect(fitOf(...Array<'fits'>(13).fill('fits'))).toBe('fitted-before');
  });

  it('is trusted for itself, and all of them together for the service', () => {
    const voices = createVoiceRecords();
    voices.heardFit(english, 'fits');
    voices.heardFit({ ...english, voice: 'b' }, 'fits');
    expect([voices.voiceFit(english), voices.serviceFit()]).toEqual(['unknown', 'says-its-texts']);
    voices.heardFit(english, 'fits');
    expect(voices.voiceFit(english)).toBe('fitted-before');
    expect(voices.voiceFit({ ...english, language: 'german' })).toBe('unknown');
    const fitOf = (...fits: readonly ('fits' | 'misfits')[]) => {
      for (const fit of fits) voices.heardFit(english, fit);
      return voices.serviceFit();
    };
    expect([fitOf('misfits'), fitOf('misfits'), fitOf('misfits')]).toEqual(['unknown', 'unknown', 'unknown']);
    expect(fitOf('misfits')).toBe('says-others');
  });

  it('knows whether the service tells how long its bodies are', () => {
    const voices = createVoiceRecords();
    expect(voices.tellsLengths()).toBe(false);
    voices.toldLength();
    expect(voices.tellsLengths()).toBe(true);
  });

  it('counts what is spoken, not what is written around it', () => {
    expect(countLetters('«Well…», she said: 3 × 4! 👍')).toBe(13);
  });
});
