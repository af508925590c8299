// `voxgate playnote`: a document as something to listen to: a podcast, a briefing, a story, a debate.

import { openAsBlob } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import type { PlayNoteSource, PlayNoteWish } from '../client/voxgate-client.ts';
import { SYNTHESIS_STYLES } from '../speech/playnote-request.ts';
import { type Command, type Terminal, UsageError } from './command.ts';
import { checkOutFile, download } from './out-file.ts';
import { createProgressTeller } from './progress-line.ts';
import { chooseVoice, reachService, SERVICE_OPTIONS } from './reach-service.ts';
import { readFlags } from './read-flags.ts';

const string = { type: 'string' } as const;
const OPTIONS = {
  ...SERVICE_OPTIONS,
  style: { ...string, default: 'podcast' },
  voices: string,
  voice1: string,
  voice2: string,
  name1: string,
  name2: string,
  name: string,
  language: string,
  out: string,
  captions: string,
  chapters: string,
  script: string,
} as const;

/** Styles that live from two people. */
const FOR_TWO: readonly string[] = ['podcast', 'debate'];

/** Endings of audio that is not mp3: such a file would not be what it is called. */
const OTHER_AUDIO = /\.(?:wav|ogg|oga|opus|flac|m4a|m4b|aac|aiff?|wma|webm|ulaw|alaw|raw|pcm)$/i;

async function openSource(given: string | undefined): Promise<PlayNoteSource> {
  if (given === undefined) throw new UsageError('Name a file or an address: voxgate playnote report.pdf');
  if (/^https?:\/\//i.test(given)) return { url: given };
  try {
    // A blob tells of neither a missing file nor a folder before it is sent.
    const handle = await open(given);
    try {
      await handle.read(Buffer.alloc(1));
    } finally {
      await handle.close();
    }
    return { file: await openAsBlob(given), name: basename(given) };
  } catch (error) {
    throw new UsageError(
      `${JSON.stringify(given)} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unreadable'})`,
    );
  }
}

function readVoices(given: string | undefined, style: string, second: string | undefined): 1 | 2 {
  if (given === undefined) return second !== undefined || FOR_TWO.includes(style) ? 2 : 1;
  if (given === '1' || given === '2') return given === '1' ? 1 : 2;
  throw new UsageError(`--voices is ${JSON.stringify(given)}; allowed: 1, 2`);
}

async function run(terminal: Terminal): Promise<number> {
  const { values, positionals } = readFlags(terminal.args, OPTIONS, 'one');
  const { style, captions, chapters, script } = values;
  if (!(SYNTHESIS_STYLES as readonly string[]).includes(style))
    throw new UsageError(`--style is ${JSON.stringify(style)}; allowed: ${SYNTHESIS_STYLES.join(', ')}`);
  const source = await openSource(positionals[0]);
  const named = 'url' in source ? 'playnote' : basename(source.name, extname(source.name));
  const out = values.out ?? `${named}.mp3`;
  if (OTHER_AUDIO.test(out))
    throw new UsageError(
      `--out is ${JSON.stringify(out)}; a PlayNote is made as mp3: allowed: a name that ends in .mp3`,
    );
  for (const [flag, path] of Object.entries({
    '--out': out,
    '--captions': captions,
    '--chapters': chapters,
    '--script': script,
  }))
    checkOutFile(terminal, flag, path);
  const voices = readVoices(values.voices, style, values.voice2);

  const { client, stop } = await reachService(terminal, values);
  try {
    const wish = {
      synthesisStyle: style as PlayNoteWish['synthesisStyle'],
      voice1: await chooseVoice(client, values.voice1, { flag: '--voice1', gender: 'Female' }),
      voice1Name: values.name1 ?? null,
      ...(voices === 2 && {
        voice2: await chooseVoice(client, values.voice2, { flag: '--voice2', gender: 'Male' }),
        voice2Name: values.name2 ?? null,
      }),
      ...(values.name !== undefined && { name: values.name }),
      ...(values.language !== undefined && {
        language: values.language as NonNullable<PlayNoteWish['language']>,
      }),
    };
    const playNote = await client.playNotes.create(source, wish);
    const signal = terminal.interrupted;
    const onProgress = createProgressTeller(terminal, () => performance.now());
    const ended = await client.playNotes
      .wait(playNote.id, { onProgress, signal })
      .catch(async (error: unknown) => {
        // Nobody waits for it any more.
        if (signal.aborted) await client.playNotes.delete(playNote.id).catch(() => {});
        throw error;
      });
    terminal.status('');
    if (ended.audioUrl === null) {
      terminal.complain(`failed: ${ended.error?.code ?? ''} ${ended.error?.message ?? ''}`.trim());
      return 1;
    }
    await download(ended.audioUrl, out, signal);
    for (const [url, path] of [
      [captions?.endsWith('.srt') ? ended.subtitlesUrl : ended.captionsUrl, captions],
      [ended.chaptersUrl, chapters],
      [ended.scriptUrl, script],
    ] as const)
      if (url !== null && path !== undefined) await download(url, path, signal);
    terminal.print(
      terminal.isInteractive
        ? `${out}: "${ended.name}", ${((ended.duration ?? 0) / 60).toFixed(1)} min`
        : JSON.stringify(ended),
    );
    return 0;
  } finally {
    await stop();
  }
}

export const playnote: Command = {
  help: () =>
    [
      'Usage: voxgate playnote FILE|URL [--style STYLE] [--out FILE] [FLAGS]',
      '',
      'Reads PDF, DOCX, EPUB, HTML, Markdown, text and CSV. Without --url a gateway of its own makes it.',
      '',
      `  --style STYLE     ${SYNTHESIS_STYLES.join(', ')}. Default: podcast`,
      '  --out FILE        Where the mp3 goes. Default: the name of the source, with .mp3',
      '  --voices N        1 or 2. Default: 2 for podcast and debate, else 1',
      '  --voice1 URI, --voice2 URI    Default: the first female and the first male voice',
      '  --name1 NAME, --name2 NAME    How the speakers are called in the script',
      '  --name TITLE      Default: the title of the source',
      '  --language NAME   Default: the language of the source',
      '  --captions FILE   Captions (WebVTT; .srt: SRT); --chapters FILE (WebVTT); --script FILE (JSON with word times)',
      '  --url URL         A running gateway (http://…), with --key KEY and --user ID when it asks for them',
    ].join('\n'),
  run,
};
