// Conversations between clients of ElevenLabs' protocols and the gateway, one line each: who, when (ms since the upgrade),
// what. They are played against the codec on a fake clock, in their own time, and against a whole gateway, where a client's
// line only waits for what stands before it. A message of the gateway must come behind the one of the line before; others
// may lie between.

import { readFileSync } from 'node:fs';
import { audioBytes, contextOf, isFinal, type VendorMessage } from './elevenlabs-rig.ts';

export type ElevenLabsLine =
  | {
      readonly who: string;
      readonly atMs: number;
      readonly upgrade: {
        readonly path: string;
        readonly query: string;
        readonly headers?: Readonly<Record<string, string>>;
      };
    }
  | { readonly who: string; readonly atMs: number; readonly message: VendorMessage }
  /** Its fields; `…` is anything that is not empty. */
  | { readonly who: 'voxgate'; readonly message: VendorMessage }
  | { readonly who: 'voxgate'; readonly closes: number };

export const ELEVENLABS_TRANSCRIPTS = ['livekit', 'pipecat', 'pipecat-dialogue', 'stream-input'] as const;
export type ElevenLabsTranscript = (typeof ELEVENLABS_TRANSCRIPTS)[number];

export const readTranscript = (name: ElevenLabsTranscript): readonly ElevenLabsLine[] =>
  readFileSync(new URL(`../../fixtures/dialects/elevenlabs/${name}.jsonl`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as ElevenLabsLine);

const isSomething = (value: unknown): boolean =>
  (typeof value === 'string' || Array.isArray(value)) && value.length > 0;

export function matches(pattern: unknown, value: unknown): boolean {
  if (pattern === '…') return isSomething(value);
  if (typeof pattern !== 'object' || pattern === null) return Object.is(pattern, value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(pattern).every(([name, part]) =>
    matches(part, (value as Readonly<Record<string, unknown>>)[name]),
  );
}

/** What no message of a whole conversation may be, whatever else it says. */
export function faultsOf(messages: readonly VendorMessage[], bytesPerMs: number): string[] {
  const faults: string[] = [];
  const finals = new Map<string, number>();
  messages.forEach((message, index) => {
    const context = contextOf(message) ?? 'default';
    const bytes = audioBytes(message).length;
    if (bytes > 0 && finals.has(context)) faults.push(`${index}: audio of ${context} behind its final`);
    if (bytes / bytesPerMs > 200) faults.push(`${index}: ${bytes / bytesPerMs} ms of audio in one message`);
    if (bytesPerMs >= 16 && bytes % 2 === 1) faults.push(`${index}: half a sample`);
    if (!isFinal(message)) return;
    finals.set(context, (finals.get(context) ?? 0) + 1);
    if (finals.get(context) !== 1) faults.push(`${index}: ${context} is final again`);
  });
  return faults;
}
