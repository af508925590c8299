// The doing of one PlayNote: fetch or take the source, read it, write a script of it, speak that, make the files. The
// script is kept as soon as it is written, and each part as soon as it is spoken, so that a restart goes on there.

import { createWriteStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileNameOf } from '../../base/addresses/shown-address.ts';
import { AppError, toAppError } from '../../base/app-error.ts';
import { pause } from '../../base/pause.ts';
import { captionsSrt } from '../../captions/sub-rip.ts';
import { captionsVtt, chaptersVtt } from '../../captions/web-vtt.ts';
import type { SpeechRuntime } from '../../pipeline/speech-runtime.ts';
import type { SourceReader } from '../../reading/source-reader.ts';
import type { Script, Speakers } from '../../script/script.ts';
import { unheardWishes, wishesOf } from '../../speech/upstream-names.ts';
import type { NewDelivery } from '../../storage/delivery-store.ts';
import type { Work } from '../../storage/works/work.ts';
import type { WorkFiles } from '../../storage/works/work-files.ts';
import type { ActiveSlots } from '../active-slots.ts';
import type { AudioFinisher } from '../audio-finisher.ts';
import type { GuardedFetch } from '../fetch/guarded-fetch.ts';
import { writeWholeFile } from '../finishing/whole-file.ts';
import type { OpenShelf } from '../part-shelf.ts';
import { speakParts } from '../speak-parts.ts';
import { wordsInFile } from '../spoken-timing.ts';
import type { WorkHandler, WorkProgress } from '../work-runner.ts';
import {
  CAPTIONS,
  CHAPTERS,
  type PlayNoteInput,
  type PlayNoteOutput,
  SCRIPT,
  SOURCE,
  SUBTITLES,
} from './playnote-record.ts';
import { linesOf, toScriptParts, toTimedScript } from './playnote-script.ts';
import type { ScriptWriter } from './script-writer.ts';

export type PlayNoteHandlerOptions = {
  readonly runtime: SpeechRuntime;
  readonly files: WorkFiles;
  readonly fetch: GuardedFetch;
  readonly reader: SourceReader;
  readonly writer: ScriptWriter;
  readonly finisher: AudioFinisher;
  readonly openShelf: OpenShelf;
  readonly slots: ActiveSlots;
  readonly mostSourceBytes: number;
  readonly toDelivery: (work: Work) => NewDelivery | undefined;
};

const FETCH_DEADLINE_MS = 60_000;
const SLOT_DEADLINE_MS = 10 * 60_000;
const SLOT_RETRY_MS = 2000;
/** Where each phase begins, as a share of the whole in time. */
const BEGINS = { fetching: 0, reading: 0.02, writing: 0.05, speaking: 0.08, finishing: 0.92 } as const;
const AUDIO = 'playnote.mp3';

const speakersOf = ({ fields }: PlayNoteInput): Speakers => ({
  name1: fields.voice1Name ?? undefined,
  name2: fields.voice2Name ?? undefined,
  voices: fields.voice2 == null ? 1 : 2,
});

export function createPlayNoteHandler(options: PlayNoteHandlerOptions): WorkHandler {
  const { files, fetch, reader, writer, finisher } = options;

  /** Waits while it cannot be told who has the slot: accepted work is not lost to an outage. */
  const claimSlot = async (work: Work, signal: AbortSignal): Promise<boolean> => {
    const { clock } = options.runtime;
    const untilMs = clock.now() + SLOT_DEADLINE_MS;
    for (;;) {
      try {
        return await options.slots.claim(work.owner, work.id);
      } catch (error) {
        if (toAppError(error).code !== 'busy' || clock.now() >= untilMs) throw error;
        await pause(SLOT_RETRY_MS, clock, signal);
      }
    }
  };

  /** The source as a file that the reader can open. */
  const bringSource = async (work: Work, folder: string, signal: AbortSignal) => {
    const { fields, uploadName, uploadType } = work.input as PlayNoteInput;
    const path = join(folder, 'source');
    if (fields.sourceFileUrl === undefined) {
      const stored = await files.find(work.id, SOURCE);
      if (stored === undefined) throw new AppError('internal', 'The uploaded file is gone.');
      await pipeline(stored.open(), createWriteStream(path), { signal });
      return { path, name: uploadName, contentType: uploadType };
    }
    const { contentType, finalUrl } = await fetch.download(
      fields.sourceFileUrl,
      { toPath: path, mostBytes: options.mostSourceBytes, deadlineMs: FETCH_DEADLINE_MS },
      signal,
    );
    return { path, name: fileNameOf(new URL(finalUrl)), contentType };
  };

  const writeScript = async (
    work: Work,
    folder: string,
    tell: (progress: WorkProgress) => void,
    signal: AbortSignal,
  ): Promise<Script> => {
    const input = work.input as PlayNoteInput;
    if (input.fields.sourceFileUrl !== undefined) tell({ phase: 'fetching', progress: BEGINS.fetching });
    const source = await bringSource(work, folder, signal);
    tell({ phase: 'reading', progress: BEGINS.reading });
    const document = await reader.read(source, work.owner, signal);
    tell({ phase: 'writing', progress: BEGINS.writing });
    return writer.write(
      document,
      {
        style: input.fields.synthesisStyle,
        speakers: speakersOf(input),
        language: input.fields.language ?? document.language ?? 'english',
        seed: input.seed,
      },
      signal,
    );
  };

  /** What an earlier attempt has written, or a new one. */
  const findScript = async (...wish: Parameters<typeof writeScript>): Promise<Script> => {
    const [work, folder] = wish;
    const path = join(folder, SCRIPT);
    if (await files.recover(work.id, SCRIPT))
      try {
        return JSON.parse(await readFile(path, 'utf8')) as Script;
      } catch {
        // Damaged: another one is written.
      }
    const script = await writeScript(...wish);
    await writeWholeFile(path, async (unfinished) => {
      await writeFile(unfinished, JSON.stringify(script));
      await files.checkpoint(work.id, SCRIPT, unfinished);
      return {};
    });
    return script;
  };

  return {
    async run(work, tell, signal) {
      const input = work.input as PlayNoteInput;
      const { fields, seed } = input;
      if (!(await claimSlot(work, signal)))
        throw new AppError(
          'interrupted',
          'It was interrupted, and another generation of this user has begun since.',
        );
      const folder = await files.scratch(work.id);
      const script = await findScript(work, folder, tell, signal);
      const speakers = speakersOf(input);
      const scriptParts = toScriptParts(script, speakers);

      const share = (from: number, to: number, done: number) => from + (to - from) * done;
      const speaking = (done: number) =>
        tell({ phase: 'speaking', progress: share(BEGINS.speaking, BEGINS.finishing, done) });
      speaking(0);
      const parts = await speakParts(
        {
          runtime: options.runtime,
          synthesis: { voice: fields.voice1, voice2: fields.voice2, language: script.language },
          seed,
          defaultVoice: undefined,
          defaultVoice2: undefined,
          texts: scriptParts.map(({ text }) => text),
          tenant: work.owner,
          ...unheardWishes(wishesOf(fields)),
          work: work.id,
          shelf: options.openShelf(work.id, folder),
          atOnce: 1,
          onProgress: speaking,
        },
        signal,
      );

      const title = fields.name ?? script.title;
      const outPath = join(folder, AUDIO);
      const finishing = (done: number) =>
        tell({ phase: 'finishing', progress: share(BEGINS.finishing, 1, done) });
      finishing(0);
      const finished = await finisher.finish(
        {
          parts: parts.map(({ path }, index) => ({
            path,
            gapMs: index === parts.length - 1 ? 0 : (scriptParts[index]?.gapMs ?? 0),
          })),
          outPath,
          format: 'mp3',
          sampleRate: undefined,
          bitrateKbps: undefined,
          title,
          artist:
            [speakers.name1, speakers.name2].filter((name) => name !== undefined).join(', ') || undefined,
        },
        finishing,
        signal,
      );

      const words = wordsInFile(parts, finished.places);
      const timed = toTimedScript(script, words, finished.durationSeconds * 1000);
      const nameOf = (speaker: 1 | 2 | undefined) => (speaker === 2 ? speakers.name2 : speakers.name1);
      const endMs = finished.durationSeconds * 1000;
      const cues = {
        lines: linesOf(script).map(({ text }) => text),
        nameOf,
        language: script.language,
        endMs,
      };
      const beside = {
        [SCRIPT]: JSON.stringify(timed),
        [CAPTIONS]: captionsVtt(words, cues),
        [SUBTITLES]: captionsSrt(words, cues),
        [CHAPTERS]: chaptersVtt(timed.chapters),
      };
      for (const [name, text] of Object.entries(beside)) {
        const path = join(folder, `${name}.out`);
        await writeFile(path, text);
        await files.publish(work.id, name, path);
      }
      await files.publish(work.id, AUDIO, outPath);
      const source = await files.find(work.id, SOURCE);
      return {
        title,
        fileName: AUDIO,
        contentType: 'audio/mpeg',
        fileSize: finished.bytes + (source?.bytes ?? 0),
        duration: finished.durationSeconds,
      } satisfies PlayNoteOutput;
    },
    toDelivery: options.toDelivery,
    async tidy(work) {
      await options.slots.release(work.owner, work.id);
      await (work.status === 'completed' ? files.tidy(work.id) : files.remove(work.id));
    },
  };
}
