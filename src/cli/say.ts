// `voxgate say`: one turn through a gateway, its captions on the terminal, its audio into a file.

import { extname } from 'node:path';
import { startGateway } from '../app.ts';
import { wavHeader } from '../audio/wav.ts';
import { formatIssues } from '../base/format-issues.ts';
import { parseConfig } from '../config.ts';
import type { ServerEvent } from '../dialects/native-events.ts';
import { type ClientCommand, configureFields, presetSchema } from '../dialects/native-messages.ts';
import { createPinoLog } from '../pino-log.ts';
import { type Command, type Terminal, UsageError } from './command.ts';
import { readFlags } from './read-flags.ts';
import { connectSession } from './session-client.ts';

const OPTIONS = {
  url: { type: 'string' },
  key: { type: 'string' },
  user: { type: 'string' },
  out: { type: 'string' },
  format: { type: 'string' },
  'sample-rate': { type: 'string' },
  pace: { type: 'string' },
  voice: { type: 'string' },
  voice2: { type: 'string' },
  'turn-prefix': { type: 'string' },
  'turn-prefix2': { type: 'string' },
  language: { type: 'string' },
  speed: { type: 'string' },
  seed: { type: 'string' },
  temperature: { type: 'string' },
} as const;

const FORMAT_OF: Readonly<Record<string, string>> = {
  '.wav': 'wav',
  '.mp3': 'mp3',
  '.ulaw': 'mulaw',
  '.alaw': 'alaw',
  '.raw': 'raw',
  '.pcm': 'raw',
};
const TURN = 'say';
const PIECE_BYTES = 64 * 1024;

const camel = (flag: string) => flag.replace(/-(.)/g, (_match, letter: string) => letter.toUpperCase());

type Flags = Readonly<Record<string, string | boolean | undefined>>;

/** The flags that shape the sound, as the first `configure`. */
function readSettings(flags: Flags, out: string | undefined) {
  const given: Record<string, unknown> = {
    captions: 'words',
    pace: out === undefined ? 'realtime' : 'burst',
  };
  const format = FORMAT_OF[extname(out ?? '')];
  if (format !== undefined) given.format = format;
  for (const [flag, value] of Object.entries(flags)) {
    const name = camel(flag);
    if (value === undefined || !Object.hasOwn(configureFields, name)) continue;
    given[name] = ['sampleRate', 'speed', 'seed', 'temperature'].includes(name) ? Number(value) : value;
  }
  const parsed = presetSchema.safeParse(given, { reportInput: true });
  if (!parsed.success) throw new UsageError(formatIssues(parsed.error.issues));
  return parsed.data;
}

/** The gateway that was named, or one of our own for this turn. */
async function reach(terminal: Terminal, url: string | undefined) {
  if (url !== undefined) return { url, stop: async () => {} };
  const parsed = parseConfig({ env: terminal.env, flags: ['--port', '0'], file: terminal.readFile });
  if (!parsed.ok) throw new UsageError(parsed.problems.join('\n'));
  const gateway = await startGateway({
    config: parsed.config,
    log: createPinoLog('warn'),
    version: terminal.version,
  });
  return { url: gateway.sessionUrl, stop: () => gateway.stop(0) };
}

/** Shows what happens: words as they come on a terminal, the messages themselves when piped. */
function createTeller(terminal: Terminal): (event: ServerEvent) => void {
  let words = '';
  return (event) => {
    if (!terminal.isInteractive) {
      if (event.type !== 'audio') terminal.print(JSON.stringify(event));
      return;
    }
    if (event.type === 'queued')
      terminal.status(`waiting (${event.reason}, about ${Math.ceil(event.etaMs / 1000)} s)`);
    else if (event.type === 'started') terminal.status(`first audio after ${event.timings.firstAudioMs} ms`);
    else if (event.type === 'caption') {
      words = `${words} ${event.words.map((word) => word.text).join(' ')}`.slice(-100);
      terminal.status(words.trim());
    } else if (event.type === 'error') terminal.complain(`${event.code}: ${event.message}`);
    else if (event.type === 'ended') {
      terminal.status('');
      terminal.print(
        `${event.outcome}: ${(event.audioMs / 1000).toFixed(1)} s of audio, ${event.requests} upstream request(s)`,
      );
    }
  };
}

async function run(terminal: Terminal): Promise<number> {
  const { values, positionals } = readFlags(terminal.args, OPTIONS, 'one');
  const text = positionals[0];
  if (text === undefined && terminal.input.isTTY === true) {
    throw new UsageError('Give a text, or pipe one in: voxgate say "Hello." or echo Hello. | voxgate say');
  }
  const out = values.out;
  const settings = readSettings(values, out);
  const headers: Record<string, string> = {};
  if (values.key !== undefined) headers.authorization = `Bearer ${values.key}`;
  if (values.user !== undefined) headers['x-user-id'] = values.user;

  const gateway = await reach(terminal, values.url);
  try {
    const audio: Uint8Array[] = [];
    const client = await connectSession({
      url: gateway.url,
      headers,
      onEvent: createTeller(terminal),
      onAudio(bytes) {
        if (out !== undefined) audio.push(bytes);
      },
    });
    const refused = client.next('error', (event) => event.scope === 'session');
    refused.catch(() => {});
    client.send({ type: 'configure', ...settings });
    const configured = client.next('configured');
    await Promise.race([configured, refused.then((event) => Promise.reject(new UsageError(event.message)))]);
    const ended = client.next('ended');
    if (text !== undefined) client.send({ type: 'speak', turn: TURN, text });
    else await forward(terminal.input, (command) => client.send(command));
    const { outcome } = await ended;
    client.close();
    if (out !== undefined) terminal.writeFile(out, finished(audio));
    return outcome === 'complete' ? 0 : 1;
  } finally {
    await gateway.stop();
  }
}

/** Standard input as it arrives, so that another program's tokens are spoken while it is still thinking. */
async function forward(input: Terminal['input'], send: (command: ClientCommand) => void): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of input) {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      const text = decoder.decode(chunk.subarray(at, at + PIECE_BYTES), { stream: true });
      if (text !== '') send({ type: 'append', turn: TURN, text });
    }
  }
  send({ type: 'append', turn: TURN, text: decoder.decode() });
  send({ type: 'end', turn: TURN });
}

/** A file knows its length: the streaming sizes of a WAV header are replaced by the true ones. */
function finished(audio: readonly Uint8Array[]): Uint8Array {
  const bytes = Buffer.concat(audio);
  if (bytes.toString('latin1', 0, 4) !== 'RIFF') return bytes;
  const header = wavHeader({
    sampleRate: bytes.readUInt32LE(24),
    channels: 1,
    dataBytes: bytes.length - 44,
  });
  bytes.set(header, 0);
  return bytes;
}

export const say: Command = {
  summary: 'speak a text through a gateway',
  help: () =>
    [
      'Usage: voxgate say [TEXT] [--url ws://…] [--out FILE] [--format F] [--sample-rate N] [--voice V] …',
      '',
      'Without TEXT, standard input is spoken as it arrives. Without --url, a gateway is started for this turn.',
      '',
      '  --url URL          session address that `voxgate serve` printed',
      '  --key KEY          API key of that gateway;  --user ID  the user it belongs to',
      '  --out FILE         keep the audio; .wav .mp3 .ulaw .alaw .raw choose the format',
      '  --format F         mulaw (default), alaw, raw, wav, mp3',
      '  --sample-rate N    8000 to 48000',
      '  --pace P           realtime (default), burst (default with --out)',
      '  --voice V, --voice2 V, --turn-prefix T, --turn-prefix2 T',
      '                     two voices: each takes the text behind its prefix',
      '  --language L, --speed 0.1–5, --seed N, --temperature 0–2',
      '',
      'On a terminal the words are shown as they are spoken; piped, each message is one line of JSON.',
    ].join('\n'),
  run,
};
