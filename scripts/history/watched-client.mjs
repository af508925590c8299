// A resumable session of a history trial: it comes back by itself, now and then drops its connection, and is judged by what it was told.

import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { headersOf, until } from '../instances.mjs';
import { ResumableClient } from '../resumable-client.mjs';
import { harmsOf } from './history.mjs';

const PING_MS = 1000;
const NOTED = ['started', 'ended', 'heard', 'attached', 'detached', 'goaway', 'error'];
/** An instance that answers no ping for so long may stand still. */
const SILENT_MS = 4000;
/** A turn may wait for the quota that an instance has without Redis, and Redis may be away for a minute. */
const TURN_MS = 180_000;
/** The end of a turn, and its beginning in a call, are written when they are said: this is for the way to Redis. */
const UNWRITTEN_MS = 50;
/** `heard` of a turn behind which another one waits is written within this (docs/protocol.md, Coming back). */
const HEARD_UNWRITTEN_MS = 300;

export class WatchedClient extends ResumableClient {
  /** How each turn is said, by its name: `whole`, `append`. */
  kinds = new Map();
  cancelled = new Set();
  /** {atMs, turn, why}: when the connection was lost, in which turn. */
  losses = [];
  returning = Promise.resolve();
  /** The session is gone for good. */
  isGone = false;

  constructor({ user, name, url, places, history }) {
    super(headersOf(user));
    Object.assign(this, { name, url, places, history });
  }
  take(message) {
    message.atMs = performance.now();
    super.take(message);
    const { type, turn, leg, outcome, reason, code, playedMs, playedBy } = message;
    if (NOTED.includes(type))
      this.history.note('told', {
        session: this.name,
        ...{ type, turn, leg: leg?.callId, outcome, reason, code, playedMs, playedBy },
      });
  }
  /** `ready`, of an instance that lets it in. */
  async begin() {
    const ready = await until(`session ${this.name}`, async () => {
      const fromMs = performance.now();
      this.history.count('upgrades');
      return this.open(this.url).catch((error) => {
        if (harmsOf(this.places, fromMs).length === 0)
          this.history.violation(`session ${this.name} is not let in: ${error.message}`);
        return pause(500);
      });
    });
    this.history.count('sessions');
    this.onLost = () => this.lost();
    this.looking = setInterval(() => this.ping(), PING_MS);
    return ready;
  }
  /** A call is silent here as long as it is heard there. */
  ping() {
    const { socket } = this;
    if (socket.readyState !== WebSocket.OPEN) return;
    if (this.pinged !== socket) {
      this.pinged = socket;
      this.heardMs = performance.now();
      socket.on('pong', () => {
        if (socket === this.socket) this.heardMs = performance.now();
      });
    }
    if (performance.now() - this.heardMs > SILENT_MS) socket.terminate();
    else socket.ping();
  }
  /** Its connection is lost, and it comes back. */
  drop() {
    this.history.count('ownDrops');
    this.isOwnDrop = true;
    this.socket.terminate();
  }
  lost() {
    const { history, name, taken: acknowledged } = this;
    const why = this.isOwnDrop ? 'own' : `${this.code}`;
    this.isOwnDrop = false;
    this.losses.push({ atMs: performance.now(), turn: this.turn, why });
    history.count(`lostWith${why === 'own' ? 'Own' : why}`);
    const { turn, after } = this;
    const received = this.bytesOf(turn).length;
    history.note('loss', { session: name, why, turn, received, after, acknowledged });
    const back = this.comeBack([this.url]).then(
      () => {
        history.count('returns');
        history.note('return', { session: name, awayMs: Math.round(this.awayMs), exact: this.exact });
        if (this.takenAtReturn < acknowledged)
          history.violation(
            `session ${name}: ${acknowledged} messages were acknowledged, ${this.takenAtReturn} are taken`,
          );
        if (this.exact !== true && this.kinds.get(turn) === 'whole')
          history.violation(`session ${name}: whole turn ${turn} does not go on exactly`);
      },
      (error) => {
        const endsHere = this.messages.some(({ type, resume }) => type === 'goaway' && resume === false);
        history.count('sessionsEndedByInstance');
        history.note('session gone', { session: name, why: error.message, acknowledged });
        if (acknowledged > 0 && !endsHere)
          history.violation(
            `session ${name} is lost with ${acknowledged} acknowledged messages: ${error.message} after ${this.refusals.slice(-5).join()}`,
          );
        this.isGone = true;
        for (const waiter of this.waiters) waiter();
      },
    );
    this.returning = back;
  }
  /** Says nothing more. */
  leave() {
    clearInterval(this.looking);
    this.onLost = undefined;
    this.socket.close(1000);
  }
  /** A message, or undefined when the session is gone. */
  untilOrGone(fits, maxMs = TURN_MS) {
    const gone = { type: 'gone' };
    const found = this.until((each) => fits(each) || this.isGone, maxMs);
    return found.then((message) => (this.isGone && !fits(message) ? undefined : message) ?? gone);
  }
  of(type, turn) {
    return this.messages.filter((each) => each.type === type && each.turn === turn);
  }
  /** What was said twice is right only where its instance has died at once behind it, and had not written it. */
  mayBeRepeated(first, withinMs) {
    return this.losses.some(({ atMs, why }) => {
      if (why === 'own') return false;
      const frozen = harmsOf(this.places, atMs, 0).filter(({ kind }) => kind === 'freeze');
      const diedMs = Math.min(atMs, ...frozen.map(({ fromMs }) => fromMs));
      return first.atMs <= atMs && first.atMs >= diedMs - withinMs;
    });
  }
  /** Each of its turns has begun once at most and ended once; `heard` follows each that has begun. */
  judgeTurns() {
    const { history, name } = this;
    for (const turn of this.kinds.keys()) {
      const [started, ended, heard] = ['started', 'ended', 'heard'].map((type) => this.of(type, turn));
      // A turn whose end is not written has not been said.
      const mayRepeat = (each) =>
        this.mayBeRepeated(each, each.type === 'heard' ? HEARD_UNWRITTEN_MS : UNWRITTEN_MS) ||
        ended.some((end) => this.mayBeRepeated(end, UNWRITTEN_MS));
      const wrong = (words) => history.violation(`session ${name}, turn ${turn}: ${words}`);
      for (const [what, said] of Object.entries({ started, ended, heard }))
        if (said.length > 1 && !said.slice(0, -1).every((each) => mayRepeat(each)))
          wrong(`${what} ${said.length} times`);
        else if (said.length > 1) history.count('repeatedAsPromised');
      if (ended.length === 0 && !this.isGone) wrong('never ended');
      if (
        started.length > 0 &&
        heard.length === 0 &&
        !this.isGone &&
        (this.losses.every(({ why }) => why === 'own') ||
          ended.every(({ outcome }) => outcome === 'complete'))
      )
        wrong('never heard');
      for (const { outcome } of ended) history.count(`turns_${outcome}`);
    }
    if (this.strayBytes > 0) history.violation(`session ${name}: ${this.strayBytes} bytes outside a turn`);
    const numbers = this.messages.flatMap(({ type, n }) => (n === undefined || type === 'ack' ? [] : [n]));
    if (numbers.some((n, at) => n !== at + 1)) history.violation(`session ${name}: n has gaps or repeats`);
  }
}
