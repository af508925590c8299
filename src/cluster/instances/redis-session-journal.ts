// The journals of resumable sessions in Redis: a list of entries for each, and who holds it. Redis sees no text: entries are
// encrypted with a key that is derived from the secret, which never travels, and bound to their session. Both keys have one hash
// tag, so that one script may touch them in a cluster.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import { parseJson } from '../../base/json.ts';
import type { Log } from '../../base/log.ts';
import type { Random } from '../../base/random.ts';
import type { JournalHold, SessionJournal } from '../../gateway/journal/journal-writer.ts';
import { type JournalEntry, readJournal } from '../../gateway/journal/session-journal.ts';
import { connectQuotaRedis } from '../../upstream/quota/quota-connection.ts';

export type RedisSessionJournalOptions = {
  readonly url: string;
  /** Of this instance. */
  readonly id: string;
  /** One or two, the newest first: it encrypts, each of them decrypts. */
  readonly secrets: readonly string[];
  /** Whether this other instance may still have its sessions. */
  readonly isAlive: (instance: string) => boolean;
  /** How long a journal may be read by the instance that has claimed it before it has written its own, ms. */
  readonly forMs: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
};

const KEY_BYTES = 32;
/** NIST SP 800-38D 8.2.2: 96 random bits; one key may make 2^32 of them. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Of `forMs`: the journal of a session that is silent is touched three times within one. */
const LIFE = 2;
const HOLD_BYTES = 9;

/**
 * KEYS: who holds the journal, its entries. ARGV: the holder, its life in ms, `added` or `anew` or `beat`, an entry. A holder that
 * Redis has forgotten may begin anew: `anew` is all that it knows.
 */
const WRITE = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 'lost' end
if ARGV[3] == 'anew' then redis.call('DEL', KEYS[2])
elseif not holder or redis.call('EXISTS', KEYS[2]) == 0 then return 'missing' end
if ARGV[3] ~= 'beat' then redis.call('RPUSH', KEYS[2], ARGV[4]) end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return 'written'
`;
/** KEYS as above. ARGV: the holder that is gone, the new one, life in ms. Answers the entries where nobody was faster. */
const CLAIM = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return nil end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return redis.call('LRANGE', KEYS[2], 0, -1)
`;
/** KEYS as above. ARGV: the holder, life in ms. Who held it before must find that it is over. */
const DROP = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return end
redis.call('DEL', KEYS[2])
redis.call('SET', KEYS[1], 'over', 'PX', ARGV[2])
`;
const OVER = 'over';
/** KEYS as above. ARGV: the holder, life in ms, one that is no instance's, so that any may claim it. */
const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[2]) end
`;
/** In the place of an instance's id, which is longer. */
const NOBODY = 'nobody';

const keysOf = (session: string) =>
  [`voxgate:{journal:${session}}:holder`, `voxgate:{journal:${session}}:entries`] as const;

const busy = (cause?: unknown) =>
  new AppError('busy', 'Whether the session can go on here cannot be told now; try again.', {
    cause,
    retryAfterMs: 1000,
  });

/** AES-256-GCM, authenticated with the session that it is of. */
export function createJournalCipher(secrets: readonly string[]) {
  const keys = secrets.map((secret) =>
    Buffer.from(hkdfSync('sha256', secret, '', 'voxgate journal of sessions', KEY_BYTES)),
  );
  return {
    seal(session: string, text: string): Buffer {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', keys[0]!, nonce).setAAD(Buffer.from(session));
      const sealed = [cipher.update(text, 'utf8'), cipher.final()];
      return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]);
    },
    /** Undefined: none of our keys has sealed it for this session. */
    open(session: string, sealed: Uint8Array): string | undefined {
      const nonce = sealed.subarray(0, NONCE_BYTES);
      const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
      if (tag.length < TAG_BYTES) return undefined;
      for (const key of keys) {
        try {
          const cipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
          cipher.setAAD(Buffer.from(session)).setAuthTag(tag);
          const text = [cipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), cipher.final()];
          return Buffer.concat(text).toString('utf8');
        } catch {
          // of another key, or not ours
        }
      }
      return undefined;
    },
  };
}

export type RedisSessionJournal = SessionJournal & { isUp(): boolean; close(): void };

export function createRedisSessionJournal(options: RedisSessionJournalOptions): RedisSessionJournal {
  const { url, id, secrets, isAlive, forMs, clock, random, log } = options;
  const cipher = createJournalCipher(secrets);
  const { redis, isReady } = connectQuotaRedis({ url, name: 'voxgate-journal', clock, log }, () => {});

  const holdOf = (session: string, holder: string): JournalHold => {
    const keys = keysOf(session);
    return {
      async write(entry, how, lifeMs) {
        const sealed = entry === undefined ? '' : cipher.seal(session, entry);
        const mode = entry === undefined ? 'beat' : how;
        return (await redis.eval(WRITE, 2, ...keys, holder, LIFE * lifeMs, mode, sealed)) as 'written';
      },
      async release() {
        const free = `${NOBODY}.${random.id(HOLD_BYTES)}`;
        await redis.eval(RELEASE, 2, ...keys, holder, LIFE * forMs, free);
      },
      drop() {
        // What is left behind expires.
        if (isReady()) redis.eval(DROP, 2, ...keys, holder, LIFE * forMs).catch(() => {});
      },
    };
  };
  /** Undefined: it cannot be read. A part of it would be a hole. */
  const stateOf = (session: string, entries: readonly Buffer[]) => {
    const read = entries.map((sealed) => {
      const text = cipher.open(session, sealed);
      return text === undefined ? undefined : (parseJson(text)?.value as JournalEntry | undefined);
    });
    if (entries.length > 0 && read.includes(undefined)) log.warn('journal_not_readable', { session });
    return read.includes(undefined) ? undefined : readJournal(read as JournalEntry[]);
  };
  const asked = <T>(answer: Promise<T>): Promise<T> =>
    answer.catch((cause: unknown) => {
      throw busy(cause);
    });
  const newHolder = () => `${id}.${random.id(HOLD_BYTES)}`;

  return {
    open: (session) => holdOf(session, newHolder()),
    async has(session) {
      const holder = await asked(redis.get(keysOf(session)[0]));
      return holder !== null && holder !== OVER;
    },
    async claim(session, check) {
      const keys = keysOf(session);
      const gone = await asked(redis.get(keys[0]));
      if (gone === null || gone === OVER) return undefined;
      // It has just been taken over there, and is found by and by.
      if (isAlive(gone.slice(0, gone.indexOf('.')))) throw busy();
      const before = stateOf(session, await asked(redis.lrangeBuffer(keys[1], 0, -1)));
      if (before === undefined) return undefined;
      check(before);
      const holder = newHolder();
      const entries = await asked(redis.callBuffer('EVAL', CLAIM, 2, ...keys, gone, holder, LIFE * forMs));
      if (entries === null) throw busy();
      const state = stateOf(session, entries as Buffer[]);
      return state === undefined ? undefined : { state, hold: holdOf(session, holder) };
    },
    isUp: isReady,
    close: () => redis.disconnect(),
  };
}
