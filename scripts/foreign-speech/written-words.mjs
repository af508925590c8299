// Lays a synthesiser's own tokens over the words that somebody wrote, and refuses what does not lie there plainly.

/** The words of a sentence by white space: {text, charStart, charEnd} in code points. */
function splitWords(sentence) {
  const words = [];
  let at = 0;
  for (const part of sentence.split(/(\s+)/u)) {
    const charEnd = at + Array.from(part).length;
    if (part.trim() !== '') words.push({ text: part, charStart: at, charEnd });
    at = charEnd;
  }
  return words;
}

/**
 * Times of the written words of `sentence`. `asSpoken` is the sentence as the synthesiser read it, with as many
 * words. A written word is one or more whole tokens; it starts with their first sound and ends with their last.
 * Signs that stand alone and are silent are left out. Answers with {words}, or with {reason}: 'tokens' when the tokens
 * are not the written words, 'silent' when a written word has no sound, 'order' when the times are out of order or
 * outside the `lengthMs` of sound.
 */
export function writtenWords(sentence, asSpoken, tokens, lengthMs) {
  const written = splitWords(sentence);
  const read = splitWords(asSpoken);
  const words = [];
  let next = 0;
  for (const [index, word] of written.entries()) {
    const sounds = [];
    let rest = read[index].text;
    while (rest !== '') {
      const token = tokens[next++];
      if (token === undefined || token.text === '' || !rest.startsWith(token.text))
        return { reason: 'tokens' };
      rest = rest.slice(token.text.length);
      // The Czech voices hang commas of their own on words, for a pause.
      if (rest.startsWith(token.punctuation)) rest = rest.slice(token.punctuation.length);
      sounds.push(...token.words);
    }
    if (sounds.length > 0) words.push({ ...word, startMs: sounds[0].startMs, endMs: sounds.at(-1).endMs });
    else if (/[\p{L}\p{N}]/u.test(word.text)) return { reason: 'silent' };
  }
  if (next !== tokens.length) return { reason: 'tokens' };
  if (words.length === 0) return { reason: 'silent' };
  const isOrdered = words.every(
    ({ startMs, endMs }, index) =>
      startMs >= (words[index - 1]?.endMs ?? 0) - 0.01 && endMs > startMs && endMs <= lengthMs,
  );
  return isOrdered ? { words } : { reason: 'order' };
}
