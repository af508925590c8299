// `voxgate narrate`: a file as one turn through a gateway, its audio into a file as it comes, its words as captions.

import { Readable } from 'node:stream';
import { captionsSrt } from '../captions/sub-rip.ts';
import { captionsVtt } from '../captions/web-vtt.ts';
import { connectSession, type SessionClient } from '../client/voxgate-client.ts';
import type { EventOf, ServerEvent } from '../dialects/native-events.ts';
import { SESSION_FORMATS } from '../speech/audio-format.ts';
import { codePointLength } from '../text/code-points.ts';
import { CALLER_FLAGS, callerHelp, keyFileOf, readCaller } from './caller/caller.ts';
import { type Command, FILE, JSON_FLAG, type Terminal, UsageError } from './command.ts';
import { configureForWords } from './configure-for-words.ts';
import { configureSession, tellConnection } from './configure-session.ts';
import { checkInputs } from './input/read-input.ts';
import { tellAudioFile, tellBeside } from './output/beside-result.ts';
import { audioEndings, captionFormatOf } from './output/file-endings.ts';
import { checkOutFile, openOutFile, writeOutFile } from './output/out-file.ts';
import { createProgressTeller } from './progress-line.ts';
import { type ReachedGateway, reachGateway } from './reach-gateway.ts';
import { readFlags } from './read-flags.ts';
import { createCaptionKeeper } from './say-captions.ts';
import { readSound, SOUND_OPTIONS } from './say-flags.ts';
import { createInputSpeaker } from './speak-input.ts';
import { readTextFile } from './text-input.ts';
import { sayingFlags } from './words-of-flags.ts';

const FLAGS = {
  ...CALLER_FLAGS,
  ...JSON_FLAG,
  out: FILE,
  vtt: FILE,
  srt: FILE,
  ...SOUND_OPTIONS,
} as const;

const TURN = 'book';
/** Of a message, for what stands around the text. */
const ENVELOPE_BYTES = 1024;

/** A text that fits into one message is a whole one; a longer one is appended as it is spoken. */
const fitsWhole = (text: string, { limits }: SessionClient['ready']): boolean =>
  text.length <= limits.text &&
  Buffer.byteLength(JSON.stringify(text)) <= limits.messageBytes - ENVELOPE_BYTES;

async function run(raw: Terminal): Promise<number> {
  const { values, positionals } = readFlags(raw.args, FLAGS, 'one');
  const path = positionals[0];
  const usage = `${raw.programName} narrate chapter.txt --out chapter.mp3`;
  if (path === undefined) throw new UsageError(`Give a text file, or - for standard input: ${usage}`);
  const { out, vtt, srt } = values;
  if (out === undefined) throw new UsageError(`--out is missing: where is the audio to go? ${usage}`);
  checkInputs({ FILE: path, ...keyFileOf(raw, values) });
  const terminal = tellBeside(raw, {
    json: values.json,
    results: [
      { flag: '--out', path: out, holds: 'audio' },
      { flag: '--vtt', path: vtt, holds: 'text' },
      { flag: '--srt', path: srt, holds: 'text' },
    ],
  });
  const sound = readSound(values);
  if (vtt !== undefined) captionFormatOf('--vtt', vtt, ['vtt'], 'taken');
  if (srt !== undefined) captionFormatOf('--srt', srt, ['srt'], 'taken');
  const caller = await readCaller(terminal, values);
  checkOutFile(terminal, '--out', out);
  checkOutFile(terminal, '--vtt', vtt);
  checkOutFile(terminal, '--srt', srt);
  const { text, markup } = await readTextFile(terminal, 'FILE', path);
  // What was read as a document has no Markdown; the signs that it has are its own.
  const settings = { ...sound, markup };

  const file = await openOutFile(terminal, '--out', out);
  const captions = [
    ['--vtt', vtt, captionsVtt],
    ['--srt', srt, captionsSrt],
  ] as const;
  let gateway: ReachedGateway | undefined;
  let end: EventOf<'ended'>;
  const speaker = createInputSpeaker(TURN);
  const keeper = createCaptionKeeper(settings.language ?? undefined);
  keeper.addText(text);
  const characters = codePointLength(text);
  const showProgress = createProgressTeller(terminal, () => performance.now());
  let outcome: 'fine' | 'faulty' = 'fine';
  let spoken = 0;
  const onEvent = (event: ServerEvent) => {
    if (speaker.onEvent(event) === 'waits') return;
    keeper.onEvent(event);
    if (event.type === 'caption') {
      spoken = event.words.at(-1)!.charEnd / characters;
      showProgress({ phase: 'speaking', progress: spoken });
    } else if (event.type === 'queued')
      showProgress({ phase: `waiting (${event.reason})`, progress: spoken });
    else if (event.type === 'error') {
      outcome = 'faulty';
      terminal.complain(`${event.code}: ${event.message}`);
    }
  };
  try {
    gateway = await reachGateway(terminal, caller);
    const connecting = connectSession({
      url: gateway.url,
      resumable: true,
      onConnection: tellConnection(terminal),
      headers: gateway.headers,
      onEvent,
      onAudio: (bytes) => file.write(bytes),
    });
    const client = await sayingFlags(connecting);
    try {
      let listed: (() => Promise<'listed' | 'late'>) | undefined;
      if (vtt === undefined && srt === undefined) await configureSession(client, settings);
      else listed = await configureForWords(client, settings, terminal);
      const ended = Promise.race([client.next('ended'), file.failed]);
      ended.catch(() => {}); // whoever waits for it is told
      const stop = () => {
        speaker.stop();
        if (client.isOpen()) client.send({ type: 'cancel' });
      };
      terminal.interrupted.addEventListener('abort', stop, { once: true });
      if (terminal.interrupted.aborted) return 1;
      if (fitsWhole(text, client.ready)) client.send({ type: 'speak', turn: TURN, text });
      else await Promise.race([speaker.forward(Readable.from([text]), client), ended]);
      end = await ended;
      if (end.outcome !== 'complete') outcome = 'faulty';
      else if (listed !== undefined && ((await listed()) === 'late' || keeper.check(terminal) === 'faulty'))
        outcome = 'faulty';
    } finally {
      speaker.stop();
      client.close();
    }
  } finally {
    await gateway?.stop();
    // What came before a fault, or before an interruption, is kept.
    await Promise.all([
      file.finish(),
      ...captions.map(async ([flag, to, writer]) => {
        if (to !== undefined && keeper.words() > 0)
          await writeOutFile(terminal, flag, to, keeper.write(writer));
      }),
    ]);
  }
  terminal.status('');
  tellAudioFile(terminal, { path: out, bytes: file.bytes(), ended: end });
  return outcome === 'fine' ? 0 : 1;
}

export const narrate: Command = {
  flags: FLAGS,
  operand: 'file',
  help: () =>
    [
      'Usage: voxgate narrate FILE|- --out FILE [--vtt FILE] [--srt FILE] [--voice V] [--speed X] [--url URL] …',
      '',
      'FILE is text or Markdown, with blank lines between paragraphs, or a PDF, DOCX, EPUB, HTML or CSV file; - is standard input. It',
      'is spoken as one turn, as loud as the service made it. Without --url, a gateway is started for it. Ctrl-C leaves what was spoken so far, as a file that plays.',
      '',
      `  --out FILE         where the audio goes; ${audioEndings(SESSION_FORMATS)} choose the format, - is standard output`,
      '  --vtt FILE         captions as WebVTT;  --srt FILE  as SubRip',
      '  --json             lines of JSON on a terminal, too',
      '  --pace P           burst (default): as fast as it is made; realtime',
      '  --format F, --sample-rate N',
      '  --voice V, --voice2 V, --turn-prefix T, --turn-prefix2 T',
      '                     two voices: each takes the text behind its prefix',
      '  --language L, --speed 0.1–5, --seed N, --temperature 0–2',
      ...callerHelp(19),
      '',
      'On a terminal a bar fills; piped, progress is lines of JSON and the last one tells what was written.',
    ].join('\n'),
  run,
};
