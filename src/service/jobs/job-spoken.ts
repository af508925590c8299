// What a finished job adds to the record of the agent that it was made with: one turn, heard by nobody yet, so neither a
// session nor a time to first audio.

import type { AgentUse } from '../../storage/agent-store.ts';
import type { Work } from '../../storage/works/work.ts';
import { codePointLength } from '../../text/code-points.ts';
import type { JobInput, JobOutput } from './job-record.ts';

/** Undefined for what is no completed job, or was made without an agent. */
export function jobSpoken(work: Work): { readonly agentId: string; readonly use: AgentUse } | undefined {
  if (work.kind !== 'tts' || work.status !== 'completed') return undefined;
  const { agent, text } = (work.input as JobInput).shown as { agent?: string; text: string };
  if (agent === undefined) return undefined;
  const { duration } = work.output as JobOutput;
  return { agentId: agent, use: { turns: 1, characters: codePointLength(text), spokenMs: duration * 1000 } };
}
