// WebVTT as a player reads it: cues with their times, or an error for what a player would drop.

export type VttCue = { readonly startMs: number; readonly endMs: number; readonly text: string };

const TIMING = /^(\d{2,}):(\d\d):(\d\d)\.(\d{3}) --> (\d{2,}):(\d\d):(\d\d)\.(\d{3})$/;

const toMs = ([hours, minutes, seconds, ms]: readonly string[]): number =>
  ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(ms);

/** Throws for a block that is no cue. */
export function readVtt(vtt: string): VttCue[] {
  const [head, ...blocks] = vtt.trimEnd().split(/\n\n+/);
  if (!/^WEBVTT(?:[ \t\n]|$)/.test(head ?? '')) throw new Error('not WebVTT');
  return blocks.map((block) => {
    const lines = block.split('\n');
    const at = lines.findIndex((line) => TIMING.test(line));
    if (at < 0 || at > 1 || lines.length <= at + 1) throw new Error(`no cue: ${block.slice(0, 80)}`);
    const parts = TIMING.exec(lines[at]!)!.slice(1);
    return {
      startMs: toMs(parts.slice(0, 4)),
      endMs: toMs(parts.slice(4)),
      text: lines.slice(at + 1).join('\n'),
    };
  });
}

/** Undefined: every cue has a length, begins no earlier than the one before, and ends within `lastMs`. */
export function untimely(cues: readonly VttCue[], lastMs: number): string | undefined {
  let before = 0;
  for (const [index, { startMs, endMs }] of cues.entries()) {
    if (startMs < before || endMs <= startMs) return `cue ${index} goes from ${startMs} to ${endMs}`;
    if (endMs > lastMs) return `cue ${index} ends at ${endMs}, behind ${lastMs}`;
    before = startMs;
  }
  return undefined;
}
