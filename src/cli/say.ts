// `voxgate say`: one turn through a gateway, its captions on the terminal, its audio into a file.

import { finishedWavHeader } from '../audio/containers/wav.ts';
import { connectSession } from '../client/session-client.ts';
import type { ServerEvent } from '../dialects/native-events.ts';
import { callerHeaders } from './caller-headers.ts';
import { type Command, type Terminal, UsageError } from './command.ts';
import { configureForWords } from './configure-for-words.ts';
import { configureSession } from './configure-session.ts';
import { checkOutFile } from './out-file.ts';
import { checkGatewayUrl, reachGateway } from './reach-gateway.ts';
import { readFlags } from './read-flags.ts';
import { captionWriter, createCaptionKeeper } from './say-captions.ts';
import { readSound, SOUND_OPTIONS } from './say-flags.ts';
import { createInputSpeaker } from './speak-input.ts';
import { textOfInput } from './text-input.ts';

const OPTIONS = {
  url: { type: 'string' },
  key: { type: 'string' },
  user: { type: 'string' },
  out: { type: 'string' },
  captions: { type: 'string' },
  ...SOUND_OPTIONS,
} as const;

const TURN = 'say';

/** Messages that say nothing to a reader of lines; the list of words is in its file. */
const UNTOLD: ReadonlySet<ServerEvent['type']> = new Set(['audio', 'pong', 'words']);

/** Shows what happens: words as they come on a terminal, the messages themselves when piped. */
function createTeller(terminal: Terminal): (event: ServerEvent) => void {
  let words = '';
  return (event) => {
    if (!terminal.isInteractive) {
      if (!UNTOLD.has(event.type)) terminal.print(JSON.stringify(event));
      return;
    }
    if (event.type === 'queued')
      terminal.status(`waiting (${event.reason}, about ${Math.ceil(event.etaMs / 1000)} s)`);
    else if (event.type === 'started') terminal.status(`first audio after ${event.timings.firstAudioMs} ms`);
    else if (event.type === 'caption') {
      words = `${words} ${event.words.map((word) => word.text).join(' ')}`.slice(-100);
      terminal.status(words.trim());
    } else if (event.type === 'error' && event.code !== 'text_full')
      terminal.complain(`${event.code}: ${event.message}`);
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
    const say = `${terminal.programName} say`;
    throw new UsageError(`Give a text, or pipe one in: ${say} "Hello." or echo Hello. | ${say}`);
  }
  const { out, captions, key, user } = values;
  const settings = readSound(values);
  const writeCaptions = captions === undefined ? undefined : captionWriter(captions);
  checkGatewayUrl(values.url);
  checkOutFile(terminal, '--out', out);
  checkOutFile(terminal, '--captions', captions);

  const gateway = await reachGateway(terminal, values.url);
  try {
    const audio: Uint8Array[] = [];
    const speaker = createInputSpeaker(TURN);
    const keeper = createCaptionKeeper();
    const tell = createTeller(terminal);
    let outcome: 'fine' | 'faulty' = 'fine';
    const client = await connectSession({
      url: gateway.url,
      headers: callerHeaders({ key, user }),
      onEvent(event) {
        speaker.onEvent(event);
        if (event.type === 'error' && event.code !== 'text_full') outcome = 'faulty';
        if (captions !== undefined) keeper.onEvent(event);
        tell(event);
      },
      onAudio(bytes) {
        if (out !== undefined) audio.push(bytes);
      },
    });
    try {
      let listed: (() => Promise<'listed' | 'late'>) | undefined;
      if (captions === undefined) await configureSession(client, settings);
      else listed = await configureForWords(client, settings, terminal);
      const ended = client.next('ended');
      terminal.interrupted.addEventListener('abort', () => client.send({ type: 'cancel' }), { once: true });
      if (text !== undefined) {
        keeper.addText(text);
        client.send({ type: 'speak', turn: TURN, text });
      } else {
        const given = textOfInput(terminal.input);
        const input = captions === undefined ? given : keeper.overhear(given);
        const first = await Promise.race([speaker.forward(input, client), ended]);
        if (first?.outcome === 'complete') {
          terminal.complain('The turn ended before the input did; what still comes is not spoken.');
          outcome = 'faulty';
        }
      }
      if ((await ended).outcome !== 'complete') outcome = 'faulty';
      else if (listed !== undefined && (await listed()) === 'listed') keeper.check(terminal);
    } finally {
      speaker.stop();
      client.close();
    }
    if (out !== undefined && audio.length > 0) terminal.writeFile(out, finished(audio));
    if (captions !== undefined && writeCaptions !== undefined && (keeper.words() > 0 || outcome === 'fine'))
      terminal.writeFile(captions, keeper.write(writeCaptions));
    return outcome === 'fine' ? 0 : 1;
  } finally {
    await gateway.stop();
  }
}

/** A file knows its length: the streaming sizes of a WAV header are replaced by the true ones. */
function finished(audio: readonly Uint8Array[]): Uint8Array {
  const bytes = Buffer.concat(audio);
  bytes.set(finishedWavHeader(bytes, bytes.length) ?? []);
  return bytes;
}

export const say: Command = {
  help: () =>
    [
      'Usage: voxgate say [TEXT] [--url ws://…] [--out FILE] [--captions FILE] [--format F] [--sample-rate N] [--voice V] …',
      '',
      'Without TEXT, standard input is spoken as it arrives; a document (PDF, DOCX, …) or a text that is not UTF-8 when all of it is there. Without --url, a gateway is started for this turn.',
      '',
      '  --url URL          session address that `voxgate serve` printed',
      '  --key KEY          API key of that gateway;  --user ID  the user it belongs to',
      '  --out FILE         keep the audio; .wav .mp3 .ogg .flac .ulaw .alaw .raw choose the format',
      '  --captions FILE    keep the words with their times; .vtt .srt .json choose the format',
      '  --format F         mulaw (default), alaw, raw, wav, mp3, ogg, flac',
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
