// `voxgate narrate`: a file as one turn through a gateway, its audio into a file as it comes, its words as captions.

import { closeSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { Readable } from 'node:stream';
import { finishedWavHeader, WAV_HEADER_BYTES } from '../audio/containers/wav.ts';
import { captionsSrt } from '../captions/sub-rip.ts';
import { captionsVtt } from '../captions/web-vtt.ts';
import { connectSession, type SessionClient } from '../client/session-client.ts';
import type { ServerEvent } from '../dialects/native-events.ts';
import { codePointLength } from '../text/code-points.ts';
import { callerHeaders } from './caller-headers.ts';
import { type Command, type Terminal, UsageError } from './command.ts';
import { configureForWords } from './configure-for-words.ts';
import { configureSession } from './configure-session.ts';
import { checkOutFile } from './out-file.ts';
import { createProgressTeller } from './progress-line.ts';
import { checkGatewayUrl, reachGateway } from './reach-gateway.ts';
import { readFlags } from './read-flags.ts';
import { createCaptionKeeper } from './say-captions.ts';
import { readSound, SOUND_OPTIONS } from './say-flags.ts';
import { createInputSpeaker } from './speak-input.ts';
import { readTextFile } from './text-input.ts';

// An audio file that grows while it is made, so that a book need not be held in memory, and that has its name only when
// it can be played: until then it is NAME.part.

export type GrowingFile = {
  write(bytes: Uint8Array): void;
  bytes(): number;
  /** Gives it its name, its header the true sizes; nothing is left of one without a byte. */
  finish(): void;
};

export function openGrowingFile(path: string): GrowingFile {
  const unfinished = `${path}.part`;
  const file = openSync(unfinished, 'w+');
  let bytes = 0;
  const tellSizes = () => {
    const head = Buffer.alloc(WAV_HEADER_BYTES);
    const read = readSync(file, head, 0, head.length, 0);
    const header = finishedWavHeader(head.subarray(0, read), bytes);
    if (header !== undefined) writeSync(file, header, 0, header.length, 0);
  };
  return {
    write(more) {
      for (let at = 0; at < more.length; ) at += writeSync(file, more, at, more.length - at, bytes + at);
      bytes += more.length;
    },
    bytes: () => bytes,
    finish() {
      tellSizes();
      closeSync(file);
      if (bytes === 0) rmSync(unfinished, { force: true });
      else renameSync(unfinished, path);
    },
  };
}

const OPTIONS = {
  url: { type: 'string' },
  key: { type: 'string' },
  user: { type: 'string' },
  out: { type: 'string' },
  vtt: { type: 'string' },
  srt: { type: 'string' },
  ...SOUND_OPTIONS,
} as const;

const TURN = 'book';
/** Of a message, for what stands around the text. */
const ENVELOPE_BYTES = 1024;

/** A text that fits into one message is a whole one; a longer one is appended as it is spoken. */
const fitsWhole = (text: string, { limits }: SessionClient['ready']): boolean =>
  text.length <= limits.text &&
  Buffer.byteLength(JSON.stringify(text)) <= limits.messageBytes - ENVELOPE_BYTES;

async function run(terminal: Terminal): Promise<number> {
  const { values, positionals } = readFlags(terminal.args, OPTIONS, 'one');
  const path = positionals[0];
  const usage = `${terminal.programName} narrate chapter.txt --out chapter.mp3`;
  if (path === undefined) throw new UsageError(`Give a text file: ${usage}`);
  const { out, vtt, srt, key, user } = values;
  if (out === undefined) throw new UsageError(`--out is missing: where is the audio to go? ${usage}`);
  const sound = readSound(values);
  checkGatewayUrl(values.url);
  checkOutFile(terminal, '--out', out);
  checkOutFile(terminal, '--vtt', vtt);
  checkOutFile(terminal, '--srt', srt);
  const { text, markup } = await readTextFile(terminal, 'FILE', path);
  // What was read as a document has no Markdown; the signs that it has are its own.
  const settings = { ...sound, markup };

  const gateway = await reachGateway(terminal, values.url);
  const file = openGrowingFile(out);
  const speaker = createInputSpeaker(TURN);
  const keeper = createCaptionKeeper();
  keeper.addText(text);
  const characters = codePointLength(text);
  const showProgress = createProgressTeller(terminal, () => performance.now());
  let outcome: 'fine' | 'faulty' = 'fine';
  let spoken = 0;
  const onEvent = (event: ServerEvent) => {
    speaker.onEvent(event);
    keeper.onEvent(event);
    if (event.type === 'caption') {
      spoken = event.words.at(-1)!.charEnd / characters;
      showProgress({ phase: 'speaking', progress: spoken });
    } else if (event.type === 'queued')
      showProgress({ phase: `waiting (${event.reason})`, progress: spoken });
    else if (event.type === 'error' && event.code !== 'text_full') {
      outcome = 'faulty';
      terminal.complain(`${event.code}: ${event.message}`);
    }
  };
  try {
    const client = await connectSession({
      url: gateway.url,
      headers: callerHeaders({ key, user }),
      onEvent,
      onAudio: (bytes) => file.write(bytes),
    });
    try {
      let listed: (() => Promise<'listed' | 'late'>) | undefined;
      if (vtt === undefined && srt === undefined) await configureSession(client, settings);
      else listed = await configureForWords(client, settings, terminal);
      const ended = client.next('ended');
      const stop = () => {
        speaker.stop();
        client.send({ type: 'cancel' });
      };
      terminal.interrupted.addEventListener('abort', stop, { once: true });
      if (terminal.interrupted.aborted) stop();
      if (fitsWhole(text, client.ready)) client.send({ type: 'speak', turn: TURN, text });
      else await Promise.race([speaker.forward(Readable.from([text]), client), ended]);
      const { outcome: end, sentMs } = await ended;
      if (end !== 'complete') outcome = 'faulty';
      else if (listed !== undefined && ((await listed()) === 'late' || keeper.check(terminal) === 'faulty'))
        outcome = 'faulty';
      terminal.status('');
      const told = { file: out, outcome: end, seconds: Math.round(sentMs / 100) / 10, bytes: file.bytes() };
      const stopped = end === 'complete' ? '' : `, ${end}: what was spoken so far can be played`;
      terminal.print(
        terminal.isInteractive
          ? `${out}: ${told.seconds.toFixed(1)} s, ${told.bytes} bytes${stopped}`
          : JSON.stringify(told),
      );
    } finally {
      speaker.stop();
      client.close();
    }
    return outcome === 'fine' ? 0 : 1;
  } finally {
    file.finish();
    if (vtt !== undefined && keeper.words() > 0) terminal.writeFile(vtt, keeper.write(captionsVtt));
    if (srt !== undefined && keeper.words() > 0) terminal.writeFile(srt, keeper.write(captionsSrt));
    await gateway.stop();
  }
}

export const narrate: Command = {
  help: () =>
    [
      'Usage: voxgate narrate FILE --out FILE [--vtt FILE] [--srt FILE] [--voice V] [--speed X] [--url ws://…] …',
      '',
      'FILE is text or Markdown, with blank lines between paragraphs, or a PDF, EPUB, DOCX or HTML file. It is spoken as one',
      'turn. Without --url, a gateway is started for it. Ctrl-C leaves what was spoken so far, as a file that plays.',
      '',
      '  --out FILE         where the audio goes; .mp3 .wav .ogg .flac .ulaw .alaw .raw choose the format',
      '  --vtt FILE         captions as WebVTT;  --srt FILE  as SubRip',
      '  --url URL          session address that `voxgate serve` printed',
      '  --key KEY          API key of that gateway;  --user ID  the user it belongs to',
      '  --pace P           burst (default): as fast as it is made; realtime',
      '  --format F, --sample-rate N',
      '  --voice V, --voice2 V, --turn-prefix T, --turn-prefix2 T',
      '                     two voices: each takes the text behind its prefix',
      '  --language L, --speed 0.1–5, --seed N, --temperature 0–2',
      '',
      'On a terminal a bar fills; piped, progress is lines of JSON and the last one tells what was written.',
    ].join('\n'),
  run,
};
