// Conversations between jambonz and the gateway, one line each: who, when (ms since the upgrade), what. They are played
// against the codec alone, in their own time, and against a whole gateway, where a line waits for what stands before it.

import { readFileSync } from 'node:fs';

type JambonzLine =
  | {
      readonly who: 'jambonz';
      readonly atMs: number;
      readonly upgrade: string;
      readonly key: 'right' | 'wrong';
    }
  | { readonly who: 'jambonz'; readonly atMs: number; readonly message: Readonly<Record<string, unknown>> }
  /** `speech`: as long as the text; `later`: held back until a line says `now`; a number: that status. */
  | { readonly who: 'upstream'; readonly atMs: number; readonly answers: 'speech' | 'later' | 'now' | number }
  | { readonly who: 'voxgate'; readonly message: { readonly type: string; readonly error?: string } }
  /** So much audio has come since the upgrade, or since the last `clear`. */
  | { readonly who: 'voxgate'; readonly audioMs: { readonly from: number; readonly to: number } }
  /** Nothing more comes, however long one waits. */
  | { readonly who: 'voxgate'; readonly falls: 'silent' }
  | { readonly who: 'voxgate'; readonly refuses: number }
  | { readonly who: 'voxgate'; readonly closes: number };

export const JAMBONZ_TRANSCRIPTS = [
  'normal-end',
  'barge-in',
  'slow-upstream',
  'upstream-429',
  'wrong-key',
] as const;
export type JambonzTranscript = (typeof JAMBONZ_TRANSCRIPTS)[number];

/** How long the speech service of these conversations speaks for a text. */
export const MS_PER_CHARACTER = 50;

export const readTranscript = (name: JambonzTranscript): readonly JambonzLine[] =>
  readFileSync(new URL(`../../fixtures/dialects/jambonz/${name}.jsonl`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as JambonzLine);

/** s16le: two bytes a sample. */
export const audioMsOf = (bytes: number, sampleRate: number): number => (bytes * 1000) / (2 * sampleRate);
