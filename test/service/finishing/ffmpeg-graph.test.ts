// The text that goes to ffmpeg and the text that comes back; what ffmpeg makes of it is tested in test/compat.
import { describe, expect, it } from 'vitest';
import {
  levellingGraph,
  readEbur128Summary,
  readLoudnormReport,
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

  it('read what loudnorm says, silence included', () => {
    const report = (lufs: string) =>
      `[x]\n{\n\t"input_i" : "${lufs}",\n\t"input_tp" : "-3.33",\n\t"input_lra" : "1.20",\n\t"input_thresh" : "-32.26"\n}`;
    expect(readLoudnormReport(report('-21.78'))).toEqual({
      loudnessLufs: -21.78,
      peakDbtp: -3.33,
      rangeLu: 1.2,
      gateLufs: -32.26,
    });
    expect(readLoudnormReport(report('-inf'))?.loudnessLufs).toBe(Number.NEGATIVE_INFINITY);
    expect(readLoudnormReport(report('nonsense'))).toBeUndefined();
    expect(readLoudnormReport('frame=1')).toBeUndefined();
  });

  it('read the last summary of ebur128, the first being that of a graph that never ran', () => {
    const summary = (lufs: string) => `Summary:\n\n  Integrated loudness:\n    I:  ${lufs} LUFS\n`;
    expect(readEbur128Summary(`${summary('-70.0')} frames ${summary('-16.2')}`)).toBe(-16.2);
    expect(readEbur128Summary('nothing')).toBeUndefined();
  });
});
