// The speeches with the largest errors, and the captions that came when their word was heard, with what is needed to look
// into them.

import { isLate } from './tally.mjs';

const textOf = ({ whole }) =>
  whole.kind === 'text' ? whole.text : whole.lines.map(({ text }) => text).join(' | ');

const place = ({ name, language, speed, seed, truthMs }, words, at) =>
  `${name} ${language} ${speed} seed ${seed}, word ${at} “${words[at]?.text}” at ${truthMs[at]?.toFixed(0)} ms`;

/** `most` speeches of each pass are kept, and as many late captions. */
export function createWorst(most) {
  const lists = { whole: [], streamed: [], late: [] };

  /** The largest `sizeMs` first. */
  const keepIn = (list, sizeMs, line) => {
    list.push({ sizeMs, line });
    list.sort((a, b) => b.sizeMs - a.sizeMs);
    list.length = Math.min(list.length, most);
  };
  /** `starts`: `{word, startMs}` as timed. */
  const keep = (pass, speech, words, starts) => {
    let offMs = 0;
    let at = 0;
    for (const { word, startMs } of starts) {
      const trueMs = speech.truthMs[word];
      if (trueMs === undefined || Math.abs(startMs - trueMs) < Math.abs(offMs)) continue;
      offMs = startMs - trueMs;
      at = word;
    }
    const line = `${pass} ${offMs.toFixed(0)} ms off: ${place(speech, words, at)}: ${textOf(speech)}`;
    keepIn(lists[pass], Math.abs(offMs), line);
  };
  const keepLate = (speech, words, { word, startMs, heardMs }) => {
    const trueMs = speech.truthMs[word];
    if (!isLate(trueMs, heardMs)) return;
    const told = `told at ${heardMs.toFixed(0)} as ${startMs.toFixed(0)}`;
    keepIn(lists.late, heardMs - trueMs, `late: ${place(speech, words, word)}, ${told}: ${textOf(speech)}`);
  };

  return {
    look(speech, { words, captions }) {
      if (most === 0) return;
      const starts = words.map(({ startMs }, word) => ({ word, startMs }));
      keep('whole', speech, words, starts);
      keep('streamed', speech, words, captions);
      for (const caption of captions) keepLate(speech, words, caption);
    },
    lines: () => Object.values(lists).flatMap((list) => list.map(({ line }) => line)),
  };
}
