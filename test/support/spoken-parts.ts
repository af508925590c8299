// Spoken parts as files in a folder of their own: the fixture sentence at a level, a few times, as a speech service
// would send it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadMp3Encoders } from '../../src/audio/mp3/mp3-encoder.ts';
import type { FinishRequest } from '../../src/service/audio-finisher.ts';
import { fixtureSpeech } from './fixture-speech.ts';

const encoders = await loadMp3Encoders();
const sentence = fixtureSpeech();

export type SpokenParts = {
  readonly folder: string;
  /** A part of `times` sentences (2.26 s each) at `gain`; untagged, so it lasts up to a frame or two longer. */
  part(name: string, gain: number, times?: number): { readonly path: string; readonly gapMs: number };
  request(wish: Partial<FinishRequest>): FinishRequest;
  remove(): void;
};

export function createSpokenParts(): SpokenParts {
  const folder = mkdtempSync(join(tmpdir(), 'voxgate-parts-'));
  const part: SpokenParts['part'] = (name, gain, times = 1) => {
    const encoder = encoders.open({ sampleRate: 24_000, bitrateKbps: 64 });
    const path = join(folder, `${name}.part.mp3`);
    const louder = sentence.map((sample) => sample * gain);
    const bodies = Array.from({ length: times }, () => encoder.encode(louder));
    writeFileSync(path, Buffer.concat([...bodies, encoder.finish()]));
    return { path, gapMs: 0 };
  };
  return {
    folder,
    part,
    request: (wish) => ({
      parts: [],
      outPath: join(folder, `out.${wish.format ?? 'mp3'}`),
      format: 'mp3',
      sampleRate: undefined,
      bitrateKbps: undefined,
      title: 'Two words',
      artist: undefined,
      ...wish,
    }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
