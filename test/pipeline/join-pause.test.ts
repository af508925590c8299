// The silence between two requests, where a dialogue is cut for a service with one voice.
import { expect, it } from 'vitest';
import { joinPauseMs } from '../../src/pipeline/join-pause.ts';
import { shapedRequests } from '../../src/text/request-shape.ts';
import { splitIntoRequests } from '../../src/text/request-text.ts';
import { dialogueSegments } from '../../src/text/turn-text.ts';

const [dialogue] = splitIntoRequests(
  dialogueSegments(
    [
      { speaker: 1, text: 'When does it leave?' },
      { speaker: 2, text: 'At nine.' },
      { speaker: 2, text: 'I am late.' },
    ],
    { language: 'english', markup: 'keep' },
  ),
);
const [first, second] = shapedRequests(dialogue!, { voices: 'one', maxText: 1000 });

it('is that of a change of speakers, whether the text is all there or comes bit by bit', () => {
  expect(joinPauseMs(first!, second!, 'whole')).toBe(300);
  expect(joinPauseMs(first!, second!, 'as-it-comes')).toBe(300);
});

it('is none where text that comes bit by bit is cut in one speaker’s turn', () => {
  const [one, other] = shapedRequests(second!, { voices: 'one', maxText: 10 });
  expect(joinPauseMs(one!, other!, 'as-it-comes')).toBe(0);
  expect(joinPauseMs(one!, other!, 'whole')).toBe(200);
});

it('is none between requests that name their speakers', () => {
  const own = { turnPrefix: 'A:', turnPrefix2: 'B:' };
  expect(joinPauseMs({ ...first!, ...own }, { ...second!, ...own }, 'as-it-comes')).toBe(0);
});
