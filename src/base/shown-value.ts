// How a refusal shows what it was given: short, and never spoken text, a key or an address, which may hold one; and which known name
// is near to one that is not known.

const MAX_SHOWN = 40;
/** Fields of all protocols that hold what is spoken, or a secret. */
const NEVER: ReadonlySet<string> = new Set([
  ...['text', 'input', 'inputs', 'transcript', 'dialogue', 'prompt', 'prompt2', 'instructions', 'greeting'],
  ...['written', 'spoken', 'turnPrefix', 'turnPrefix2', 'data', 'message', 'body'],
  ...['token', 'key', 'apiKey', 'api_key', 'authorization', 'sourceFileUrl', 'webHookUrl', 'url', 'callback'],
]);
/**
 * A word as formats and languages have it: `aiff`, `pcm_44100`, `pt-BR`. Longer ones may be spoken text, or a key, that was put
 * in the wrong field.
 */
const SHORT_WORD = /^[a-z0-9]{0,8}(?:[_.]\d{1,6}){0,3}$|^[a-z]{2,3}[-_][a-z0-9]{2,8}$/i;
const isNumeral = (text: string): boolean =>
  text.length <= MAX_NUMERAL && text.trim() !== '' && !Number.isNaN(Number(text));
const MAX_NUMERAL = 20;

const characters = (text: string): string => {
  const count = text.length > 1_000_000 ? text.length : [...text].length;
  return `${count} character${count === 1 ? '' : 's'}`;
};

/**
 * Undefined where nothing can be shown that would help. `isSlip`: the field takes one of a few words, or no text at all; then a
 * short word or a number is shown, of other texts how long they are.
 */
export function shownValue(
  value: unknown,
  { field, isSlip }: { readonly field: string; readonly isSlip: boolean },
): string | undefined {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string')
    return isSlip && !NEVER.has(field) && (SHORT_WORD.test(value) || isNumeral(value))
      ? JSON.stringify(value)
      : characters(value);
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === 'object' ? 'an object' : undefined;
}

/** A name that callers choose, such as that of a voice. */
export const shownName = (name: string): string =>
  JSON.stringify(name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN)}…` : name);

/** Optimal string alignment distance: insert, delete, replace, or swap two neighbours, each counts 1. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replace = last[column - 1]! + (a[row - 1] === b[column - 1] ? 0 : 1);
      let best = Math.min(replace, last[column]! + 1, current[column - 1]! + 1);
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1])
        best = Math.min(best, beforeLast[column - 2]! + 1);
      current.push(best);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length]!;
}

/** The known name that `given` most likely stands for: at most a quarter of its letters (one at least) differ. */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  if (given.length > 64) return undefined;
  const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');
  const wanted = plain(given);
  const nearest = known
    .map((name) => ({ name, distance: editDistance(wanted, plain(name)) }))
    .sort((a, b) => a.distance - b.distance)[0];
  const most = Math.max(1, Math.floor(wanted.length / 4));
  return nearest !== undefined && nearest.distance <= most && nearest.distance < wanted.length
    ? nearest.name
    : undefined;
}

/** `; did you mean NAME?`, or nothing when none is near. */
export function meantName(given: string, known: readonly string[]): string {
  const near = nearestName(given, known);
  return near === undefined ? '' : `; did you mean ${near}?`;
}
