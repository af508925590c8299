// Standard input to a turn as it arrives, so that another program's tokens are spoken while it is still thinking.
// A turn holds only so much text that is not spoken yet; what does not fit is offered again, never lost.

import type { SessionClient } from '../client/voxgate-client.ts';
import type { EventOf, ServerEvent } from '../dialects/native-events.ts';
import type { TextInput } from './text-input.ts';

export type InputSpeaker = {
  /** What the gateway says, for the refusals among it. `waits`: text came faster than it is spoken, and is offered again. */
  onEvent(event: ServerEvent): 'waits' | 'told';
  /**
   * Resolves when all of the input has been taken, or `stop` was called. Rejects when text was refused for good, so
   * that nobody takes the rest for spoken.
   */
  forward(input: TextInput, client: SessionClient): Promise<void>;
  /** Reads no further. */
  stop(): void;
};

/** A piece is small enough to be offered again, and to reach the gateway as one message. */
const PIECE_CHARACTERS = 8 * 1024;

/** At most `longest` characters each, between words: a piece that has to wait may be spoken apart from the next. */
function* piecesOf(text: string, longest: number): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const space = at + longest < text.length ? text.lastIndexOf(' ', at + longest - 1) : -1;
    let end = space > at ? space + 1 : at + longest;
    // Not between the two halves of a character outside the basic plane.
    if (end - at > 1 && /^[\ud800-\udbff]$/.test(text.charAt(end - 1)) && end < text.length) end -= 1;
    yield text.slice(at, end);
    at = end;
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export function createInputSpeaker(turn: string): InputSpeaker {
  let isStopped = false;
  let fullForMs: number | undefined;
  let refusal: EventOf<'error'> | undefined;
  let reading: TextInput | undefined;

  const failOn = (error: EventOf<'error'> | undefined) => {
    if (error !== undefined) throw new Error(`The text was not taken: ${error.code}: ${error.message}`);
  };
  const isRefused = async (text: string, client: SessionClient): Promise<boolean> => {
    fullForMs = undefined;
    refusal = undefined;
    // Answers come in order, so by the pong it is known whether the text was taken.
    const answered = client.next('pong');
    client.send({ type: 'append', turn, text });
    client.send({ type: 'ping' });
    await answered;
    failOn(refusal);
    return fullForMs !== undefined;
  };
  const push = async (text: string, client: SessionClient) => {
    while (!isStopped && (await isRefused(text, client))) await pause(fullForMs ?? 0);
  };

  return {
    onEvent(event) {
      if (event.type !== 'error') return 'told';
      if (event.code !== 'text_full' || reading === undefined) {
        refusal = event;
        return 'told';
      }
      fullForMs = event.retryAfterMs ?? 1000;
      return 'waits';
    },
    async forward(input, client) {
      reading = input;
      const { text, pendingText } = client.ready.limits;
      const longest = Math.min(PIECE_CHARACTERS, text, pendingText);
      try {
        for await (const part of input)
          for (const piece of piecesOf(part, longest)) await push(piece, client);
      } catch (error) {
        if (!isStopped) throw error;
      }
      if (!isStopped) client.send({ type: 'end', turn });
    },
    stop() {
      isStopped = true;
      reading?.destroy?.();
    },
  };
}
