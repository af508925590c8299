// Refusals of the gateway in the words of the command line: no name of a field or header is left that has a flag.
import { describe, expect, it } from 'vitest';
import { VoxgateError } from '../../packages/client/src/voxgate-error.ts';
import { failedLine, inWordsOfFlags, sayingFlags } from '../../src/cli/words-of-flags.ts';

describe('a refusal', () => {
  it.each([
    ['voice: must be a voice; it is missing', '--voice: must be a voice; it is missing'],
    [
      'sampleRate: must be 8000; outputFormat: must be wav',
      '--sample-rate: must be 8000; --format: must be wav',
    ],
    ['sourceFileUrl: leads into a private network', 'URL: leads into a private network'],
    ['The voice: is said as it is', 'The voice: is said as it is'],
  ])('%s', (told, said) => expect(inWordsOfFlags(told)).toBe(said));

  it('about a key or a user names the flag and the variable', () => {
    expect(inWordsOfFlags('The header Authorization is missing; send "Authorization: Bearer KEY".')).toMatch(
      /--key-file or --key .*VOXGATE_KEY/,
    );
    expect(inWordsOfFlags('The header X-USER-ID is missing; send it beside the key.')).toContain(
      '--user (VOXGATE_USER)',
    );
    expect(inWordsOfFlags('This API key does not belong to the user of X-USER-ID; name that one.')).toMatch(
      /^No user was named, or .*--user \(VOXGATE_USER\)\.$/,
    );
  });

  it('of a text that is too large names the command for long ones', async () => {
    const refused = Promise.reject(new VoxgateError('body: is larger than this path takes', { status: 413 }));
    await expect(sayingFlags(refused, 'narrate speaks long texts')).rejects.toThrow(
      'narrate speaks long texts',
    );
  });

  it('of what failed is a sentence that names it', () => {
    expect(failedLine('"a.txt"', 'failed', { message: 'The file is empty; choose another.' })).toBe(
      '"a.txt" could not be made: The file is empty; choose another.',
    );
    expect(failedLine('The text', 'cancelled', null)).toBe('The text was cancelled.');
  });
});
