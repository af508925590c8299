// The names that other services' voices have: each answered by a voice of the engine, of the same gender.
import { describe, expect, it } from 'vitest';
import { engineNames, voiceAliases } from '../../src/app/configured-speech.ts';
import { VOICES } from '../../src/engine/voices.ts';
import { resolveVoices } from '../../src/speech/voice-aliases.ts';
import { WELL_KNOWN_VOICES } from '../../src/speech/well-known-voices.ts';

const byShortName = new Map(VOICES.map((voice) => [voice.name.toLowerCase(), voice]));
const aliases = engineNames(VOICES);
const voiceOf = (name: string) => resolveVoices(aliases, { voice: name }).voice;

describe('well-known names', () => {
  it('stand for voices that the engine has, and every one of them is used', () => {
    const used = new Set<string>(Object.values(WELL_KNOWN_VOICES));
    expect([...used].sort()).toEqual([...byShortName.keys()].sort());
    for (const name of Object.keys(WELL_KNOWN_VOICES)) expect(voiceOf(name), name).toMatch(/^voxgate:/);
  });

  it.each([
    ['alloy', 'Female'],
    ['onyx', 'Male'],
    ['cedar', 'Male'],
    ['marin', 'Female'],
    ['Rachel', 'Female'],
    ['rachel', 'Female'],
    ['21m00Tcm4TlvDq8ikWAM', 'Female'],
    ['pNInz6obpgDQGcFmaJgB', 'Male'],
    ['aura-2-thalia-en', 'Female'],
    ['aura-asteria-en', 'Female'],
    ['aura-2-zeus-en', 'Male'],
    ['aura-angus-en', 'Male'],
    ['flux-alexis-en', 'Female'],
    ['flux-hannah-en', 'Female'],
    ['flux-renee-en', 'Female'],
    ['flux-kit-en', 'Male'],
    ['flux-kai-en', 'Male'],
    ['flux-drew-en', 'Male'],
    ['a0e99841-438c-4a64-b679-ae501e7d6091', 'Male'],
    ['Emil', 'Male'],
    ['anna', 'Female'],
  ])('%s is a %s voice', (name, gender) => {
    expect(VOICES.find(({ id }) => id === voiceOf(name))?.gender).toBe(gender);
  });

  it('hold every model of Flux, spread over all voices of a gender', () => {
    const counts = new Map<string, number>();
    for (const [name, voice] of Object.entries(WELL_KNOWN_VOICES)) {
      if (name.startsWith('flux-')) counts.set(voice, (counts.get(voice) ?? 0) + 1);
    }
    expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(37);
    expect([...counts.keys()].sort()).toEqual([...byShortName.keys()].sort());
    expect(Math.max(...counts.values())).toBeLessThanOrEqual(4);
  });

  it('are no names of voices that Deepgram never had', () => {
    expect(voiceOf('aura-thalia-en')).toBe('aura-thalia-en');
  });

  it('never stand before the engine’s own, and the setting before both', () => {
    expect(voiceOf('bella')).toBe(byShortName.get('bella')!.id);
    const set = voiceAliases({ alloy: 'carl', anna: 'x://y' }, engineNames(VOICES), 'lone');
    expect(resolveVoices(set, { voice: 'duo:alloy+anna' })).toMatchObject({
      voice: byShortName.get('carl')!.id,
      voice2: 'x://y',
    });
    expect(resolveVoices(set, { voice: 'Rachel' }).voice).toBe(byShortName.get('anna')!.id);
  });

  it('mean nothing to a speech service of others', () => {
    expect(voiceAliases({ boss: 'x://y' }, {}, 'lone')).toEqual({ boss: 'x://y' });
  });
});
