// Counts the lines of a text without building any of them.

/** Line feeds in `text`; counts no further than one more than `most`. */
export function countLines(text: string, most: number): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1 && lines <= most; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}
