// A block of JavaScript that stands on a page, run with what it takes for granted.

import { runInThisContext } from 'node:vm';

/** `given`: names that the code uses without an import. `answer`: an expression for what comes of it; it may be awaited. */
export function runSnippet<T>(
  code: string,
  given: Readonly<Record<string, unknown>>,
  answer: string,
): Promise<T> {
  const wrapped = `(async (${Object.keys(given).join(', ')}) => {${code}\nreturn ${answer};})`;
  const run = runInThisContext(wrapped) as (...values: unknown[]) => Promise<T>;
  return run(...Object.values(given));
}
