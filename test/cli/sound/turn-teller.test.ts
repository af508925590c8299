// What of a turn is said to a person and to a program.
import { describe, expect, it } from 'vitest';
import { createTurnTeller, heardLine } from '../../../src/cli/sound/turn-teller.ts';
import type { EventOf, ServerEvent } from '../../../src/dialects/native-events.ts';

const heard = (playedMs: number, spokenText: string, remainingText: string): EventOf<'heard'> => ({
  type: 'heard',
  turn: 'say',
  playedMs,
  playedBy: 'clock',
  spokenText,
  remainingText,
});
const FAULT: ServerEvent = {
  type: 'error',
  code: 'upstream_bad_audio',
  message: 'no audio',
  scope: 'turn',
  retryable: false,
};

describe('what was heard', () => {
  it('is told with what was not', () => {
    expect(heardLine(heard(3210, 'All of it.', ''))).toBe('heard: 3.2 s, all of it');
    expect(heardLine(heard(1000, 'Hello', ' from Voxgate.'))).toBe('heard: 1.0 s; not heard: from Voxgate.');
    expect(heardLine(heard(0, '', 'x'.repeat(1000)))).toHaveLength('heard: 0.0 s; not heard: '.length + 402);
  });
});

describe('a turn', () => {
  const tellTo = (tells: 'people' | 'lines' | 'nobody') => {
    const printed: string[] = [];
    const complaints: string[] = [];
    const tell = createTurnTeller({
      tells,
      print: (line) => void printed.push(line),
      status() {},
      complain: (line) => void complaints.push(line),
    });
    for (const event of [FAULT, { type: 'pong' } as const, heard(1000, 'a', '')]) tell(event);
    return { printed, complaints };
  };

  it('is told to a person in sentences, to a program as it came, and a fault always', () => {
    expect(tellTo('people')).toEqual({
      printed: ['heard: 1.0 s, all of it'],
      complaints: ['upstream_bad_audio: no audio'],
    });
    const { printed, complaints } = tellTo('lines');
    expect(printed.map((line) => (JSON.parse(line) as ServerEvent).type)).toEqual(['error', 'heard']);
    expect(complaints).toEqual([]);
    expect(tellTo('nobody').complaints).toEqual(['upstream_bad_audio: no audio']);
  });
});
