// The end of a text without certain signs. A regular expression that is anchored at the end alone (`/[.,]+$/`) begins anew at
// each of them, which takes the square of a run that does not stand at the end.

/** `sign` matches one character of the Basic Multilingual Plane and has no flags `g` and `y`. Linear. */
export function withoutEnd(text: string, sign: RegExp): string {
  let end = text.length;
  while (end > 0 && sign.test(text[end - 1]!)) end -= 1;
  return text.slice(0, end);
}
