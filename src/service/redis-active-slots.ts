// One active generation per user across instances, in Redis: a slot holds the id of the work that has it. A slot lives
// as long as its instance renews it, so that an instance that is gone for good does not shut its users out; one that
// comes back with unfinished works claims their slots again, or fails them honestly.

import type { Redis } from 'ioredis';
import { AppError } from '../base/app-error.ts';
import type { Clock } from '../base/clock.ts';
import { faultCode } from '../base/fault-code.ts';
import type { Log } from '../base/log.ts';
import type { ActiveSlots } from './active-slots.ts';

export type RedisActiveSlotsOptions = {
  readonly redis: Redis;
  readonly clock: Clock;
  readonly log: Log;
};

const PREFIX = 'voxgate:active:';
const LIFE_MS = 120_000;
const RENEW_MS = 30_000;

/** Takes a slot that is free or already one's own, and lets it live on. KEYS: slot; ARGV: work, life in ms. */
const CLAIM = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;
/** Only the holder gives a slot back. KEYS: slot; ARGV: work. */
const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1`;

export type RedisActiveSlots = ActiveSlots & { close(): void };

/** The owner of `redis` closes it. Without Redis a claim is refused as `busy`, never granted without a check. */
export function createRedisActiveSlots({ redis, clock, log }: RedisActiveSlotsOptions): RedisActiveSlots {
  /** The owner of the slot that each work has. */
  const held = new Map<string, string>();
  let disarm: (() => void) | undefined;

  const take = async (owner: string, workId: string) =>
    (await redis.eval(CLAIM, 1, PREFIX + owner, workId, LIFE_MS)) === 1;
  const renewAll = () => {
    disarm = held.size === 0 ? undefined : clock.after(RENEW_MS, renewAll);
    for (const [workId, owner] of held)
      take(owner, workId).catch((cause: unknown) =>
        log.warn('generation_slot_not_renewed', { code: faultCode(cause) }),
      );
  };

  return {
    async claim(owner, workId) {
      let isTaken: boolean;
      try {
        isTaken = await take(owner, workId);
      } catch (cause) {
        throw new AppError(
          'busy',
          'Whether this user has a PlayNote under way cannot be told now, for Redis does not answer; try again later.',
          {
            cause,
            retryAfterMs: 5000,
          },
        );
      }
      if (isTaken) {
        held.set(workId, owner);
        disarm ??= clock.after(RENEW_MS, renewAll);
      }
      return isTaken;
    },
    async release(owner, workId) {
      held.delete(workId);
      try {
        await redis.eval(RELEASE, 1, PREFIX + owner, workId);
      } catch (cause) {
        log.warn('generation_slot_not_released', {
          code: faultCode(cause),
        });
      }
    },
    close() {
      disarm?.();
      disarm = undefined;
    },
  };
}
