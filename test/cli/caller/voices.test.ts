// The table of `voxgate voices`.
import { expect, it } from 'vitest';
import { voiceTable } from '../../../src/cli/caller/voices.ts';

it('has a row for each voice, and a column of services where there are several', () => {
  expect(voiceTable([{ id: 'v://a', name: 'Anna', gender: 'Female' }, { id: 'b' }])).toEqual([
    'voice  name  gender  language',
    'v://a  Anna  Female  –',
    'b      –     –       –',
  ]);
  expect(voiceTable([{ id: 'home/b', upstream: 'home' }])).toEqual([
    'voice   name  gender  language  service',
    'home/b  –     –       –         home',
  ]);
});
