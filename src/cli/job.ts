// `voxgate job`: a text as a finished audio file, made by a text-to-speech job.

import { extname } from 'node:path';
import type { JobFields, TurboFields } from '../client/voxgate-client.ts';
import { AUDIO_FORMATS } from '../speech/audio-format.ts';
import { JOB_MODELS, QUALITIES, TURBO_MODEL } from '../speech/job-request.ts';
import { type Command, type Terminal, UsageError } from './command.ts';
import { checkOutFile, download } from './out-file.ts';
import { createProgressTeller } from './progress-line.ts';
import { chooseVoice, reachService, SERVICE_OPTIONS } from './reach-service.ts';
import { readFlags } from './read-flags.ts';
import { readTextFile, readWholeInput } from './text-input.ts';

const string = { type: 'string' } as const;
const OPTIONS = {
  ...SERVICE_OPTIONS,
  file: string,
  out: string,
  captions: string,
  model: string,
  quality: string,
  format: string,
  'sample-rate': string,
  voice: string,
  voice2: string,
  'turn-prefix': string,
  'turn-prefix2': string,
  language: string,
  speed: string,
  seed: string,
  temperature: string,
  name: string,
  agent: string,
} as const;

const FORMAT_OF: Readonly<Record<string, string>> = { '.ulaw': 'mulaw', '.pcm': 'raw' };
const TEXT_FLAGS = ['quality', 'voice2', 'language', 'name', 'agent', 'turn-prefix', 'turn-prefix2'] as const;
const NUMBER_FLAGS = ['sample-rate', 'speed', 'seed', 'temperature'] as const;

const camel = (flag: string) => flag.replace(/-(.)/g, (_match, letter: string) => letter.toUpperCase());

function formatOf(out: string, given: string | undefined): string {
  const ending = extname(out).toLowerCase();
  const format = given ?? FORMAT_OF[ending] ?? ending.slice(1);
  if ((AUDIO_FORMATS as readonly string[]).includes(format)) return format;
  const named =
    given === undefined ? `--out is ${JSON.stringify(out)}` : `--format is ${JSON.stringify(given)}`;
  throw new UsageError(`${named}; allowed: ${AUDIO_FORMATS.join(', ')}, as --format or as the file's ending`);
}

async function readText(
  terminal: Terminal,
  given: string | undefined,
  file: string | undefined,
): Promise<{ readonly text: string; readonly markup?: 'strip' | 'keep' }> {
  if (given !== undefined && file !== undefined) throw new UsageError('Give a text or --file, not both.');
  if (given !== undefined) return { text: given };
  if (file !== undefined) return readTextFile(terminal, '--file', file);
  if (terminal.input.isTTY === true)
    throw new UsageError(
      `Give a text or --file: ${terminal.programName} job --file chapter.txt --out chapter.mp3`,
    );
  return { text: await readWholeInput(terminal.input) };
}

type Values = { readonly [Flag in keyof typeof OPTIONS]?: string | undefined };

/** What the gateway checks is not checked twice; only what would be lost on the way is. */
function readFields(
  values: Values,
  said: Awaited<ReturnType<typeof readText>>,
  voice: string | undefined,
): Record<string, unknown> {
  const { out, model } = values;
  const fields: Record<string, unknown> = { ...said, outputFormat: formatOf(out!, values.format) };
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

async function run(terminal: Terminal): Promise<number> {
  const { values, positionals } = readFlags(terminal.args, OPTIONS, 'one');
  const { out, captions } = values;
  if (out === undefined) throw new UsageError('--out is missing: where is the file to go, as speech.mp3?');
  formatOf(out, values.format);
  checkOutFile(terminal, '--out', out);
  checkOutFile(terminal, '--captions', captions);
  const said = await readText(terminal, positionals[0], values.file);

  const { client, stop } = await reachService(terminal, values);
  try {
    const voice = await chooseVoice(client, values.voice, { flag: '--voice', gender: 'Female' });
    const fields = readFields(values, said, voice);
    const job =
      values.model === TURBO_MODEL
        ? await client.jobs.createTurbo(fields as TurboFields)
        : await client.jobs.create(fields as JobFields);
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
      terminal.complain(`${ended.status}: ${error?.code ?? ''} ${error?.message ?? ''}`.trim());
      return 1;
    }
    await download(output.url, out, signal);
    if (captions !== undefined) {
      const url = captions.endsWith('.srt') ? output.subtitlesUrl : output.captionsUrl;
      await download(url, captions, signal);
    }
    terminal.print(
      terminal.isInteractive
        ? `${out}: ${output.duration?.toFixed(1)} s, ${output.contentType}, ${output.fileSize} bytes`
        : JSON.stringify(ended),
    );
    return 0;
  } finally {
    await stop();
  }
}

export const job: Command = {
  help: () =>
    [
      'Usage: voxgate job ["text" | --file FILE] --out FILE [FLAGS]',
      '',
      'FILE is a text or a document (PDF, DOCX, EPUB, HTML, Markdown, CSV), as is standard input, which is read when no text is given. Without --url it is spoken by a gateway of its own.',
      '',
      '  --out FILE         Where the audio goes; its ending says the format',
      '  --captions FILE    Where captions go (WebVTT, or SRT by its ending)',
      `  --model MODEL      ${[...JOB_MODELS, TURBO_MODEL].join(', ')}`,
      `  --quality HOW      ${QUALITIES.join(', ')} (Vox3.0-mini only)`,
      `  --format FORMAT    ${AUDIO_FORMATS.join(', ')}`,
      '  --sample-rate HZ   8000 to 48000',
      '  --voice URI        Default: the first female voice; --voice2, --turn-prefix, --turn-prefix2 for a dialogue',
      '  --language NAME    english, german, …',
      '  --speed X          0.1 to 5; --seed N and --temperature X as in the service’s interface',
      '  --name TITLE       The title inside the file',
      '  --agent ID         An agent whose profile fills what is absent',
      '  --url URL          A running gateway (http://…), with --key KEY and --user ID when it asks for them',
    ].join('\n'),
  run,
};
