// `voxgate playnote`: a document as something to listen to: a podcast, a briefing, a story, a debate.

import { openAsBlob, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { fileNameOf, shownAddress } from '../base/addresses/shown-address.ts';
import type { PlayNoteSource, PlayNoteWish } from '../client/voxgate-client.ts';
import { LANGUAGES } from '../speech/language.ts';
import { SYNTHESIS_STYLES } from '../speech/playnote-request.ts';
import { CALLER_FLAGS, callerHelp, keyFileOf, readCaller } from './caller/caller.ts';
import { type Command, FILE, JSON_FLAG, STRING, type Terminal, UsageError } from './command.ts';
import { checkInputs, readInputFile } from './input/read-input.ts';
import { tellBeside } from './output/beside-result.ts';
import { captionFormatOf, checkAudioEnding, STANDARD } from './output/file-endings.ts';
import { checkOutFile, download } from './output/out-file.ts';
import { passInterruptOn, systemWords } from './output/system-words.ts';
import { createProgressTeller } from './progress-line.ts';
import { chooseVoice, endedRecord, reachService } from './reach-service.ts';
import { readFlags } from './read-flags.ts';
import { failedLine, sayingFlags } from './words-of-flags.ts';

const FLAGS = {
  ...CALLER_FLAGS,
  ...JSON_FLAG,
  style: { type: 'string', default: 'podcast', completes: SYNTHESIS_STYLES },
  voices: { type: 'string', completes: ['1', '2'] },
  voice1: STRING,
  voice2: STRING,
  name1: STRING,
  name2: STRING,
  name: STRING,
  language: { type: 'string', completes: LANGUAGES },
  out: { ...FILE, empty: 'refused' },
  captions: FILE,
  chapters: FILE,
  script: FILE,
} as const;

const ADDRESS = /^https?:\/\//i;

/** Styles that live from two people. */
const FOR_TWO: readonly string[] = ['podcast', 'debate'];

/** A blob tells of neither a missing file nor a folder before it is sent. */
async function openFile(path: string): Promise<Blob> {
  const handle = await open(path);
  try {
    await handle.read(Buffer.alloc(1));
  } finally {
    await handle.close();
  }
  return openAsBlob(path);
}

async function openSource(terminal: Terminal, given: string | undefined): Promise<PlayNoteSource> {
  if (given === undefined)
    throw new UsageError('Name a file or an address, or - for standard input: voxgate playnote report.pdf');
  if (ADDRESS.test(given)) return { url: given };
  const isPiped = given === STANDARD;
  try {
    // What is no plain file can be read once, and not looked into before.
    const isPlain = !isPiped && !statSync(given).isFIFO();
    const file = isPlain ? await openFile(given) : new Blob([await readInputFile(terminal, given)]);
    return { file, name: isPiped ? 'source' : basename(given) };
  } catch (error) {
    passInterruptOn(error);
    const what = isPiped ? 'Standard input' : JSON.stringify(given);
    throw new UsageError(`${what} cannot be read: ${systemWords(error)}`);
  }
}

/** What the mp3 is called that nobody named: as its source is. */
function stemOf(given: string | undefined): string {
  const isAddress = given !== undefined && ADDRESS.test(given) && URL.canParse(given);
  const name = isAddress ? fileNameOf(new URL(given)) : given === STANDARD ? undefined : given;
  return name === undefined ? 'playnote' : basename(name, extname(name));
}

/** How the source is called in what is said of it. */
const nameOf = (given: string | undefined): string =>
  given === undefined || given === STANDARD
    ? 'Standard input'
    : ADDRESS.test(given)
      ? shownAddress(given)
      : JSON.stringify(given);

function readVoices(given: string | undefined, style: string, second: string | undefined): 1 | 2 {
  if (given === undefined) return second !== undefined || FOR_TWO.includes(style) ? 2 : 1;
  if (given === '1' || given === '2') return given === '1' ? 1 : 2;
  throw new UsageError(`--voices is ${JSON.stringify(given)}; allowed: 1, 2`);
}

async function run(raw: Terminal): Promise<number> {
  const { values, positionals } = readFlags(raw.args, FLAGS, 'one');
  const { style, captions, chapters, script } = values;
  if (!(SYNTHESIS_STYLES as readonly string[]).includes(style))
    throw new UsageError(`--style is ${JSON.stringify(style)}; allowed: ${SYNTHESIS_STYLES.join(', ')}`);
  const given = positionals[0];
  checkInputs({ FILE: given, ...keyFileOf(raw, values) });
  const out = values.out ?? `${stemOf(given)}.mp3`;
  checkAudioEnding(out, 'mp3', 'a PlayNote is made as mp3');
  const captionsAs =
    captions === undefined ? 'vtt' : captionFormatOf('--captions', captions, ['vtt', 'srt'], 'taken');
  if (chapters !== undefined) captionFormatOf('--chapters', chapters, ['vtt'], 'taken');
  if (script !== undefined) captionFormatOf('--script', script, ['json'], 'taken');
  const texts = { '--captions': captions, '--chapters': chapters, '--script': script };
  const terminal = tellBeside(raw, {
    json: values.json,
    results: [
      { flag: '--out', path: out, holds: 'audio' },
      ...Object.entries(texts).map(([flag, path]) => ({ flag, path, holds: 'text' as const })),
    ],
  });
  const caller = await readCaller(terminal, values);
  for (const [flag, path] of Object.entries({ '--out': out, ...texts })) checkOutFile(terminal, flag, path);
  const source = await openSource(terminal, given);
  const voices = readVoices(values.voices, style, values.voice2);

  const { client, whose, stop } = await reachService(terminal, caller);
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
    const playNote = await sayingFlags(client.playNotes.create(source, wish));
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
      terminal.complain(failedLine(nameOf(given), ended.status, ended.error));
      return 1;
    }
    await download(terminal, ended.audioUrl, '--out', out);
    for (const [url, flag, path] of [
      [captionsAs === 'srt' ? ended.subtitlesUrl : ended.captionsUrl, '--captions', captions],
      [ended.chaptersUrl, '--chapters', chapters],
      [ended.scriptUrl, '--script', script],
    ] as const)
      if (url !== null && path !== undefined) await download(terminal, url, flag, path);
    terminal.print(
      terminal.isInteractive
        ? `${out}: "${ended.name}", ${((ended.duration ?? 0) / 60).toFixed(1)} min`
        : endedRecord(ended, whose, { out, captions, chapters, script }),
    );
    return 0;
  } finally {
    await stop();
  }
}

export const playnote: Command = {
  flags: FLAGS,
  operand: 'file',
  help: () =>
    [
      'Usage: voxgate playnote FILE|URL|- [--style STYLE] [--out FILE] [FLAGS]',
      '',
      'Reads PDF, DOCX, EPUB, HTML, Markdown, text and CSV. Without --url a gateway of its own makes it.',
      '',
      `  --style STYLE     ${SYNTHESIS_STYLES.join(', ')}. Default: podcast`,
      '  --out FILE        Where the mp3 goes, - is standard output. Default: the name of the source, with .mp3',
      '  --voices N        1 or 2. Default: 2 for podcast and debate, else 1',
      '  --voice1 V, --voice2 V    Default: the first female and the first male voice',
      '  --name1 NAME, --name2 NAME    How the speakers are called in the script',
      '  --name TITLE      Default: the title of the source',
      '  --language NAME   Default: the language of the source',
      '  --captions FILE   Captions (WebVTT; .srt: SRT); --chapters FILE (WebVTT); --script FILE (JSON with word times)',
      '  --json            Lines of JSON on a terminal, too',
      ...callerHelp(18),
    ].join('\n'),
  run,
};
