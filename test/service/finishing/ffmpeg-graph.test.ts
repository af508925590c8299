// The text that goes to ffmpeg and the text that comes back; what ffmpeg makes of it is tested in test/compat.
import { describe, expect, it } from 'vitest';
import {
  levellingGraph,
  readEbur128Summary,
  readLoudnessReport,
  soundOf,
  tryingGraph,
} from '../../../src/service/finishing/ffmpeg-graph.ts';

const parts = [
  { path: '/a', gapMs: 250 },
  { path: '/b', gapMs: 0 },
];
const facts = [
  { sampleRate: 24_000, lead: 1105, samples: 54_321 },
  { sampleRate: 44_100, lead: 1105, samples: 88_200 },
];
const sound = soundOf(parts, facts, 16_000);

describe('ffmpeg graphs', () => {
  it('count the same samples as our own resampler', () => {
    expect(sound.places).toEqual([
      { start: 0, end: 36_214 },
      { start: 40_214, end: 72_214 },
    ]);
    expect(sound.samples).toBe(72_214);
  });

  it('say every length in samples', () => {
    const graph = levellingGraph(facts, sound, { gainDb: 4, peaks: 'keep' }, 1);
    expect(graph).toContain('[0:a]atrim=start_sample=1105:end_sample=55426');
    expect(graph).toContain('apad=whole_len=36214,atrim=end_sample=36214,apad=whole_len=40214[p0]');
    expect(graph).toContain('apad=whole_len=72214,atrim=end_sample=72214');
    expect(graph).toContain('volume=4.00dB');
    expect(graph).not.toContain('alimiter');
  });

  it('limit peaks between samples in the file, and only those of samples when the loudness is tried', () => {
    const level = { gainDb: 9, peaks: 'limit' } as const;
    expect(levellingGraph(facts, sound, level, 1)).toMatch(
      /volume=9\.00dB,aresample=64000,.*alimiter.*aresample=16000/,
    );
    expect(tryingGraph(facts, sound, level)).toMatch(/volume=9\.00dB,apad=pad_len=80,alimiter/);
    expect(tryingGraph(facts, sound, level)).not.toContain('aresample=64000');
  });

  it('read what was measured, silence included', () => {
    const report = (lufs: string, peak = '-3.3') =>
      `[x] Summary:\n\n  Integrated loudness:\n    I:         ${lufs} LUFS\n    Threshold: -32.3 LUFS\n\n  Loudness range:\n    LRA:         1.2 LU\n    Threshold: -41.0 LUFS\n    LRA low:   -22.0 LUFS\n    LRA high:  -20.8 LUFS\n\n  Sample peak:\n    Peak:       ${peak} dBFS\n`;
    const measured = readLoudnessReport(`${report('-70.0', '-inf')}frames\n${report('-21.8')}`);
    expect(measured?.loudnessLufs).toBe(-21.8);
    // The highest sample is at −3.3 dB, and between two there may be 3 dB more.
    expect(measured?.peakDbtp).toBeCloseTo(-0.3);
    expect(readLoudnessReport(report('-70.0', '-inf'))).toMatchObject({
      loudnessLufs: Number.NEGATIVE_INFINITY,
      peakDbtp: Number.NEGATIVE_INFINITY,
    });
    expect(readLoudnessReport(report('nonsense'))).toBeUndefined();
    expect(readLoudnessReport('frame=1')).toBeUndefined();
  });

  it('read the last summary of ebur128, the first being that of a graph that never ran', () => {
    const summary = (lufs: string) => `Summary:\n\n  Integrated loudness:\n    I:  ${lufs} LUFS\n`;
    expect(readEbur128Summary(`${summary('-70.0')} frames ${summary('-16.2')}`)).toBe(-16.2);
    expect(readEbur128Summary('nothing')).toBeUndefined();
  });
});
