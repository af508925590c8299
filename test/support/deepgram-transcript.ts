// Sessions of LiveKit and pipecat with /v1/speak and /v2/speak, written down as who, when and what, and played again:
// what the client said is said, and what it was answered must come, in that order and nothing else.
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';

export type WireMessage = { readonly type: string } & Readonly<Record<string, unknown>>;
type Line =
  | {
      readonly who: string;
      readonly atMs: number;
      readonly upgrade: string;
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly who: string; readonly atMs: number; readonly message: WireMessage }
  | { readonly who: 'voxgate'; readonly message: WireMessage }
  | { readonly who: 'voxgate'; readonly audio: true }
  | { readonly who: 'voxgate'; readonly closes: number };

export const TRANSCRIPTS = ['livekit-v1', 'livekit-v2', 'pipecat-v1', 'pipecat-v2'] as const;

export function readTranscript(name: (typeof TRANSCRIPTS)[number]): {
  readonly upgrade: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly lines: readonly Line[];
} {
  const file = new URL(`../../fixtures/dialects/deepgram/${name}.jsonl`, import.meta.url);
  const [first, ...lines] = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  if (first === undefined || !('upgrade' in first)) throw new Error(`${name} begins with no upgrade`);
  return { upgrade: first.upgrade, headers: first.headers, lines };
}

/** The gateway as the transcript's client has it. */
export type TranscriptPeer = {
  /** At that time, where time can be told. */
  send(message: WireMessage, atMs: number): Promise<void>;
  /** What has come so far; runs of audio are one `audio`. */
  arrived(): readonly (WireMessage | 'audio')[];
  closedWith(): number | undefined;
  /** Lets time pass until `isThere`. */
  until(isThere: () => boolean): Promise<void>;
};

export async function replay(
  { lines }: ReturnType<typeof readTranscript>,
  peer: TranscriptPeer,
): Promise<void> {
  let answered = 0;
  for (const line of lines) {
    if ('atMs' in line) {
      if ('message' in line) await peer.send(line.message, line.atMs);
    } else if ('closes' in line) {
      await peer.until(() => peer.closedWith() !== undefined);
      expect(peer.closedWith()).toBe(line.closes);
    } else {
      const at = answered;
      await peer.until(() => peer.arrived().length > at);
      const answer = peer.arrived()[at]!;
      if ('message' in line) expect(answer).toMatchObject(line.message);
      else expect(answer).toBe('audio');
      answered += 1;
    }
  }
  expect(peer.arrived().slice(answered)).toEqual([]);
}
