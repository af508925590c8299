// Conversations as clients of Cartesia's protocol hold them: who says what, and when. They are the same for the codec on
// a fake clock and for a whole gateway.

import { readdirSync, readFileSync } from 'node:fs';
import { type CartesiaMessage, isKeepAlive, isTerminal, soundOf } from './cartesia-fixture.ts';

const FOLDER = new URL('../../fixtures/dialects/cartesia/', import.meta.url);

/** `later`: after four seconds; `stalls`: two seconds of speech and then nothing more. */
export type Answers = 'speech' | 'later' | 'stalls' | 429;
type Line =
  | { readonly who: 'upstream'; readonly answers: Answers }
  | { readonly who: 'voxgate'; readonly message?: Partial<CartesiaMessage>; readonly refuses?: number }
  | {
      readonly who: 'livekit' | 'pipecat';
      readonly atMs: number;
      readonly upgrade?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly message?: Readonly<Record<string, unknown>>;
      readonly drops?: true;
    };

export type CartesiaTranscript = {
  readonly name: string;
  readonly answers: Answers;
  /** `KEY` stands for one that is known. */
  readonly upgrade: { readonly query: string; readonly headers: Readonly<Record<string, string>> };
  /** What the client does, in order; without a message it drops its connection. */
  readonly acts: readonly { readonly atMs: number; readonly message: object | undefined }[];
  /** Kinds of messages in the order in which they come first. */
  readonly expected: readonly Partial<CartesiaMessage>[];
  readonly keepAlives: 'expected' | 'possible';
  readonly refuses: number | undefined;
};

function readTranscript(file: string): CartesiaTranscript {
  const lines = readFileSync(new URL(file, FOLDER), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  let answers: Answers = 'speech';
  let upgrade: CartesiaTranscript['upgrade'] = { query: '', headers: {} };
  const acts: CartesiaTranscript['acts'][number][] = [];
  const expected: Partial<CartesiaMessage>[] = [];
  let refuses: number | undefined;
  let keepAlives: CartesiaTranscript['keepAlives'] = 'possible';
  for (const line of lines) {
    if (line.who === 'upstream') answers = line.answers;
    else if (line.who === 'voxgate') {
      refuses ??= line.refuses;
      if (line.message?.flush_done === false) keepAlives = 'expected';
      else if (line.message !== undefined) expected.push(line.message);
    } else if (line.upgrade !== undefined) upgrade = { query: line.upgrade, headers: line.headers ?? {} };
    else acts.push({ atMs: line.atMs, message: line.message });
  }
  return { name: file.replace('.jsonl', ''), answers, upgrade, acts, expected, keepAlives, refuses };
}

export const CARTESIA_TRANSCRIPTS = readdirSync(FOLDER).map(readTranscript);

/** The first message of each kind that a context gets, in order; a slow machine may have keep-alives between them. */
export function firstOfEachKind(messages: readonly CartesiaMessage[]): CartesiaMessage[] {
  const seen = new Set<string>();
  return messages.filter((message) => {
    if (isKeepAlive(message)) return false;
    const kind = `${message.type} ${message.context_id}`;
    const isNew = !seen.has(kind);
    seen.add(kind);
    return isNew;
  });
}

/** What is wrong with a conversation, whatever it was about. */
export function faultsOf(
  transcript: Pick<CartesiaTranscript, 'acts' | 'keepAlives'>,
  messages: readonly CartesiaMessage[],
): string[] {
  const faults: string[] = [];
  const ids = new Set(messages.map(({ context_id }) => context_id));
  const isCut = transcript.acts.some(({ message }) => message === undefined);
  for (const id of ids) {
    const own = messages.filter(({ context_id }) => context_id === id);
    if (transcript.keepAlives === 'expected' && !own.some(isKeepAlive)) faults.push(`${id} was kept waiting`);
    const terminals = own.filter(isTerminal).length;
    if (terminals !== (isCut ? 0 : 1)) faults.push(`${id} has ${terminals} terminal messages`);
    if (!isCut && !isTerminal(own.at(-1)!)) faults.push(`${id} goes on behind its end`);
    if (soundOf(own, id).length % 2 !== 0) faults.push(`${id} has half a sample`);
  }
  return faults;
}
