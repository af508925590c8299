// The text that goes to ffmpeg and the text that comes back; what ffmpeg makes of it is tested in test/compat.
import { describe, expect, it } from 'vitest';
import {
  levellingGraph,
  readEbur128Summary,
  readLoudnessReport,
  soundOf,
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
    const report = { loudnessLufs: -20, peakDbtp: -9, rangeLu: 3, gateLufs: -30 };
    const graph = levellingGraph(facts, sound, report, { gainDb: 4, peaks: 'keep' }, 1);
    expect(graph).toContain('[0:a]atrim=start_sample=1105:end_sample=55426');
    expect(graph).toContain('apad=whole_len=36214,atrim=end_sample=36214,apad=whole_len=40214[p0]');
    expect(graph).toContain('apad=whole_len=72214,atrim=end_sample=72214');
    expect(graph).toContain('loudnorm=linear=true:I=-16.00:TP=-1:LRA=7:measured_I=-20.00');
    expect(levellingGraph(facts, sound, report, { gainDb: 9, peaks: 'limit' }, 1)).toContain('alimiter');
  });

  it('read what was measured, silence included', () => {
    const report = (lufs: string, peak = '-3.3') =>
      `[x] Summary:\n\n  Integrated loudness:\n    I:         ${lufs} LUFS\n    Threshold: -32.3 LUFS\n\n  Loudness range:\n    LRA:         1.2 LU\n    Threshold: -41.0 LUFS\n    LRA low:   -22.0 LUFS\n    LRA high:  -20.8 LUFS\n\n  True peak:\n    Peak:       ${peak} dBFS\n`;
    expect(readLoudnessReport(`${report('-70.0', '-inf')}frames\n${report('-21.8')}`)).toEqual({
      loudnessLufs: -21.8,
      peakDbtp: -3.3,
      rangeLu: 1.2,
      gateLufs: -32.3,
    });
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
