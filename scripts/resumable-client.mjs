// A client of resumable sessions for trials: it counts, repeats and comes back as docs/protocol.md says, and keeps what it got.

import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';

export const MAX_MS = 60_000;
/** An upgrade that is not answered, or a connection on which nothing comes though something should, is given up after so long. */
const SILENT_MS = 3000;

export const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

export class ResumableClient {
  messages = [];
  /** Bytes by turn, in pieces. */
  audio = new Map();
  sent = [];
  taken = 0;
  after = 0;
  /** @type {string | undefined} The turn that is being received. */
  turn = undefined;
  awayMs = undefined;
  waiters = [];
  /** Attempts to come back that were refused or not answered. */
  refusals = [];
  /** @type {(() => void) | undefined} Called when the connection is lost. */
  onLost = undefined;
  /** Bytes that came outside a turn. */
  strayBytes = 0;

  constructor(headers) {
    this.headers = headers;
  }
  /** Resolves with the first message; rejects with the status of a refused upgrade. `resume`: the query of a return. */
  open(url, resume) {
    const headers = resume === undefined ? this.headers : {};
    const address = `${url.replace('http', 'ws')}/v1/session?${resume ?? 'resumable=1'}`;
    const socket = new WebSocket(address, 'voxgate.v1', { headers, handshakeTimeout: SILENT_MS });
    const before = this.socket;
    this.socket = socket;
    before?.terminate();
    return new Promise((opened, refused) => {
      let isOpen = false;
      socket.on('error', refused);
      socket.on('message', (data, isBinary) => {
        if (socket !== this.socket) return;
        this.heardMs = performance.now();
        if (isBinary && this.turn === undefined) {
          this.strayBytes += data.length;
          return;
        }
        if (isBinary) return this.audio.get(this.turn).push(data);
        const message = JSON.parse(/** @type {Buffer} */ (data).toString());
        this.take(message);
        isOpen = true;
        opened(message);
      });
      socket.on('close', (code) => {
        refused(new Error(`closed with ${code}`));
        if (!isOpen || socket !== this.socket) return;
        this.code = code;
        this.onLost?.();
      });
    });
  }
  take(message) {
    // Of an `ack` it counts what this client has said.
    if (message.type === 'ack') this.taken = message.n;
    else if (message.n !== undefined) this.after = message.n;
    if (message.resume?.token !== undefined) this.token = message.resume.token;
    if (message.type === 'started') {
      this.turn = message.turn;
      if (!this.audio.has(message.turn)) this.audio.set(message.turn, []);
    }
    if (message.type === 'ended' && message.turn === this.turn) this.turn = undefined;
    this.messages.push(message);
    for (const waiter of this.waiters) waiter();
  }
  send(message) {
    this.sent.push(JSON.stringify(message));
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(this.sent.at(-1));
  }
  bytesOf(turn) {
    return Buffer.concat(this.audio.get(turn) ?? []);
  }
  /** The first message that fits, come already or still to come. */
  until(fits, maxMs = MAX_MS) {
    return new Promise((found, late) => {
      const timer = setTimeout(() => late(new Error(`late: ${fits}`)), maxMs).unref();
      const look = () => {
        const message = this.messages.find(fits);
        if (message === undefined) return;
        clearTimeout(timer);
        this.waiters = this.waiters.filter((each) => each !== look);
        found(message);
      };
      this.waiters.push(look);
      look();
    });
  }
  /** Whether audio or a message is due and none has come for too long: its instance may stand still. */
  isSilent() {
    return this.turn !== undefined && performance.now() - this.heardMs > SILENT_MS;
  }
  /** Back at one of `urls`, as soon as one of them lets it in; rejects when the session is gone, or after a minute. */
  async comeBack(urls) {
    const lostAt = performance.now();
    for (let attempt = 0; ; attempt += 1) {
      const claim =
        this.turn === undefined ? '' : `&turn=${this.turn}&received=${this.bytesOf(this.turn).length}`;
      try {
        const query = `after=${this.after}${claim}&resume=${this.token}`;
        const first = await this.open(urls[attempt % urls.length], query);
        this.awayMs = performance.now() - lostAt;
        this.exact = first.exact;
        this.takenAtReturn = first.taken;
        for (const text of this.sent.slice(first.taken)) this.socket.send(text);
        return;
      } catch (error) {
        this.refusals.push(error.message);
        if (/ 4\d\d$/.test(error.message) || performance.now() - lostAt > MAX_MS) throw error;
        await pause(Math.min(200 * 2 ** attempt, 2000) * (0.5 + Math.random() / 2));
      }
    }
  }
}
