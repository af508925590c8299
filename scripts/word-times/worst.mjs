// The speeches with the largest errors, and the captions that came when their word was heard, with what is needed to look
// into them.

const textOf = ({ whole }) =>
  whole.kind === 'text' ? whole.text : whole.lines.map(({ text }) => text).join(' | ');

/** `most` speeches of each pass are kept. */
export function createWorst(most) {
  const lists = { whole: [], streamed: [], late: [] };

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
    const { name, language, speed, seed, truthMs } = speech;
    const place = `word ${at} “${words[at]?.text}” at ${truthMs[at]?.toFixed(0)} ms`;
    const from = `${name} ${language} ${speed} seed ${seed}`;
    const line = `${pass} ${offMs.toFixed(0)} ms off: ${from}, ${place}: ${textOf(speech)}`;
    const list = lists[pass];
    list.push({ offMs, line });
    list.sort((a, b) => Math.abs(b.offMs) - Math.abs(a.offMs));
    list.length = Math.min(list.length, most);
  };

  const keepLate = (speech, words, { word, startMs, heardMs }) => {
    const lateMs = heardMs - speech.truthMs[word];
    if (!(lateMs > 0) || lists.late.length === most) return;
    const { name, language, speed, seed, truthMs } = speech;
    const place = `word ${word} “${words[word].text}” at ${truthMs[word].toFixed(0)} ms, told at ${heardMs.toFixed(0)} as ${startMs.toFixed(0)}`;
    lists.late.push({ line: `late: ${name} ${language} ${speed} seed ${seed}, ${place}: ${textOf(speech)}` });
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
