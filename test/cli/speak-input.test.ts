// Standard input against a gateway that takes, puts off or refuses each piece.
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createInputSpeaker } from '../../src/cli/speak-input.ts';
import type { SessionClient } from '../../src/client/voxgate-client.ts';
import type { ServerEvent } from '../../src/dialects/native-events.ts';
import type { ClientCommand } from '../../src/dialects/native-messages.ts';

type Code = Extract<ServerEvent, { type: 'error' }>['code'];

/** Answers the n-th `append` with the n-th of `refusals`; undefined takes it. */
function createGateway(refusals: readonly (Code | undefined)[]) {
  const speaker = createInputSpeaker('t');
  const taken: string[] = [];
  const sent: ClientCommand[] = [];
  let asked = 0;
  const client = {
    ready: { limits: { text: 10, pendingText: 1000 } },
    send(command: ClientCommand) {
      sent.push(command);
      if (command.type !== 'append') return;
      const code = refusals[asked++];
      if (code === undefined) taken.push(command.text);
      else
        speaker.onEvent({
          type: 'error',
          turn: 't',
          code,
          message: 'no',
          scope: 'turn',
          retryable: false,
          retryAfterMs: 0,
        });
    },
    next: () => Promise.resolve(),
    close() {},
  } as unknown as SessionClient;
  const forward = (text: string) => speaker.forward(Readable.from([text]), client);
  return { forward, taken, sent };
}

describe('standard input', () => {
  it('reaches the turn whole, what is put off included, and then its end', async () => {
    const { forward, taken, sent } = createGateway([undefined, 'text_full', 'text_full', undefined]);
    await forward('one two three four five');
    expect(taken.join('')).toBe('one two three four five');
    expect(sent.at(-1)).toEqual({ type: 'end', turn: 't' });
  });

  it.each(['turn_ended', 'text_too_long', 'busy', 'invalid_request'] as const)(
    'stops at %s, so that nobody takes the rest for spoken',
    async (code) => {
      const { forward, taken, sent } = createGateway([undefined, code]);
      await expect(forward('one two three four five')).rejects.toThrow(`${code}: no`);
      expect(taken.join('')).toBe('one two ');
      expect(sent.filter(({ type }) => type === 'append').length).toBe(2);
      expect(sent.at(-1)?.type).not.toBe('end');
    },
  );
});
