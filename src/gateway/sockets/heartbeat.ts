// When to ping a client, and when to give up on it. A client that does not read does not answer, so this also finds a
// stalled reader. Only answers to pings count: pongs may come unasked (RFC 6455 5.5.3), and a client that sends them by a
// timer need not read anything. A client that is behind gets a ping with every check: seconds of audio lie before each,
// and their answers go on telling that it reads when the last byte has left this process. A client that gets sound in
// real time gets a ping every few seconds: the answer comes when it has read what lies before, so how long it takes is
// how far the client is behind, which the kernel's buffers hide.

export type HeartbeatLimits = {
  /** Between two pings. */
  readonly heartbeatMs: number;
  /** How long an answer may take. */
  readonly pongTimeoutMs: number;
};

/** Between two pings to a client that gets sound in real time. */
const REAL_TIME_PING_MS = 4000;
/** To a client that is behind: beyond so many only now and then, so that what is known of them stays small. */
const MAX_AWAITED_PINGS = 64;

/** What a check found to be due. */
type HeartbeatDue =
  | { readonly do: 'ping'; readonly payload: string }
  | { readonly do: 'nothing' | 'give-up' };

export class Heartbeat {
  private readonly limits: HeartbeatLimits;
  /** Before this no answer is missed of a client that has never answered: some know no pings. */
  private readonly firstPingAtMs: number;
  private sentPings = 0;
  private answeredPings = 0;
  /** When those that are not answered were sent. */
  private awaitedFromMs: number[] = [];
  private realTime: 'no' | 'not-read-yet' | 'read' = 'no';
  private realTimeSinceMs = 0;
  private patienceMs = 0;
  /** When the last ping that was answered had been sent. */
  private readUntil: number;
  private pingedAtMs: number;
  /** When it last showed that it reads, or began to owe an answer. */
  private aliveAtMs: number;
  private behindAtMs: number | undefined;

  constructor(limits: HeartbeatLimits, openedAtMs: number) {
    this.limits = limits;
    this.firstPingAtMs = openedAtMs + limits.heartbeatMs;
    this.pingedAtMs = openedAtMs;
    this.readUntil = openedAtMs;
    this.aliveAtMs = openedAtMs;
  }

  /** What is due now; called about once a second. `proofMs`: what was sent is to be proven received, by a ping so often. */
  due(nowMs: number, proofMs = Number.POSITIVE_INFINITY): HeartbeatDue {
    const { pongTimeoutMs } = this.limits;
    const isAwaited = this.awaitedFromMs.length > 0;
    const limitMs = this.realTime === 'read' ? Math.max(pongTimeoutMs, this.patienceMs) : pongTimeoutMs;
    if (isAwaited && nowMs - this.aliveAtMs >= limitMs) return { do: 'give-up' };
    const isTime = !isAwaited && nowMs - this.pingedAtMs >= Math.min(proofMs, this.everyMs());
    const hasRoom =
      this.awaitedFromMs.length < MAX_AWAITED_PINGS || nowMs - this.pingedAtMs >= pongTimeoutMs / 2;
    const isBehind = this.behindAtMs === nowMs && hasRoom;
    if (!isTime && !isBehind) return { do: 'nothing' };
    if (!isAwaited)
      this.aliveAtMs = this.answeredPings > 0 || isBehind ? nowMs : Math.max(nowMs, this.firstPingAtMs);
    this.sentPings += 1;
    this.pingedAtMs = nowMs;
    this.awaitedFromMs.push(nowMs);
    return { do: 'ping', payload: String(this.sentPings) };
  }
  /** A pong came with this payload; answers with the ping that it is for, undefined for one that was not awaited. */
  answered(payload: string, nowMs: number): number | undefined {
    // A later answer stands for those before it (RFC 6455 5.5.3).
    const ping = /^\d{1,15}$/.test(payload) ? Number(payload) : 0;
    if (ping <= this.answeredPings || ping > this.sentPings) return undefined;
    const [sentAtMs] = this.awaitedFromMs.splice(0, ping - this.answeredPings).slice(-1);
    this.readUntil = sentAtMs!;
    this.answeredPings = ping;
    this.aliveAtMs = nowMs;
    if (this.realTime === 'not-read-yet' && this.readUntil >= this.realTimeSinceMs) this.realTime = 'read';
    return ping;
  }
  /** This check found that the client is behind, and reads. */
  isBehind(nowMs: number): void {
    this.behindAtMs = nowMs;
    this.aliveAtMs = nowMs;
  }
  /**
   * What is being sent, as of this check: sound in real time, by which the client may be `patienceMs` behind; something else,
   * or nothing, which does not change whether the client is behind.
   */
  sends(nowMs: number, what: 'sound-in-real-time' | 'other' | 'nothing', patienceMs = 0): void {
    if (what === 'other') this.realTime = 'no';
    else if (what === 'nothing') {
      if (this.awaitedFromMs.length === 0) this.realTime = 'no';
    } else {
      this.patienceMs = patienceMs;
      if (this.realTime !== 'no') return;
      this.realTime = 'not-read-yet';
      this.realTimeSinceMs = nowMs;
      this.pingedAtMs = Number.NEGATIVE_INFINITY; // so that the first answer comes before much is sent
    }
  }
  /**
   * How long what was sent in real time has waited to be read, ms; 0 when that is not known, since the client has never
   * answered a ping, or has not read yet what it got before in a burst.
   */
  lagMs(nowMs: number): number {
    const [oldestMs] = this.awaitedFromMs;
    return this.realTime === 'read' && oldestMs !== undefined ? nowMs - oldestMs : 0;
  }
  /** What was sent until then is known to have been read; when the client was connected, if nothing is. */
  readUntilMs(): number {
    return this.readUntil;
  }

  private everyMs(): number {
    const { heartbeatMs } = this.limits;
    return this.realTime === 'no' ? heartbeatMs : Math.min(heartbeatMs, REAL_TIME_PING_MS);
  }
}
