// Short names for voices, so that a caller whose protocol has a field for one name may say a URI, or two voices at once.
// A name that is no alias stands for itself. Pure: the builder of the table decides which callers may use which names.

import type { SynthesisFields } from './speech-request.ts';

/**
 * By alias: a voice URI, another alias, or a pair of them, `anna+ben`. URIs may hold a '+' themselves, so it divides only
 * where an alias or the scheme of a URI stands on both sides of it; `duo:` before it says that it does.
 */
export type VoiceAliases = Readonly<Record<string, string>>;

export type VoiceFields = Pick<SynthesisFields, 'voice' | 'voice2' | 'turnPrefix' | 'turnPrefix2'>;

/** What marks the speakers of a pair in plain text when the caller does not say it. */
const PAIR_PREFIXES = { turnPrefix: '[S1]', turnPrefix2: '[S2]' } as const;

const MAX_ALIAS_LENGTH = 100;
const PAIR_SCHEME = 'duo:';

type Pair = readonly [first: string, second: string];

const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
/** After a '+' a scheme has no further '+': `git+ssh://…` is one URI, not `git` and another. */
const PLAIN_SCHEME = /^[a-z][a-z0-9.-]*:/i;

const isAlias = (aliases: VoiceAliases, text: string) =>
  text.length <= MAX_ALIAS_LENGTH && Object.hasOwn(aliases, text);

/** Linear in the length of `text`, which callers choose; only short names are looked up. */
function dividedAt(text: string, aliases: VoiceAliases): number {
  const schemeEnd = SCHEME.exec(text)?.[0].length ?? Number.POSITIVE_INFINITY;
  for (let at = text.indexOf('+', 1); at > 0; at = text.indexOf('+', at + 1)) {
    const [before, behind] = [text.slice(0, at), text.slice(at + 1)];
    if (
      (isAlias(aliases, before) || at >= schemeEnd) &&
      (isAlias(aliases, behind) || PLAIN_SCHEME.test(behind))
    )
      return at;
  }
  return -1;
}

/** A '+' that was not escaped in the query of an address has become a space. */
const inQuery = (pair: string) => (pair.includes('+') ? pair : pair.replaceAll(' ', '+'));

/** `said`: `by-alias`: `text` is the value of an alias, and may be a pair without `duo:`. */
function pairIn(text: string, aliases: VoiceAliases, said: 'by-caller' | 'by-alias'): Pair | undefined {
  const isTold = text.startsWith(PAIR_SCHEME);
  if (!isTold && said === 'by-caller') return undefined;
  const body = isTold ? inQuery(text.slice(PAIR_SCHEME.length)) : text;
  let at = dividedAt(body, aliases);
  // The caller says that there are two; a speech service may have voices that are neither aliases nor URIs.
  if (at < 0 && isTold) at = body.indexOf('+');
  return at <= 0 || at === body.length - 1 ? undefined : [body.slice(0, at), body.slice(at + 1)];
}

/** The voice of `name`, following aliases of aliases; a circle ends where it began. */
function follow(aliases: VoiceAliases, name: string): string {
  const passed = new Set<string>();
  let voice = name;
  while (isAlias(aliases, voice) && !passed.has(voice)) {
    passed.add(voice);
    voice = aliases[voice]!;
  }
  return voice;
}

function readVoice(aliases: VoiceAliases, name: string): string | Pair {
  const voice = follow(aliases, name);
  return pairIn(voice, aliases, isAlias(aliases, name) ? 'by-alias' : 'by-caller') ?? voice;
}

/** One voice where only one is allowed: of a pair, that of the given side. */
function sideVoice(aliases: VoiceAliases, name: string, side: 0 | 1): string {
  const read = readVoice(aliases, name);
  return typeof read === 'string' ? read : follow(aliases, read[side]);
}

/**
 * `fields` with voices for aliases. A pair in `voice` is `voice` and, unless the caller names one, `voice2`; where no
 * prefix is set either, the two are marked by `PAIR_PREFIXES`. Of a pair in `voice2` the second voice counts.
 */
export function resolveVoices(aliases: VoiceAliases, fields: VoiceFields): VoiceFields {
  const { voice, voice2, turnPrefix, turnPrefix2 } = fields;
  const resolved: VoiceFields = {
    ...(turnPrefix === undefined ? {} : { turnPrefix }),
    ...(turnPrefix2 === undefined ? {} : { turnPrefix2 }),
  };
  if (voice2 !== undefined) resolved.voice2 = voice2 === null ? null : sideVoice(aliases, voice2, 1);
  if (voice === undefined) return resolved;
  const read = readVoice(aliases, voice);
  if (typeof read === 'string') return { ...resolved, voice: read };
  return {
    ...resolved,
    ...(turnPrefix == null && turnPrefix2 == null ? PAIR_PREFIXES : {}),
    voice: sideVoice(aliases, read[0], 0),
    voice2: resolved.voice2 ?? sideVoice(aliases, read[1], 1),
  };
}

type ParsedAlias =
  | { readonly ok: true; readonly name: string; readonly voice: string }
  | { readonly ok: false; readonly wrong: string };

/** `name=voice[+voice2]`: the first '=' divides. */
export function parseVoiceAlias(entry: string): ParsedAlias {
  const equals = entry.indexOf('=');
  const name = entry.slice(0, Math.max(0, equals)).trim();
  const voice = entry.slice(equals + 1).trim();
  const wrong = (what: string): ParsedAlias => ({ ok: false, wrong: what });
  if (equals < 0) return wrong('has no =');
  if (name === '') return wrong('has no name before the =');
  if (voice === '') return wrong('has no voice after the =');
  if (/\p{Cc}/u.test(entry)) return wrong('holds a control character');
  if (name.length > MAX_ALIAS_LENGTH) return wrong(`has a name of more than ${MAX_ALIAS_LENGTH} characters`);
  if (name.includes('+') || name.startsWith(PAIR_SCHEME))
    return wrong(`has a + in its name, or ${PAIR_SCHEME} before it, which is how pairs are told`);
  if (voice.length > 2048) return wrong('has a voice of more than 2048 characters');
  return { ok: true, name, voice };
}

/** The first alias that leads back to itself. */
export const findAliasCircle = (aliases: VoiceAliases): string | undefined =>
  Object.keys(aliases).find((name) => follow(aliases, name) === name);
