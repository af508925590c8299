// The toxics by name: their attributes with bounds and defaults, and what each does. The first eight are Toxiproxy's, in
// its words and units. The command's help and the documentation's table are this table.

import {
  corruptToxic,
  dup429Toxic,
  earlyEndToxic,
  emptySuccessToxic,
  quota401Toxic,
  silent200Toxic,
  slowRefusalToxic,
  staleSocketToxic,
  wrongTypeToxic,
} from './http-toxics.ts';
import {
  bandwidthToxic,
  downToxic,
  latencyToxic,
  limitDataToxic,
  resetPeerToxic,
  slicerToxic,
  slowCloseToxic,
  timeoutToxic,
} from './stream-toxics.ts';
import type { Stream, Toxic, ToxicEffect } from './toxic.ts';

/** A toxic as it is set, in the shape of Toxiproxy's API. */
export type ToxicSetting = {
  readonly type: string;
  /** By default downstream. */
  readonly stream?: Stream;
  /** By default 1. */
  readonly toxicity?: number;
  readonly attributes?: Readonly<Record<string, number | string>>;
};

type Attribute =
  | { readonly least: number; readonly most: number; readonly default: number }
  | { readonly allowed: RegExp; readonly words: string; readonly default: string };

type ToxicRow = {
  readonly attributes: Readonly<Record<string, Attribute>>;
  /** `whole` touches both directions, or the reply alone. */
  readonly streams: 'either' | 'whole';
  readonly summary: string;
  readonly effect: (number: (name: string) => number, word: (name: string) => string) => ToxicEffect;
};

const MAX_NUMBER = 1_000_000_000;
const number = (byDefault: number, least = 0): Attribute => ({ least, most: MAX_NUMBER, default: byDefault });
const NONE = {};
const mediaType = (byDefault: string): Attribute => ({
  allowed: /^[\w.+-]+\/[\w.+-]+$/,
  words: 'a media type',
  default: byDefault,
});

const TOXICS: Readonly<Record<string, ToxicRow>> = {
  latency: {
    attributes: { latency: number(100), jitter: number(0) },
    streams: 'either',
    summary: 'everything comes `latency` ± `jitter` ms later',
    effect: (of) => latencyToxic(of('latency'), of('jitter')),
  },
  down: {
    attributes: NONE,
    streams: 'whole',
    summary: 'the connection is reset at once, and the target never hears of it',
    effect: () => downToxic,
  },
  bandwidth: {
    attributes: { rate: number(100, 1) },
    streams: 'either',
    summary: 'at most `rate` KB/s',
    effect: (of) => bandwidthToxic(of('rate')),
  },
  slow_close: {
    attributes: { delay: number(1000) },
    streams: 'either',
    summary: 'the end of the stream comes `delay` ms later',
    effect: (of) => slowCloseToxic(of('delay')),
  },
  timeout: {
    attributes: { timeout: number(0) },
    streams: 'either',
    summary: 'nothing gets through, and the connection is closed after `timeout` ms (0: never)',
    effect: (of) => timeoutToxic(of('timeout')),
  },
  reset_peer: {
    attributes: { timeout: number(0) },
    streams: 'whole',
    summary: 'the connection is reset after `timeout` ms',
    effect: (of) => resetPeerToxic(of('timeout')),
  },
  slicer: {
    attributes: { average_size: number(64, 1), size_variation: number(0), delay: number(0) },
    streams: 'either',
    summary: 'pieces of `average_size` ± `size_variation` bytes, `delay` µs apart',
    effect: (of) =>
      slicerToxic({
        averageBytes: of('average_size'),
        variationBytes: of('size_variation'),
        delayMs: of('delay') / 1000,
      }),
  },
  limit_data: {
    attributes: { bytes: number(1000, 1) },
    streams: 'either',
    summary: 'the connection is closed after `bytes` bytes, head included',
    effect: (of) => limitDataToxic(of('bytes')),
  },
  corrupt: {
    attributes: { every: number(1000, 1) },
    streams: 'either',
    summary: 'one byte in `every` of a body is another; the length stays',
    effect: (of) => corruptToxic(of('every')),
  },
  dup429: {
    attributes: { every: number(2, 1), retry_after: number(0) },
    streams: 'whole',
    summary: 'each `every`-th request is answered 429, with Retry-After of so many seconds (0: without)',
    effect: (of) => dup429Toxic(of('every'), of('retry_after')),
  },
  wrong_type: {
    attributes: { type: mediaType('text/html') },
    streams: 'whole',
    summary: 'the reply says that it is a `type`; its body stays',
    effect: (_, word) => wrongTypeToxic(word('type')),
  },
  early_end: {
    attributes: {
      bytes: number(1000),
      ending: { allowed: /^(chunk|close)$/, words: 'chunk or close', default: 'chunk' },
    },
    streams: 'whole',
    summary: 'the body of the reply ends properly after `bytes` bytes, by a last chunk or by closing',
    effect: (of, word) => earlyEndToxic(of('bytes'), word('ending') === 'close' ? 'close' : 'chunk'),
  },
  silent200: {
    attributes: { time: number(0) },
    streams: 'whole',
    summary: 'the head of the reply comes, and nothing behind it for `time` ms (0: ever)',
    effect: (of) => silent200Toxic(of('time')),
  },
  empty_success: {
    attributes: { type: mediaType('audio/mpeg') },
    streams: 'whole',
    summary: '200 and a `type` without a byte; the target is not asked',
    effect: (_, word) => emptySuccessToxic(word('type')),
  },
  quota401: {
    attributes: NONE,
    streams: 'whole',
    summary: '401 with `quota_exceeded`, as of an account whose characters are used up',
    effect: () => quota401Toxic,
  },
  slow_refusal: {
    attributes: { from: number(12_000), to: number(27_000) },
    streams: 'whole',
    summary: '429, but only after `from` to `to` ms',
    effect: (of) => slowRefusalToxic(of('from'), of('to')),
  },
  stale_socket: {
    attributes: NONE,
    streams: 'whole',
    summary: 'a second request on a connection finds it reset',
    effect: () => staleSocketToxic,
  },
};

/** Throws a RangeError that says what was given and what is allowed. */
export function createToxic({
  type,
  stream = 'downstream',
  toxicity = 1,
  attributes = {},
}: ToxicSetting): Toxic {
  const row = Object.hasOwn(TOXICS, type) ? TOXICS[type] : undefined;
  const refuse = (what: string, given: unknown, allowed: string): never => {
    throw new RangeError(`${what} is ${JSON.stringify(given)}; allowed: ${allowed}`);
  };
  if (row === undefined) return refuse('the toxic', type, Object.keys(TOXICS).join(', '));
  if (!(toxicity >= 0 && toxicity <= 1)) refuse(`toxicity of ${type}`, toxicity, 'a number from 0 to 1');
  if (stream !== 'upstream' && stream !== 'downstream')
    refuse(`stream of ${type}`, stream, 'upstream, downstream');
  if (stream === 'upstream' && row.streams === 'whole') refuse(`stream of ${type}`, stream, 'downstream');
  for (const name of Object.keys(attributes))
    if (!Object.hasOwn(row.attributes, name))
      refuse(`an attribute of ${type}`, name, Object.keys(row.attributes).join(', ') || 'none');

  const given = (name: string) => attributes[name] ?? row.attributes[name]!.default;
  for (const [name, rule] of Object.entries(row.attributes)) {
    const value = given(name);
    if ('words' in rule) {
      if (!rule.allowed.test(String(value))) refuse(`${name} of ${type}`, value, rule.words);
    } else if (!(Number(value) >= rule.least && Number(value) <= rule.most))
      refuse(`${name} of ${type}`, value, `a number from ${rule.least} to ${rule.most}`);
  }
  const effect = row.effect(
    (name) => Number(given(name)),
    (name) => String(given(name)),
  );
  return { type, stream, toxicity, effect };
}

const NUMBER = /^\d{1,10}(\.\d{1,6})?$/;

/** Reads `NAME[:ATTRIBUTE=VALUE]...[:stream=upstream][@TOXICITY]`. Throws a RangeError as `createToxic` does. */
export function readToxic(given: string): Toxic {
  const [, named = '', toxicityText] = /^([^@]*)(?:@(.*))?$/.exec(given) ?? [];
  const [type = '', ...pairs] = named.split(':');
  const attributes: Record<string, number | string> = {};
  let stream = 'downstream';
  for (const pair of pairs) {
    const [, name, value] = /^([a-z_]+)=(.+)$/.exec(pair) ?? [];
    if (name === undefined || value === undefined)
      throw new RangeError(`an attribute of ${type} is ${JSON.stringify(pair)}; allowed: NAME=VALUE`);
    if (name === 'stream') stream = value;
    else attributes[name] = NUMBER.test(value) ? Number(value) : value;
  }
  if (toxicityText !== undefined && !NUMBER.test(toxicityText))
    throw new RangeError(
      `toxicity of ${type} is ${JSON.stringify(toxicityText)}; allowed: a number from 0 to 1`,
    );
  const toxicity = Number(toxicityText ?? 1);
  return createToxic({ type, stream: stream as Stream, toxicity, attributes });
}

/** What can be given and what it does, in the order of the documentation. */
export const TOXIC_HELP: readonly { readonly syntax: string; readonly summary: string }[] = Object.entries(
  TOXICS,
).map(([type, { attributes, streams, summary }]) => {
  const told = Object.entries(attributes).map(([name, { default: value }]) => `[:${name}=${value}]`);
  const stream = streams === 'either' ? '[:stream=upstream]' : '';
  return { syntax: `${type}${told.join('')}${stream}`, summary };
});
