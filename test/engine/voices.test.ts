import { describe, expect, it } from 'vitest';
import { findVoice, programVoice, VOICES } from '../../src/engine/voices.ts';
import { LANGUAGES } from '../../src/speech/language.ts';

describe('voices', () => {
  it('has at least four of each gender, under distinct URI names and distinct timbres', () => {
    for (const gender of ['Female', 'Male'])
      expect(VOICES.filter((voice) => voice.gender === gender).length).toBeGreaterThanOrEqual(4);
    for (const { id } of VOICES) expect(new URL(id).href).toBe(id);
    expect(new Set(VOICES.map((voice) => voice.id)).size).toBe(VOICES.length);
    expect(new Set(VOICES.map((voice) => voice.variant)).size).toBe(VOICES.length);
  });

  it('finds a voice by its exact id only', () => {
    const anna = VOICES[0]!;
    expect(findVoice(anna.id)).toBe(anna);
    for (const id of ['', 'anna', anna.id.toUpperCase(), `${anna.id}/`, '__proto__', 'constructor'])
      expect(findVoice(id)).toBeUndefined();
  });

  it('names every language of the interface in every voice', () => {
    for (const voice of VOICES)
      for (const language of LANGUAGES)
        expect(programVoice(voice, language)).toMatch(/^[a-z]{2,3}(-[a-z]{2})?\+[fm]\d$/);
    expect(programVoice(VOICES[0]!, 'german')).toBe('de+f2');
  });
});
