// The two lists of credentials an operator gives: who may call Voxgate, and the keys it calls the upstream with.
// Both are `id:key` entries; the first colon divides, so a key may hold more of them and an id none.

import { type Reading, type Setting, secretList } from './setting.ts';

export type ApiKey = { readonly user: string; readonly key: string };

/** Limits of a key where the operator knows them; `undefined` = not told. */
export type UpstreamKey = {
  /** What stands before the first colon; empty without one. Only services of this project's interface have user ids. */
  readonly userId: string;
  readonly apiKey: string;
  readonly perMinute: number | undefined;
  /** Requests under way. */
  readonly atOnce: number | undefined;
  /** Characters of text that the service takes in a minute, and in a month. */
  readonly charactersPerMinute?: number | undefined;
  readonly charactersPerMonth?: number | undefined;
};

export const KEY_LIMITS = ['perMinute', 'atOnce', 'charactersPerMinute', 'charactersPerMonth'] as const;

const MAX_PER_MINUTE = 100_000;
const MAX_AT_ONCE = 9999;
/** A sentence fits into a minute. */
const MIN_CHARACTERS_PER_MINUTE = 500;
const MAX_CHARACTERS = 10_000_000_000;
const wrong = (what: string): { readonly ok: false; readonly wrong: string } => ({ ok: false, wrong: what });

/** Both halves travel in HTTP headers, so they are visible ASCII (RFC 9110 5.5), at most 512 characters. */
function divide(entry: string): Reading<readonly [id: string, key: string]> {
  if (!/^[\x21-\x7e]{1,1025}$/.test(entry)) return wrong('holds a space or a character that is not ASCII');
  const colon = entry.indexOf(':');
  if (colon < 0) return wrong('has no colon');
  const [id, key] = [entry.slice(0, colon), entry.slice(colon + 1)];
  if (id === '') return wrong('has nothing before the colon');
  if (key === '') return wrong('has nothing after the colon');
  if (id.length > 512 || key.length > 512) return wrong('is longer than 512 characters a side');
  return { ok: true, value: [id, key] };
}

/** A user may hold several keys (so that one can be replaced); a key names one user, so it occurs once. */
export const apiKeyList = (meaning: string): Setting<readonly ApiKey[]> =>
  secretList<ApiKey>({
    placeholder: 'USER:KEY,…',
    meaning,
    allowed: 'user:key[,user:key…], each key once',
    readEntry(entry, before) {
      const parts = divide(entry);
      if (!parts.ok) return parts;
      const [user, key] = parts.value;
      const twin = before.findIndex((each) => each.key === key);
      return twin < 0
        ? { ok: true, value: { user, key } }
        : wrong(`has the same key as entry ${twin + 1}: a key must name one user`);
    },
  });

/** What is wrong with a key that is given field by field; undefined when nothing is. */
export function upstreamKeyFault({ userId, apiKey, ...limits }: UpstreamKey): string | undefined {
  const parts = divide(`${userId === '' ? '-' : userId}:${apiKey}`);
  if (!parts.ok) return parts.wrong;
  const checked = checkLimits(limits);
  return checked.ok ? undefined : checked.wrong;
}

/** `key#15` without its end, and what that says; other keys as they are. */
function takeAtOnce(entry: string): { readonly rest: string; readonly atOnce: number | undefined } {
  const found = /#(\d+)$/.exec(entry);
  return found === null
    ? { rest: entry, atOnce: undefined }
    : { rest: entry.slice(0, found.index), atOnce: Number(found[1]) };
}

/** What a key's limits may be: `wrong` when they are out of range. */
function checkLimits(limits: Pick<UpstreamKey, (typeof KEY_LIMITS)[number]>): Reading<true> {
  const { perMinute, atOnce, charactersPerMinute, charactersPerMonth } = limits;
  if (perMinute !== undefined && (perMinute < 1 || perMinute > MAX_PER_MINUTE))
    return wrong('asks for a limit out of range');
  if (atOnce === 0) return wrong('asks for no request at once');
  if (atOnce !== undefined && atOnce > MAX_AT_ONCE) return wrong('asks for too many requests at once');
  const isOut = (limit: number | undefined, least: number) =>
    limit !== undefined && (limit < least || limit > MAX_CHARACTERS);
  if (isOut(charactersPerMinute, MIN_CHARACTERS_PER_MINUTE))
    return wrong(`has a charactersPerMinute outside of ${MIN_CHARACTERS_PER_MINUTE} to ${MAX_CHARACTERS}`);
  if (isOut(charactersPerMonth, 1))
    return wrong(`has a charactersPerMonth outside of 1 to ${MAX_CHARACTERS}`);
  return { ok: true, value: true };
}

/**
 * The short form of a key: `#digits` at its end is what it takes at once, `@digits` before that what it takes a minute, the rest is
 * the key. A key that itself ends in `#digits` or holds an `@` has that limit written out behind it.
 */
export const upstreamKeyList = (meaning: string): Setting<readonly UpstreamKey[]> =>
  secretList<UpstreamKey>({
    placeholder: '[USERID:]APIKEY[@PERMINUTE][#ATONCE],…',
    meaning,
    allowed: `[userId:]apiKey[@perMinute][#atOnce][,…], perMinute from 1 to ${MAX_PER_MINUTE}, atOnce from 1 to ${MAX_AT_ONCE}, each apiKey once`,
    readEntry(entry, before) {
      const { rest: limited, atOnce } = takeAtOnce(entry);
      const parts = limited.includes(':') ? divide(limited) : divide(`-:${limited}`);
      if (!parts.ok) return parts;
      const userId = limited.includes(':') ? parts.value[0] : '';
      const [, rest] = parts.value;
      // The last @ divides: a key that holds one itself needs its limit written out.
      const at = rest.lastIndexOf('@');
      const apiKey = at < 0 ? rest : rest.slice(0, at);
      const limit = at < 0 ? undefined : rest.slice(at + 1);
      const perMinute = limit === undefined ? undefined : Number(limit);
      if (apiKey === '') return wrong('has no key before the @');
      if (limit !== undefined && !/^\d{1,6}$/.test(limit))
        return wrong('has something other than digits after the @');
      // One order, so that what is a limit and what is a part of the key never depends on what else is there.
      if (atOnce === undefined && perMinute !== undefined && takeAtOnce(apiKey).atOnce !== undefined)
        return wrong(
          'has # before @; the order is @perMinute#atOnce, and a key that itself ends in # and digits needs both',
        );
      const limits = checkLimits({ perMinute, atOnce });
      if (!limits.ok) return limits;
      const twin = before.findIndex((each) => each.apiKey === apiKey);
      // Limits are counted per key, so the same key twice would be counted as two budgets.
      return twin < 0
        ? { ok: true, value: { userId, apiKey, perMinute, atOnce } }
        : wrong(`has the same key as entry ${twin + 1}`);
    },
  });

/** `whsec_` and 24 to 64 bytes in base64, as Standard Webhooks has them. */
const WEBHOOK_SECRET = /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/;

export const webhookSecretList = (meaning: string): Setting<readonly string[]> =>
  secretList<string>({
    placeholder: 'SECRET,…',
    meaning,
    allowed: 'whsec_… of 24 to 64 bytes in base64[,…]',
    readEntry: (entry) =>
      WEBHOOK_SECRET.test(entry) ? { ok: true, value: entry } : wrong('is not whsec_ and base64'),
  });

const MAX_SHARED_SECRETS = 2;
const MIN_SHARED_SECRET_BYTES = 32;
const MAX_SHARED_SECRET_BYTES = 512;

/** One secret, or two while one takes the place of the other; read as their bytes in base64url. */
export const sharedSecretList = (meaning: string): Setting<readonly string[]> =>
  secretList<string>({
    placeholder: 'SECRET[,…]',
    meaning,
    allowed: `one or two, newest first, each ${MIN_SHARED_SECRET_BYTES} bytes or more in base64 (openssl rand -base64 ${MIN_SHARED_SECRET_BYTES})`,
    readEntry(entry, before) {
      if (before.length === MAX_SHARED_SECRETS) return wrong('is one too many');
      const text = entry.replace(/=+$/, '').replaceAll('+', '-').replaceAll('/', '_');
      const bytes = Buffer.from(text, 'base64url');
      if (!/^[\w-]+={0,2}$|^[A-Za-z0-9+/]+={0,2}$/.test(entry) || bytes.toString('base64url') !== text)
        return wrong('is not base64');
      if (bytes.length < MIN_SHARED_SECRET_BYTES || bytes.length > MAX_SHARED_SECRET_BYTES)
        return wrong(`has ${bytes.length} bytes`);
      return before.includes(text) ? wrong('is the same as entry 1') : { ok: true, value: text };
    },
  });
