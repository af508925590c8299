// How a refusal shows what it was given: short, and never spoken text, a key or an address, which may hold one.

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
