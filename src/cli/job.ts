// `voxgate job`: a text as a finished audio file, made by a text-to-speech job.

import type { JobFields, TurboFields } from '../client/voxgate-client.ts';
import { AUDIO_FORMATS } from '../speech/audio-format.ts';
import { JOB_MODELS, QUALITIES, TURBO_MODEL } from '../speech/job-request.ts';
import { LANGUAGES } from '../speech/language.ts';
import { CALLER_FLAGS, callerHelp, checkAgent, keyFileOf, readCaller } from './caller/caller.ts';
import { type Command, FILE, JSON_FLAG, NOT_EMPTY, STRING, type Terminal, UsageError } from './command.ts';
import { checkInputs } from './input/read-input.ts';
import { tellBeside } from './output/beside-result.ts';
import { audioEndings, audioFormatOf, captionFormatOf, STANDARD } from './output/file-endings.ts';
import { checkOutFile, download } from './output/out-file.ts';
import { createProgressTeller } from './progress-line.ts';
import { chooseVoice, endedRecord, reachService } from './reach-service.ts';
import { readFlags } from './read-flags.ts';
import { readTextFile, readWholeInput } from './text-input.ts';
import { failedLine, sayingFlags } from './words-of-flags.ts';

const FLAGS = {
  ...CALLER_FLAGS,
  ...JSON_FLAG,
  file: FILE,
  out: FILE,
  captions: FILE,
  model: { type: 'string', completes: [...JOB_MODELS, TURBO_MODEL] },
  quality: { type: 'string', completes: QUALITIES },
  format: { type: 'string', completes: AUDIO_FORMATS },
  'sample-rate': STRING,
  voice: STRING,
  voice2: STRING,
  'turn-prefix': STRING,
  'turn-prefix2': STRING,
  language: { type: 'string', completes: LANGUAGES },
  speed: STRING,
  seed: STRING,
  temperature: STRING,
  name: STRING,
  agent: NOT_EMPTY,
} as const;

const TEXT_FLAGS = ['quality', 'voice2', 'language', 'name', 'agent', 'turn-prefix', 'turn-prefix2'] as const;
const NUMBER_FLAGS = ['sample-rate', 'speed', 'seed', 'temperature'] as const;

const camel = (flag: string) => flag.replace(/-(.)/g, (_match, letter: string) => letter.toUpperCase());

async function readText(
  terminal: Terminal,
  given: string | undefined,
  file: string | undefined,
): Promise<{ readonly text: string; readonly markup?: 'strip' | 'keep' }> {
  if (given !== undefined && file !== undefined) throw new UsageError('Give a text or --file, not both.');
  if (given !== undefined && given !== STANDARD) return { text: given };
  if (file !== undefined) return readTextFile(terminal, '--file', file);
  if (given === undefined && terminal.input.isTTY === true)
    throw new UsageError(
      `Give a text or --file: ${terminal.programName} job --file chapter.txt --out chapter.mp3`,
    );
  return { text: await readWholeInput(terminal) };
}

type Values = Readonly<Partial<Record<Exclude<keyof typeof FLAGS, 'json'>, string>>>;

/** What the gateway checks is not checked twice; only what would be lost on the way is. */
function readFields(
  values: Values,
  said: Awaited<ReturnType<typeof readText>>,
  voice: string | undefined,
  outputFormat: string,
): Record<string, unknown> {
  const { model } = values;
  const fields: Record<string, unknown> = { ...said, outputFormat };
  if (voice !== undefined) fields.voice = voice;
  if (model !== undefined && model !== TURBO_MODEL) fields.model = model;
  for (const flag of TEXT_FLAGS) if (values[flag] !== undefined) fields[camel(flag)] = values[flag];
  for (const flag of NUMBER_FLAGS) {
    const given = values[flag];
    if (given === undefined) continue;
    const value = given.trim() === '' ? Number.NaN : Number(given);
    if (Number.isNaN(value)) throw new UsageError(`--${flag} is ${JSON.stringify(given)}; allowed: a number`);
    fields[camel(flag)] = value;
  }
  return fields;
}

async function run(raw: Terminal): Promise<number> {
  const { values, positionals } = readFlags(raw.args, FLAGS, 'one');
  const { out, captions } = values;
  if (out === undefined) throw new UsageError('--out is missing: where is the file to go, as speech.mp3?');
  const format = audioFormatOf(out, values.format, AUDIO_FORMATS);
  const captionsAs =
    captions === undefined ? 'vtt' : captionFormatOf('--captions', captions, ['vtt', 'srt'], 'taken');
  checkInputs(
    { TEXT: positionals[0], '--file': values.file, ...keyFileOf(raw, values) },
    positionals[0] === undefined && values.file === undefined ? 'TEXT' : undefined,
  );
  const terminal = tellBeside(raw, {
    json: values.json,
    results: [
      { flag: '--out', path: out, holds: 'audio' },
      { flag: '--captions', path: captions, holds: 'text' },
    ],
  });
  const caller = await readCaller(terminal, values);
  checkAgent(caller, values.agent);
  checkOutFile(terminal, '--out', out);
  checkOutFile(terminal, '--captions', captions);
  const said = await readText(terminal, positionals[0], values.file);

  const { client, whose, stop } = await reachService(terminal, caller);
  try {
    const voice = await chooseVoice(client, values.voice, { flag: '--voice', gender: 'Female' });
    const fields = readFields(values, said, voice, format);
    const what = values.file === undefined ? 'The text' : JSON.stringify(values.file);
    const job = await sayingFlags(
      values.model === TURBO_MODEL
        ? client.jobs.createTurbo(fields as TurboFields)
        : client.jobs.create(fields as JobFields),
      `${what} is larger than a job takes; narrate speaks long texts: ${terminal.programName} narrate ${values.file ?? '-'} --out ${out}`,
    );
    const signal = terminal.interrupted;
    const onProgress = createProgressTeller(terminal, () => performance.now());
    const ended = await client.jobs.wait(job.id, { onProgress, signal }).catch(async (error: unknown) => {
      // Nobody waits for it any more.
      if (signal.aborted) await client.jobs.cancel(job.id).catch(() => {});
      throw error;
    });
    terminal.status('');
    const { output, error } = ended;
    if (
      ended.status !== 'completed' ||
      output.url === undefined ||
      output.captionsUrl === undefined ||
      output.subtitlesUrl === undefined
    ) {
      terminal.complain(failedLine(what, ended.status, error));
      return 1;
    }
    await download(terminal, output.url, '--out', out);
    if (captions !== undefined) {
      const url = captionsAs === 'srt' ? output.subtitlesUrl : output.captionsUrl;
      await download(terminal, url, '--captions', captions);
    }
    terminal.print(
      terminal.isInteractive
        ? `${out}: ${output.duration?.toFixed(1)} s, ${output.contentType}, ${output.fileSize} bytes`
        : endedRecord(ended, whose, { out, captions }),
    );
    return 0;
  } finally {
    await stop();
  }
}

export const job: Command = {
  flags: FLAGS,
  help: () =>
    [
      'Usage: voxgate job ["text" | - | --file FILE] --out FILE [FLAGS]',
      '',
      'FILE is a text or a document (PDF, DOCX, EPUB, HTML, Markdown, CSV), as is standard input, which is read when no text is given, or -. Without --url it is spoken by a gateway of its own.',
      '',
      `  --out FILE         Where the audio goes; ${audioEndings(AUDIO_FORMATS)} choose the format, - is standard output`,
      '  --captions FILE    Where captions go (WebVTT, or SRT by its ending)',
      '  --json             Lines of JSON on a terminal, too',
      `  --model MODEL      ${[...JOB_MODELS, TURBO_MODEL].join(', ')}`,
      `  --quality HOW      ${QUALITIES.join(', ')} (Vox3.0-mini only)`,
      `  --format FORMAT    ${AUDIO_FORMATS.join(', ')}`,
      '  --sample-rate HZ   8000 to 48000',
      '  --voice VOICE      Default: the first female voice; --voice2, --turn-prefix, --turn-prefix2 for a dialogue',
      '  --language NAME    english, german, …',
      '  --speed X          0.1 to 5; --seed N and --temperature X as in the service’s interface',
      '  --name TITLE       The title inside the file',
      '  --agent ID         An agent whose profile fills what is absent',
      ...callerHelp(19),
    ].join('\n'),
  run,
};
