// The chapters of a PlayNote, from its WebVTT file: where each begins, and its title.

export type Chapter = { readonly startSeconds: number; readonly title: string };

const CUE = /^(?:(\d+):)?(\d{2}):(\d{2}\.\d{3}) --> /;

export function readChapters(vtt: string): readonly Chapter[] {
  const chapters: Chapter[] = [];
  const lines = vtt.split(/\r?\n/);
  for (const [at, line] of lines.entries()) {
    const cue = CUE.exec(line);
    const title = lines[at + 1];
    if (cue === null || title === undefined) continue;
    const [, hours = '0', minutes, seconds] = cue;
    chapters.push({
      startSeconds: Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds),
      title: title.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'),
    });
  }
  return chapters;
}
