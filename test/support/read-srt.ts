// SubRip as a player reads it: numbered cues with their times, or an error for what a player would drop.

import type { VttCue } from './read-vtt.ts';

const TIMING = /^(\d{2,}):(\d\d):(\d\d),(\d{3}) --> (\d{2,}):(\d\d):(\d\d),(\d{3})$/;

const toMs = ([hours, minutes, seconds, ms]: readonly string[]): number =>
  ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(ms);

/** Throws for a block that is no cue, a number out of turn, a carriage return, or a blank line too many. */
export function readSrt(srt: string): VttCue[] {
  if (srt === '') return [];
  if (srt.includes('\r') || !srt.endsWith('\n')) throw new Error('not SubRip');
  return srt
    .slice(0, -1)
    .split('\n\n')
    .map((block, index) => {
      const [number, times, ...lines] = block.split('\n');
      const parts = TIMING.exec(times ?? '')?.slice(1);
      if (number !== String(index + 1) || parts === undefined || lines.length === 0 || lines.includes(''))
        throw new Error(`no cue: ${block.slice(0, 80)}`);
      return { startMs: toMs(parts.slice(0, 4)), endMs: toMs(parts.slice(4)), text: lines.join('\n') };
    });
}
