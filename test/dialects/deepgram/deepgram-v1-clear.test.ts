// The codec of /v1/speak by itself: Clear, and how many answers may be owed, against a session that says what the test says.
import { describe, expect, it } from 'vitest';
import { ended, failure, heard, READY, started } from '../../support/session-events.ts';
import { CLEAR, commandsOf, FLUSH, pureRig, speak } from '../deepgram-rig.ts';

describe('Clear on /v1/speak', () => {
  it('says Cleared when all that was cut has ended, and lets nothing of it through', () => {
    const rig = pureRig('v1');
    rig.send(speak('One.'), FLUSH, speak('Two'));
    rig.say(started('dg-1'));
    rig.audio('dg-1', 2);
    rig.send(CLEAR);
    expect(rig.commands.at(-1)).toEqual({ type: 'cancel' });
    rig.audio('dg-1', 2);
    rig.say(ended('dg-2', 0, 'cancelled'));
    expect(rig.messages('Cleared')).toEqual([]);
    rig.say(failure('upstream_broken', 'dg-1'), ended('dg-1', 60, 'cancelled'));
    rig.audio('dg-1', 2);
    rig.say(heard('dg-1', 50, 'One.'));
    expect(rig.order()).toEqual(['Metadata', 'audio', 'Cleared']);
    expect(rig.messages('Cleared')[0]).toEqual({ type: 'Cleared', sequence_id: 0 });
  });

  it('answers each Clear once, also with nothing to clear', () => {
    const rig = pureRig('v1');
    rig.send(CLEAR, CLEAR);
    expect(rig.messages('Cleared').map((message) => message.sequence_id)).toEqual([0, 1]);
  });

  it('owes a bounded number of answers to Flushes that end nothing, and warns beyond it', () => {
    const rig = pureRig('v1');
    rig.send(speak('One.'));
    for (let n = 0; n < 5000; n += 1) rig.send(FLUSH);
    expect(rig.messages('Warning')).toHaveLength(4000);
    expect(rig.messages('Warning')[0]).toMatchObject({ code: 'NO_ACTIVE_SPEECH' });
    rig.send(speak('Two.'), FLUSH); // which ends a speech, and is answered
    rig.say(started('dg-1'), ended('dg-1'));
    expect(rig.messages('Flushed')).toHaveLength(1000);
    rig.send(FLUSH);
    rig.say(started('dg-2'), ended('dg-2'));
    expect(rig.messages('Flushed')).toHaveLength(1002);
    expect(rig.messages('Warning')).toHaveLength(4000);
  });

  it('owes none any more once they are cleared', () => {
    const rig = pureRig('v1');
    rig.send(speak('One.'));
    for (let n = 0; n < 1001; n += 1) rig.send(FLUSH);
    rig.send(CLEAR);
    rig.say(ended('dg-1', 0, 'cancelled'));
    rig.send(speak('Two.'), FLUSH, FLUSH);
    rig.say(started('dg-2'), ended('dg-2'));
    expect(rig.messages('Warning')).toHaveLength(1);
    expect(rig.messages('Flushed')).toHaveLength(2);
  });

  it('owes a bounded number of answers to Clears, and carries out all of them', () => {
    const rig = pureRig('v1');
    rig.send(speak('One.'));
    for (let n = 0; n < 1500; n += 1) rig.send(CLEAR);
    expect(rig.messages('Warning')).toHaveLength(500);
    expect(commandsOf(rig).filter((command) => command === 'cancel')).toHaveLength(1500);
    rig.say(ended('dg-1', 0, 'cancelled'));
    expect(rig.messages('Cleared')).toHaveLength(1000);
  });

  it('tells whoever never flushes that a Flush makes room', () => {
    const rig = pureRig('v1');
    rig.say({ ...READY, limits: { ...READY.limits, turnsInFlight: 4, pendingText: 10_000 } });
    for (let n = 0; n < 501; n += 1) rig.send(speak('x'.repeat(2000)));
    expect(rig.messages('Error')).toMatchObject([
      { code: 'BIG-0000', voxgate_code: 'text_full', description: expect.stringContaining('Flush') },
    ]);
    rig.send(FLUSH, speak('y'));
    expect(rig.messages('Error')).toHaveLength(1);
  });

  it('owes no Flushed for what was cleared', () => {
    const rig = pureRig('v1');
    rig.send(speak('One.'), FLUSH, CLEAR);
    rig.say(ended('dg-1', 0, 'cancelled'));
    rig.send(speak('Two.'), FLUSH);
    rig.say(started('dg-2'), ended('dg-2'));
    expect(rig.order()).toEqual(['Metadata', 'Cleared', 'Flushed']);
  });
});
