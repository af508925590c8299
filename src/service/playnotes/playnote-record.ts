// A PlayNote as callers see it (interface 2.1), with our additions: phase, progress, error and what lies beside the audio.

import { fileNameOf } from '../../base/addresses/shown-address.ts';
import type { PlayNoteFields } from '../../speech/playnote-request.ts';
import type { PlayNoteRecord } from '../../speech/service-records.ts';
import type { Work } from '../../storage/works/work.ts';

/** What a PlayNote's row holds as its input. */
export type PlayNoteInput = {
  readonly fields: PlayNoteFields;
  /** What the uploaded file was called; undefined for one that is fetched. */
  readonly uploadName: string | undefined;
  readonly uploadType: string | undefined;
  readonly seed: number;
};

/** What a finished PlayNote's row holds as its output. */
export type PlayNoteOutput = {
  readonly title: string;
  readonly fileName: string;
  readonly contentType: string;
  /** Bytes that its owner's room is charged with: of the audio, and of the uploaded source that is kept beside it. */
  readonly fileSize: number;
  /** Seconds. */
  readonly duration: number;
};

/** Files of a PlayNote beside its audio. */
export const SOURCE = 'source.bin';
export const SCRIPT = 'script.json';
export const CAPTIONS = 'captions.vtt';
export const SUBTITLES = 'captions.srt';
export const CHAPTERS = 'chapters.vtt';

const statusOf = ({ status }: Work): PlayNoteRecord['status'] => {
  if (status === 'completed') return 'completed';
  return status === 'waiting' || status === 'running' ? 'generating' : 'failed';
};

const nameOf = ({ fields, uploadName }: PlayNoteInput, output: PlayNoteOutput | undefined): string =>
  fields.name ??
  output?.title ??
  uploadName?.replace(/\.[a-z0-9]{1,5}$/i, '') ??
  new URL(fields.sourceFileUrl!).hostname;

/** What the source is called: of an address the last part of its path, else its host. */
function sourceNameOf({ fields, uploadName }: PlayNoteInput): string {
  if (fields.sourceFileUrl === undefined) return uploadName ?? 'document';
  const address = new URL(fields.sourceFileUrl);
  return fileNameOf(address) ?? address.hostname;
}

/** `urlOf`: the address of one of the PlayNote's files. */
export function toPlayNoteRecord(work: Work, urlOf: (name: string) => string): PlayNoteRecord {
  const input = work.input as PlayNoteInput;
  const { fields } = input;
  const output = work.output as PlayNoteOutput | undefined;
  const iso = (ms: number) => new Date(ms).toISOString();
  const urlWhenDone = (name: string) => (output === undefined ? null : urlOf(name));
  return {
    id: work.id,
    ownerId: work.owner,
    name: nameOf(input, output),
    sourceFileUrl: fields.sourceFileUrl ?? urlOf(SOURCE),
    sourceName: sourceNameOf(input),
    audioUrl: output === undefined ? null : urlOf(output.fileName),
    synthesisStyle: fields.synthesisStyle,
    voice1: fields.voice1,
    ...(fields.voice1Name == null ? {} : { voice1Name: fields.voice1Name }),
    ...(fields.voice1Gender == null ? {} : { voice1Gender: fields.voice1Gender }),
    voice2: fields.voice2 ?? null,
    voice2Name: fields.voice2Name ?? null,
    voice2Gender: fields.voice2Gender ?? null,
    ...(fields.webHookUrl === undefined ? {} : { webHookUrl: fields.webHookUrl }),
    status: statusOf(work),
    duration: output?.duration ?? null,
    requestedAt: iso(work.requestedAtMs),
    createdAt: output === undefined || work.completedAtMs === undefined ? null : iso(work.completedAtMs),
    phase: work.phase,
    progress: work.progress,
    error: work.failure ?? null,
    scriptUrl: urlWhenDone(SCRIPT),
    captionsUrl: urlWhenDone(CAPTIONS),
    subtitlesUrl: urlWhenDone(SUBTITLES),
    chaptersUrl: urlWhenDone(CHAPTERS),
  };
}
