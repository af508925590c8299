// Contexts that fail, by the codec alone: each is told of it once, and takes no other along.

import { describe, expect, it } from 'vitest';
import { close, codecAlone, DIALOGUE, say, speak } from '../../support/elevenlabs-rig.ts';

describe('contexts of ElevenLabs clients', () => {
  it('that fail are told so and are final, with no other harm; the rest of their text is not spoken', () => {
    const rig = codecAlone();
    rig.send(...speak('a'), ...speak('b'));
    rig.say({
      type: 'error',
      code: 'upstream_timeout',
      message: 'Too slow.',
      turn: 'turn-0',
      scope: 'turn',
      retryable: true,
    });
    rig.end('turn-0', 'failed', 0);
    expect(rig.got.map(({ message }) => message)).toEqual([
      { message: 'Too slow.', error: 'upstream_timeout', code: 1011, contextId: 'a' },
      { isFinal: true, contextId: 'a' },
    ]);
    rig.send(say('a', 'More '), close('a'));
    rig.start('turn-1');
    rig.sound('turn-1', 40);
    rig.send(close('b'));
    rig.end('turn-1');
    expect(rig.order().slice(2)).toEqual(['audio b', 'final b']);
    expect(rig.closed).toBeUndefined();
  });

  it('are never final without sound and without an error, whatever the session says', () => {
    for (const [outcome, sentMs] of [
      ['failed', 0],
      ['truncated', 200],
      ['cancelled', 0],
      ['complete', 0],
    ] as const) {
      const rig = codecAlone();
      rig.send(...speak('c'), close('c'));
      rig.end('turn-0', outcome, sentMs);
      expect(rig.order()).toEqual(['error upstream_broken c', 'final c']);
    }
  });

  it('fail whole when a part of their text is refused', () => {
    const refusals: Parameters<typeof codecAlone>[0][] = [{}, { path: DIALOGUE }];
    for (const parts of refusals) {
      const rig = codecAlone(parts);
      const isDialogue = parts?.path === DIALOGUE;
      const text = (said: string) =>
        isDialogue ? { context_id: 'c', inputs: [{ text: said }] } : { context_id: 'c', text: said };
      // As the session does: the answer comes before the command returns.
      const push = rig.commands.push.bind(rig.commands);
      rig.commands.push = (command) => {
        push(command);
        if (command.type === 'append' && command.text === 'too much')
          rig.say({
            type: 'error',
            code: 'text_full',
            message: 'Full.',
            turn: command.turn,
            scope: 'turn',
            retryable: true,
          });
        return 0;
      };
      rig.send(text('Hello. '), text('too much'), text('and on'));
      expect(rig.order()).toEqual(['error text_full c', 'final c']);
      expect(rig.commands.map((command) => command.type)).toEqual(['append', 'append', 'cancel']);
    }
  });

  it('of which a message cannot be read fail whole, too, and a first one is told as well', () => {
    const rig = codecAlone();
    rig.send(say('c', 'Hello. '), { context_id: 'c', text: 7 }, { context_id: 'd', text: ['x'] });
    rig.send({ context_id: 'd', text: ['x'] }, { context_id: 'd', text: 'y' });
    expect(rig.order()).toEqual(['error invalid_request c', 'final c', 'error invalid_request d', 'final d']);
    expect(rig.commands.map((command) => command.type)).toEqual(['append', 'cancel']);
    rig.send({ context_id: 'e', text: 'Hello. ', voice_settings: { speed: 9 } });
    expect(rig.got.slice(-2).map(({ message }) => message)).toEqual([
      expect.objectContaining({ error: 'invalid_request', message: expect.stringContaining('speed') }),
      { isFinal: true, contextId: 'e' },
    ]);
  });
});
