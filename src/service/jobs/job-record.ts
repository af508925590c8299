// A text-to-speech job as callers see it (interface 2.2), with our additions: status, progress, error.

import type { ServedBy } from '../../pipeline/speech-services.ts';
import type { AgentUse } from '../../speech/agent-profile.ts';
import type { JobRecord } from '../../speech/service-records.ts';
import type { ServiceWishes } from '../../speech/upstream-names.ts';
import type { Stored, Work } from '../../storage/works/work.ts';
import { codePointLength } from '../../text/code-points.ts';

/** What a job's row holds as its input. */
export type JobInput = {
  /** What the caller is shown: the fields of the request, with defaults and the seed that is used. */
  readonly shown: Stored;
  /** How the agent's words are said. */
  readonly pronunciations?: readonly { readonly written: string; readonly spoken: string }[];
  /** What the request, else its agent, says of the choice among speech services. */
  readonly wishes?: ServiceWishes;
  /** The agent's, in jobs of earlier versions. */
  readonly upstream?: readonly string[];
};

/** What a finished job's row holds as its output. */
export type JobOutput = {
  readonly fileName: string;
  readonly contentType: string;
  /** Bytes. */
  readonly fileSize: number;
  /** Seconds. */
  readonly duration: number;
  readonly sampleRate: number;
  /** Where services have names. */
  readonly servedBy?: readonly ServedBy[];
};

export const CAPTIONS = 'captions.vtt';
export const SUBTITLES = 'captions.srt';

/** `urlOf`: the address of one of the job's files. */
export function toJobRecord(work: Work, urlOf: (name: string) => string): JobRecord {
  const { shown } = work.input as JobInput;
  const output = work.output as JobOutput | undefined;
  return {
    id: work.id,
    createdAt: new Date(work.requestedAtMs).toISOString(),
    input: shown,
    // "Null until the job completes": a failed or cancelled one has no such time.
    completedAt:
      work.status === 'completed' && work.completedAtMs !== undefined
        ? new Date(work.completedAtMs).toISOString()
        : null,
    output:
      output === undefined
        ? {}
        : {
            url: urlOf(output.fileName),
            contentType: output.contentType,
            fileSize: output.fileSize,
            duration: output.duration,
            sampleRate: output.sampleRate,
            ...(output.servedBy === undefined ? {} : { servedBy: [...output.servedBy] }),
            captionsUrl: urlOf(CAPTIONS),
            subtitlesUrl: urlOf(SUBTITLES),
          },
    status: work.status,
    phase: work.phase,
    progress: work.progress,
    error: work.failure ?? null,
  };
}

/**
 * What a finished job adds to the record of its agent: one turn, which nobody has heard yet, so neither a session nor a
 * time to first audio. Undefined for a work that is no completed job, or was made without an agent.
 */
export function jobSpoken(work: Work): { readonly agentId: string; readonly use: AgentUse } | undefined {
  if (work.kind !== 'tts' || work.status !== 'completed') return undefined;
  const { agent, text } = (work.input as JobInput).shown as { agent?: string; text: string };
  if (agent === undefined) return undefined;
  const { duration } = work.output as JobOutput;
  return { agentId: agent, use: { turns: 1, characters: codePointLength(text), spokenMs: duration * 1000 } };
}
