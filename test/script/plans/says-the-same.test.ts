import { expect, it } from 'vitest';
import { saysTheSame } from '../../../src/script/plans/says-the-same.ts';

it.each([
  ['The tide comes in twice a day.', 'Twice a day the tide comes in.'],
  ['The package manager provides a list of files.', 'The package manager provides a list of the files.'],
  ['川は砂を海まで運びます。', '川は砂を海まで運びます'],
])('%s / %s', (one, other) => {
  expect(saysTheSame(one, other)).toBe(true);
  expect(saysTheSame(other, one)).toBe(true);
});

it.each([
  ['The tide comes in twice a day.', 'The moon pulls the water of the sea.'],
  ['In 1990 the harbour had 30 ships.', 'In 1991 the harbour had 40 ships.'],
  ['Salt keeps.', 'Salt keeps.'],
  ['All text types are subclasses of plain text.', 'All streamable types are subclasses of octet streams.'],
])('%s / %s: something else', (one, other) => {
  expect(saysTheSame(one, other)).toBe(false);
});
