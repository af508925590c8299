// Web addresses, e-mail addresses, #hashtags and @names as they are said. A scheme, a query and a fragment are left
// out: they cannot be followed by ear.

import type { Words } from './grammar.ts';
import { type Rule, rule, UNSPACED } from './rule.ts';

type AddressWords = Pick<Words, 'at' | 'dot' | 'slash' | 'dash' | 'underscore' | 'plus'>;

/** Endings by which a name without scheme or `www.` is known for an address; `in`, `me` and the like are words. */
const TOP_LEVEL =
  'com|org|net|edu|gov|int|info|biz|io|dev|ai|app|eu|uk|de|fr|es|it|pt|br|mx|ar|ru|cn|jp|kr|id|pk|bd|sa|ae|eg|nl|pl|se|ch|tv|ca|au';
/** A script without spaces would run on behind an address. */
const LETTER = `(?!${UNSPACED})[\\p{L}\\p{N}]`;
const LABEL = `${LETTER}(?:(?:${LETTER}|-){0,61}${LETTER})?`;
const HOST = `${LABEL}(?:\\.${LABEL}){1,8}`;
const BARE_HOST = `[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\\.[a-z0-9][a-z0-9-]{0,61}){0,7}\\.(?:${TOP_LEVEL})(?![\\p{L}\\p{N}@_-]|\\.[\\p{L}\\p{N}])`;
const PORT = '(?::(\\d{1,5}))?';
/** The last character of a path is none that may end a sentence. */
const PATH = `((?:\\/(?:(?:${LETTER}|[/._~%+=@:,-]){0,512}(?:${LETTER}|[/~%=]))?)?)`;
const QUERY = "(?:[?#](?:[\\w#.~%!$&'*+,;=:@/?-]{0,2000}[\\w/=&%])?)?";
const EMAIL = `(${LETTER}(?:${LETTER}|[._+-]){0,63})@(${HOST})`;

/** `marks` are said, every other sign only parts words. */
function sayParts(text: string, marks: Readonly<Record<string, string>>): string {
  return text
    .replace(/%[0-9A-Fa-f]{2}/g, ' ')
    .replace(/[^\p{L}\p{M}\p{N}]/gu, (sign) => ` ${marks[sign] ?? ''} `)
    .replace(/ {2,}/g, ' ')
    .trim();
}

/** Words written together with capitals, as hashtags are. */
const partCapitals = (name: string) =>
  name
    .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')
    .replaceAll('_', ' ')
    .trim();

/** Without words: the scheme and the rest of the noise go, and what is left is as it was written. */
export function createAddressRules(words: AddressWords | undefined): Rule[] {
  const host = (text: string) => (words ? sayParts(text, { '.': words.dot, '-': words.dash }) : text);
  const path = (text: string) =>
    words
      ? sayParts(text.replace(/\/$/, ''), {
          '.': words.dot,
          '-': words.dash,
          '/': words.slash,
          _: words.underscore,
        })
      : text.replace(/\/$/, '');
  const sayUrl = (match: RegExpExecArray) => {
    const [, name = '', port, rest = ''] = match;
    const where = port === undefined ? '' : words ? ` ${port}` : `:${port}`;
    return `${host(name)}${where}${words && rest.length > 1 ? ' ' : ''}${path(rest)}`;
  };
  const url = (start: string) => `${start}${PORT}${PATH}${QUERY}`;
  const rules = [
    rule('letter', url(`(?:https?|ftp|wss?):\\/\\/(?:[^\\s/@]{1,64}@)?(${HOST}|localhost)`), sayUrl),
    rule('letter', url(`(www\\.${HOST})`), sayUrl),
  ];
  if (words === undefined) return rules;
  const sayEmail = ([, local = '', name = '']: RegExpExecArray) => {
    const marks = { '.': words.dot, '-': words.dash, _: words.underscore, '+': words.plus };
    return `${sayParts(local, marks)} ${words.at} ${host(name)}`;
  };
  for (const starts of ['letter', 'digit'] as const) {
    rules.push(rule(starts, EMAIL, sayEmail), rule(starts, url(`(${BARE_HOST})`), sayUrl));
  }
  return rules;
}

export function createTagRules({ at, hashtag, number }: Pick<Words, 'at' | 'hashtag' | 'number'>): Rule[] {
  const isInWord = (before: string) => /[\p{L}\p{N}]$/u.test(before);
  return [
    rule('sign', '#([\\p{L}_][\\p{L}\\p{M}\\p{N}_]{0,100})', ([, name = ''], before) =>
      isInWord(before) ? undefined : `${hashtag} ${partCapitals(name)}`,
    ),
    rule('sign', '#(?=\\d)', (_, before) => (isInWord(before) ? undefined : number)),
    rule('sign', '@([\\p{L}_][\\p{L}\\p{M}\\p{N}_]{0,100})', ([, name = ''], before) =>
      isInWord(before) ? undefined : `${at} ${partCapitals(name)}`,
    ),
  ];
}
