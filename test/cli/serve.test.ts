import { expect, it } from 'vitest';
import { longUpstream } from '../../src/cli/serve.ts';

it.each([
  [
    ['--upstream', 'openai:http://127.0.0.1:8880/v1'],
    ['--upstream-kind=openai', '--upstream-url=http://127.0.0.1:8880/v1'],
  ],
  [
    ['--port=0', '--upstream=deepgram'],
    ['--port=0', '--upstream-kind=deepgram'],
  ],
  [['--upstream'], ['--upstream']],
  [
    ['--upstream-url', 'http://127.0.0.1:1'],
    ['--upstream-url', 'http://127.0.0.1:1'],
  ],
])('%j is short for %j', (given, long) => expect(longUpstream(given)).toEqual(long));

it('says of its own flag what is wrong with it', () => {
  expect(() => longUpstream(['--upstream', 'foo:http://127.0.0.1:1'])).toThrow(
    /^--upstream is KIND or KIND:URL, and "foo" is no KIND; there are speech-service, openai,/,
  );
});
