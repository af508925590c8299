// When to ping a client, and when to give up on it. Whoever does not read does not answer, so this is also what
// notices a stalled reader. Only the answer to the last ping counts: pongs may come unasked (RFC 6455 5.5.3), and a
// client that sends them by a timer need not read anything.

export type Heartbeat = {
  /** What is due now; called about once a second. */
  due(
    nowMs: number,
  ): { readonly do: 'ping'; readonly payload: string } | { readonly do: 'nothing' | 'give-up' };
  /** A pong came with this payload. */
  answered(payload: string): void;
};

export type HeartbeatLimits = {
  /** Between two pings. */
  readonly heartbeatMs: number;
  /** How long an answer may take. */
  readonly pongTimeoutMs: number;
};

export function createHeartbeat(
  { heartbeatMs, pongTimeoutMs }: HeartbeatLimits,
  openedAtMs: number,
): Heartbeat {
  let pings = 0;
  let pingedAtMs = openedAtMs;
  let awaited: string | undefined;
  return {
    due(nowMs) {
      const sinceMs = nowMs - pingedAtMs;
      if (awaited !== undefined) return { do: sinceMs >= pongTimeoutMs ? 'give-up' : 'nothing' };
      if (sinceMs < heartbeatMs) return { do: 'nothing' };
      pings += 1;
      pingedAtMs = nowMs;
      awaited = String(pings);
      return { do: 'ping', payload: awaited };
    },
    answered(payload) {
      if (payload === awaited) awaited = undefined;
    },
  };
}
