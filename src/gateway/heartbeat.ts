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

class PingHeartbeat implements Heartbeat {
  private readonly limits: HeartbeatLimits;
  private sentPings = 0;
  private answeredPings = 0;
  private pingedAtMs: number;
  /** When it last showed that it reads, or began to owe an answer. */
  private aliveAtMs: number;
  private behindAtMs: number | undefined;

  constructor(limits: HeartbeatLimits, openedAtMs: number) {
    this.limits = limits;
    this.pingedAtMs = openedAtMs;
    this.aliveAtMs = openedAtMs;
  }

  due(nowMs: number): ReturnType<Heartbeat['due']> {
    const { heartbeatMs, pongTimeoutMs } = this.limits;
    const isAwaited = this.answeredPings < this.sentPings;
    if (isAwaited && nowMs - this.aliveAtMs >= pongTimeoutMs) return { do: 'give-up' };
    const isTime = !isAwaited && nowMs - this.pingedAtMs >= heartbeatMs;
    if (!isTime && this.behindAtMs !== nowMs) return { do: 'nothing' };
    if (!isAwaited) this.aliveAtMs = nowMs;
    this.sentPings += 1;
    this.pingedAtMs = nowMs;
    return { do: 'ping', payload: String(this.sentPings) };
  }
  answered(payload: string, nowMs: number): void {
    // A later answer stands for those before it (RFC 6455 5.5.3).
    const ping = /^\d{1,15}$/.test(payload) ? Number(payload) : 0;
    if (ping <= this.answeredPings || ping > this.sentPings) return;
    this.answeredPings = ping;
    this.aliveAtMs = nowMs;
  }
  isBehind(nowMs: number): void {
    this.behindAtMs = nowMs;
    this.aliveAtMs = nowMs;
  }
}

export const createHeartbeat = (limits: HeartbeatLimits, openedAtMs: number): Heartbeat =>
  new PingHeartbeat(limits, openedAtMs);
