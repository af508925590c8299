// When to ping a client, and when to give up on it. Whoever does not read does not answer, so this is also what
// notices a stalled reader. Only answers to pings count: pongs may come unasked (RFC 6455 5.5.3), and a client that
// sends them by a timer need not read anything. A client that is behind gets a ping with every look: seconds of audio
// lie before each, and their answers go on telling that it reads when the last byte has left this process.

export type Heartbeat = {
  /** What is due now; called about once a second. */
  due(
    nowMs: number,
  ): { readonly do: 'ping'; readonly payload: string } | { readonly do: 'nothing' | 'give-up' };
  /** A pong came with this payload. */
  answered(payload: string, nowMs: number): void;
  /** This look found that the client is behind, and reads. */
  isBehind(nowMs: number): void;
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
  let [sent, answered] = [0, 0];
  let pingedAtMs = openedAtMs;
  /** When it last showed that it reads, or began to owe an answer. */
  let aliveAtMs = openedAtMs;
  let behindAtMs: number | undefined;
  return {
    due(nowMs) {
      const isAwaited = answered < sent;
      if (isAwaited && nowMs - aliveAtMs >= pongTimeoutMs) return { do: 'give-up' };
      const isTime = !isAwaited && nowMs - pingedAtMs >= heartbeatMs;
      if (!isTime && behindAtMs !== nowMs) return { do: 'nothing' };
      if (!isAwaited) aliveAtMs = nowMs;
      sent += 1;
      pingedAtMs = nowMs;
      return { do: 'ping', payload: String(sent) };
    },
    answered(payload, nowMs) {
      // A later answer stands for those before it (RFC 6455 5.5.3).
      const ping = /^\d{1,15}$/.test(payload) ? Number(payload) : 0;
      if (ping <= answered || ping > sent) return;
      answered = ping;
      aliveAtMs = nowMs;
    },
    isBehind(nowMs) {
      behindAtMs = nowMs;
      aliveAtMs = nowMs;
    },
  };
}
