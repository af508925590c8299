// The doing of one text-to-speech job: its text as parts, the parts as a file, the words as captions.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { captionsSrt } from '../../captions/sub-rip.ts';
import { captionsVtt } from '../../captions/web-vtt.ts';
import type { SpeechRuntime } from '../../pipeline/speech-runtime.ts';
import type { ServiceFormat } from '../../speech/audio-format.ts';
import type { JobRequest, Quality } from '../../speech/job-request.ts';
import { outputQuality } from '../../speech/output-quality.ts';
import { mediaTypeOf } from '../../speech/reply-media-type.ts';
import { synthesisOf } from '../../speech/speech-request.ts';
import { unheardWishes, wishesOf } from '../../speech/upstream-names.ts';
import type { NewDelivery } from '../../storage/delivery-store.ts';
import type { Work } from '../../storage/works/work.ts';
import type { WorkFiles } from '../../storage/works/work-files.ts';
import { splitIntoRequests } from '../../text/request-text.ts';
import { wholeTextSegments } from '../../text/turn-text.ts';
import type { AudioFinisher } from '../audio-finisher.ts';
import type { OpenShelf } from '../part-shelf.ts';
import { speakParts } from '../speak-parts.ts';
import { servedByInFile, wordsInFile } from '../spoken-timing.ts';
import type { WorkHandler } from '../work-runner.ts';
import { CAPTIONS, type JobInput, type JobOutput, SUBTITLES } from './job-record.ts';

export type JobHandlerOptions = {
  readonly runtime: SpeechRuntime;
  readonly files: WorkFiles;
  readonly finisher: AudioFinisher;
  readonly openShelf: OpenShelf;
  readonly defaultVoice2: string | undefined;
  readonly toDelivery: (work: Work) => NewDelivery | undefined;
};

/** Two minutes of speech: large enough to save quota, small enough for a progress bar. */
const PART_CHARACTERS = 2000;
/** A turbo job is spoken by several voices' worth of requests at once. */
const PARTS_AT_ONCE = { normal: 1, turbo: 3 } as const;
/** Of the whole, in time: what speaking takes before the file is made. */
const SPEAKING_SHARE = 0.9;

/** A format without a header has its rate in its name. */
const fileNameOf = (format: ServiceFormat, sampleRate: number): string => {
  if (format === 'mulaw') return `audio.${sampleRate}.ulaw`;
  return format === 'raw' ? `audio.${sampleRate}.raw` : `audio.${format}`;
};

const titleOf = ({ name, text }: JobRequest): string =>
  name ?? [...text.replace(/\s+/g, ' ').trim()].slice(0, 60).join('');

export function createJobHandler(options: JobHandlerOptions): WorkHandler {
  const { files, finisher } = options;
  return {
    async run(work, tell, signal) {
      const { shown, pronunciations, upstream, wishes = wishesOf({ upstream }) } = work.input as JobInput;
      const request = shown as JobRequest;
      const { turnPrefix, turnPrefix2, language = 'english', markup = 'keep', model } = request;
      const prefixes = { turnPrefix: turnPrefix ?? undefined, turnPrefix2: turnPrefix2 ?? undefined };
      const segments = wholeTextSegments(request.text, { language, markup, ...prefixes });
      const folder = await files.scratch(work.id);

      tell({ phase: 'speaking', progress: 0 });
      const parts = await speakParts(
        {
          runtime: options.runtime,
          synthesis: synthesisOf(request),
          pronunciations,
          seed: request.seed!,
          defaultVoice: undefined,
          defaultVoice2: options.defaultVoice2,
          namedRate: request.sampleRate,
          texts: splitIntoRequests(segments, PART_CHARACTERS, prefixes),
          tenant: work.owner,
          ...unheardWishes(wishes),
          work: work.id,
          shelf: options.openShelf(work.id, folder),
          atOnce: PARTS_AT_ONCE[model === 'VoxDialog-turbo' ? 'turbo' : 'normal'],
          onProgress: (done) => tell({ phase: 'speaking', progress: done * SPEAKING_SHARE }),
        },
        signal,
      );

      const format: ServiceFormat = request.outputFormat ?? 'mp3';
      const quality = outputQuality(
        format,
        'quality' in request ? (request.quality as Quality | undefined) : undefined,
        request.sampleRate,
      );
      const outPath = join(folder, `audio.${format}`);
      tell({ phase: 'finishing', progress: SPEAKING_SHARE });
      const finished = await finisher.finish(
        {
          parts: parts.map(({ path }) => ({ path, gapMs: 0 })),
          outPath,
          format,
          sampleRate: quality.sampleRate,
          bitrateKbps: quality.bitrateKbps,
          title: titleOf(request),
          artist: undefined,
        },
        (done) => tell({ phase: 'finishing', progress: SPEAKING_SHARE + done * (1 - SPEAKING_SHARE) }),
        signal,
      );
      // Positions count over the whole text, independent of the speaker of a line.
      const words = wordsInFile(parts, finished.places).map((word) => ({ ...word, line: 0 }));
      const endMs = finished.durationSeconds * 1000;
      const cues = { lines: [request.text], nameOf: () => undefined, language, endMs };
      const beside = { [CAPTIONS]: captionsVtt(words, cues), [SUBTITLES]: captionsSrt(words, cues) };
      for (const [name, text] of Object.entries(beside)) {
        await writeFile(join(folder, name), text);
        await files.publish(work.id, name, join(folder, name));
      }
      const servedBy = servedByInFile(parts, finished.places);
      const fileName = fileNameOf(format, finished.sampleRate);
      await files.publish(work.id, fileName, outPath);
      return {
        fileName,
        contentType: mediaTypeOf(format, finished.sampleRate),
        fileSize: finished.bytes,
        duration: finished.durationSeconds,
        sampleRate: finished.sampleRate,
        ...(servedBy === undefined ? {} : { servedBy }),
      } satisfies JobOutput;
    },
    toDelivery: options.toDelivery,
    tidy: (work) => (work.status === 'completed' ? files.tidy(work.id) : files.remove(work.id)),
  };
}
