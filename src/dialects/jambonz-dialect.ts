// jambonz's streaming speech of a custom vendor: one socket per call, text in, headerless s16le out. It has no ids: a
// flush ends what is being said, so each is a turn, and after `clear` not one byte of what was before it may come.

import { isJsonObject, parseJson } from '../base/json.ts';
import { languageOfTag } from '../speech/language-tag.ts';
import type { Dialect, DialectCodec, DialectSink } from './dialect.ts';
import type { ServerEvent } from './native-events.ts';
import type { Preset } from './native-messages.ts';
import { readPacing } from './pacing-query.ts';
import { checkPreset } from './session-preset.ts';
import { NO_MESSAGE, NOT_JSON } from './unreadable-message.ts';

const PATH = '/jambonz/tts';

/** What a call is, when jambonz does not say what it wants; jambonz resamples by what `connect` tells it. */
const USUAL_HZ = 8000;
/**
 * jambonz keeps what it has not played, and drops that by itself when it clears. What it cannot drop is on its way when it
 * clears: in real time that is what plays during one round trip, in a burst it is everything that the network holds. The
 * lead may be generous, for it lies on jambonz's side, and rides out a network that a phone's 200 ms would not.
 */
const PACING = { pace: 'realtime', leadMs: 1000 } as const;
/** jambonz dials once per call and sends nothing while nobody speaks; one that is gone is found by its missing pongs. */
const MAX_SILENCE_MS = 4 * 60 * 60_000;
const NORMAL_CLOSURE = 1000;

/** Some versions write more behind a value, `voice=V;callSid=…`, and languages as `ru_RU`. */
function parameter(query: URLSearchParams, name: string): string | undefined {
  const value = /^[^;]*/.exec(query.get(name) ?? '')?.[0].trim();
  return value === '' ? undefined : value;
}

const sampleRateOf = (query: URLSearchParams): number => Number(parameter(query, 'sampleRate') ?? USUAL_HZ);

/** Unknown parameters are jambonz's own. Throws `invalid_request`. */
function readQuery(query: URLSearchParams): Preset {
  const [voice, tag] = [parameter(query, 'voice'), parameter(query, 'language')];
  const language = languageOfTag(tag?.replaceAll('_', '-'));
  return checkPreset({
    ...PACING,
    ...readPacing(query),
    format: 'raw',
    sampleRate: sampleRateOf(query),
    audio: 'binary',
    captions: 'off',
    flow: 'clock',
    ...(voice === undefined ? {} : { voice }),
    ...(language === undefined ? {} : { language }),
  });
}

type Message =
  | { readonly type: 'stream'; readonly text: string }
  | { readonly type: 'flush' | 'clear' | 'stop' | 'unknown' }
  | { readonly type: 'wrong'; readonly why: string };

function readMessage(frame: string): Message {
  const json = parseJson(frame);
  if (json === undefined) return { type: 'wrong', why: NOT_JSON };
  const { type, text } = isJsonObject(json.value) ? json.value : {};
  if (typeof type !== 'string') return { type: 'wrong', why: NO_MESSAGE };
  if (type === 'stream') {
    if (typeof text === 'string') return { type, text };
    return { type: 'wrong', why: 'stream: text: must be a text' };
  }
  // `keepalive`, and whatever a later jambonz may say.
  return { type: type === 'flush' || type === 'clear' || type === 'stop' ? type : 'unknown' };
}

function createCodec({ carryOut, send, close }: DialectSink, sampleRate: number): DialectCodec {
  /** The turn that text goes to; behind a `flushed` one the next may begin as soon as there is room for it. */
  let current: { readonly turn: string; text: 'open' | 'flushed' } | undefined;
  const unended = new Set<string>();
  let mostTurns = 1;
  let opened = 0;
  /** The last turn whose text had ended by itself when more was appended. */
  let tooLateFor: string | undefined;
  let phase: 'open' | 'stopped' = 'open';

  const tell = (message: object) => send(JSON.stringify(message));
  const fail = (why: string) => tell({ type: 'error', error: why });

  const append = (text: string) => {
    if (current?.text === 'flushed' && unended.size < mostTurns) end(current.turn);
    if (current === undefined) {
      if (text.trim() === '') return; // nothing to say yet, and nothing before it to be parted from it
      opened += 1;
      current = { turn: `jambonz-${opened}`, text: 'open' };
      unended.add(current.turn);
    }
    current.text = 'open';
    carryOut({ type: 'append', turn: current.turn, text });
  };
  /** Text that comes after a long silence finds its turn ended by the session; it is a new turn's then. */
  const stream = (text: string) => {
    append(text);
    if (current === undefined || tooLateFor !== current.turn) return;
    current = undefined;
    append(text);
  };
  const end = (turn: string) => {
    current = undefined;
    carryOut({ type: 'end', turn });
  };
  const flush = () => {
    if (current === undefined) return;
    if (unended.size < mostTurns) return end(current.turn);
    // A session takes so many turns and no more: this one goes on rather than that text is refused.
    current.text = 'flushed';
    carryOut({ type: 'flush', turn: current.turn });
  };
  const silence = () => {
    current = undefined;
    carryOut({ type: 'cancel' });
    unended.clear();
  };

  /** jambonz has no word for anything else. */
  const onEvent = (event: ServerEvent) => {
    if (event.type === 'ready') {
      // One turn may be an agent's greeting.
      mostTurns = Math.max(1, event.limits.turnsInFlight - 1);
      tell({ type: 'connect', data: { sample_rate: sampleRate, base64_encoding: false } });
    } else if (event.type === 'ended') {
      unended.delete(event.turn);
      if (current?.turn === event.turn) current = undefined;
    } else if (event.type === 'error') {
      if (event.code === 'turn_ended') tooLateFor = event.turn;
      // All of its text was refused, which has been told.
      else if (event.code === 'unknown_turn') unended.delete(event.turn ?? '');
      else fail(`${event.code}: ${event.message}`);
    }
  };

  return {
    receive(frame) {
      if (phase === 'stopped') return;
      const message = readMessage(frame);
      switch (message.type) {
        case 'stream':
          return stream(message.text);
        case 'flush':
          return flush();
        case 'clear':
          return silence();
        case 'stop':
          // The call is over: nobody would hear the rest.
          phase = 'stopped';
          silence();
          return close(NORMAL_CLOSURE, 'stopped');
        case 'wrong':
          return fail(message.why);
        case 'unknown':
          return;
      }
    },
    event: onEvent,
    audio: ({ bytes }) => send(bytes),
  };
}

export const jambonzDialect: Dialect = {
  name: 'jambonz',
  enter({ path, query }) {
    if (path !== PATH) return undefined;
    return {
      caller: 'headers',
      idleTimeoutMs: MAX_SILENCE_MS,
      preset: () => readQuery(query),
      open: (sink) => createCodec(sink, sampleRateOf(query)),
    };
  },
};
